package chat_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// passing is a layer that looks at each update and passes it on.
type passing struct{ chat.Delegating }

func (p *passing) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for u, err := range p.Client.Stream(ctx, req) {
			if !yield(u, err) {
				return
			}
		}
	}
}

// BenchmarkTextDelta is one text delta from the innermost client through five
// layers, Events with its verifier, to bytes in a buffer. The update is made
// anew each time, as a model's is.
func BenchmarkTextDelta(b *testing.B) {
	inner := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for b.Loop() {
				if !yield(&chat.Update{Text: "delta"}, nil) {
					return
				}
			}
		}
	})
	builder := chat.NewBuilder(inner)
	for range 5 {
		builder.Use(func(next chat.Client) chat.Client { return &passing{chat.Delegating{Client: next}} })
	}
	var buf []byte
	b.ReportAllocs()
	for e := range chat.Events(b.Context(), builder.Build(), input(), quiet) {
		var err error
		if buf, err = agui.AppendFrame(buf[:0], e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTextDeltaMarshal is json.Marshal of the same event alone, through
// a plain struct.
func BenchmarkTextDeltaMarshal(b *testing.B) {
	type content struct {
		Type      string `json:"type"`
		MessageID string `json:"messageId"`
		Delta     string `json:"delta"`
	}
	e := &content{"TEXT_MESSAGE_CONTENT", agui.NewID(), "delta"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(e); err != nil {
			b.Fatal(err)
		}
	}
}
