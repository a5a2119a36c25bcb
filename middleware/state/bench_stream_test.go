package state_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Report is what a model writes in the stream's benchmark.
type Report struct {
	Title    string    `json:"title"`
	Summary  string    `json:"summary"`
	Sections []Section `json:"sections"`
}

type Section struct {
	Heading string   `json:"heading"`
	Body    string   `json:"body"`
	Points  []string `json:"points"`
	Score   int      `json:"score"`
}

// report is about 10 KB of prose with some structure.
func report() string {
	const sentence = "The model goes on to write a sentence of a usual length here. "
	r := Report{Title: "A report of some length", Summary: strings.Repeat(sentence, 6)}
	for i := range 15 {
		r.Sections = append(r.Sections, Section{
			Heading: fmt.Sprint("Section ", i), Body: strings.Repeat(sentence, 8), Score: i,
			Points: []string{"one short point", "another one", "and a third that is somewhat longer"},
		})
	}
	return mustJSON(r)
}

// paced yields a text in n updates.
func paced(text string, n int) chat.Client {
	return chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for i := range n {
				from, to := len(text)*i/n, len(text)*(i+1)/n
				if !yield(&chat.Update{Text: text[from:to]}, nil) {
					return
				}
			}
			yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
		}
	})
}

// BenchmarkGenerate is a document of 10 KB that a model writes in 2,500
// pieces: what the client is sent (wire-B) and the time for each piece
// (cpu-ns/token), against a snapshot at every piece that parses, which is what is
// built by hand, and against one at the end. Every is negative: a string that
// grows is sent by its length alone, as fast as the benchmark runs, which is
// the most that is ever sent.
func BenchmarkGenerate(b *testing.B) {
	const tokens = 2500
	doc := report()
	run := func(b *testing.B, c chat.Client) {
		b.ReportAllocs()
		wire, events, start := 0, 0, processorTime(b)
		for b.Loop() {
			wire, events = 0, 0
			var buf []byte
			for e := range chat.Events(b.Context(), c, inputWith(`{}`), quiet) {
				if t := e.Type(); t == agui.TypeRunError {
					b.Fatal(e)
				} else if t != agui.TypeStateSnapshot && t != agui.TypeStateDelta {
					continue
				}
				events++
				buf, _ = agui.AppendEvent(buf[:0], e)
				wire += len(buf)
			}
		}
		b.ReportMetric(float64(processorTime(b)-start)/float64(b.N)/tokens, "cpu-ns/token")
		b.ReportMetric(float64(wire), "wire-B")
		b.ReportMetric(float64(events), "events")
	}
	generate := func(o state.Generation[Report]) chat.Client {
		o.Order = state.Instead
		return chat.NewBuilder(paced(doc, tokens)).Use(state.Share[Report]()).Use(state.Generate(o)).Build()
	}
	b.Run("streamed", func(b *testing.B) { run(b, generate(state.Generation[Report]{Every: -1})) })
	b.Run("streamed-50ms", func(b *testing.B) { run(b, generate(state.Generation[Report]{Every: 50 * time.Millisecond})) })
	b.Run("buffered", func(b *testing.B) { run(b, generate(state.Generation[Report]{Buffered: true})) })
	b.Run("snapshots", func(b *testing.B) {
		run(b, chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				var text strings.Builder
				for u, err := range paced(doc, tokens).Stream(ctx, req) {
					if err != nil || u.FinishReason != "" {
						yield(u, err)
						return
					}
					text.WriteString(u.Text)
					// Closed by hand: the state as far as it is written.
					if shown := closed(text.String()); shown != nil && !yield(&chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: shown}}}, nil) {
						return
					}
				}
			}
		}))
	})
}

// closed closes what is open in a text, if that makes JSON of it.
func closed(text string) json.RawMessage {
	var open []byte
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			open = append(open, c+2)
		case c == '}' || c == ']':
			open = open[:len(open)-1]
		}
	}
	if inString {
		text += `"`
	}
	for i := len(open) - 1; i >= 0; i-- {
		text += string(open[i])
	}
	if !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}
