package aguihttp

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// sink is a response writer that costs nothing.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) Write(b []byte) (int, error) { return len(b), nil }
func (s sink) WriteHeader(int)             {}
func (s sink) FlushError() error           { return nil }

func benchStream(b *testing.B, o Options) *stream {
	all := o.withDefaults()
	s := new(stream)
	s.init(sink{}, &all, func(err error) { b.Error(err) })
	s.open()
	b.Cleanup(func() { _ = s.close() })
	return s
}

// One text delta into the stream, most of them sharing a flush.
func BenchmarkSend(b *testing.B) {
	e := agui.Event(&agui.TextMessageContent{MessageID: "msg_0123456789abcdef", Delta: " word"})
	for name, o := range map[string]Options{"burst": {}, "each flushed": {FlushWindow: -1}} {
		b.Run(name, func(b *testing.B) {
			s := benchStream(b, o)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.send(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("json.Marshal alone", func(b *testing.B) {
		v := struct {
			Type      string `json:"type"`
			MessageID string `json:"messageId"`
			Delta     string `json:"delta"`
		}{"TEXT_MESSAGE_CONTENT", "msg_0123456789abcdef", " word"}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(&v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// layered is a chain of n layers that hand every update on.
func layered(c chat.Client, n int) chat.Client {
	for range n {
		inner := c
		c = chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for u, err := range inner.Stream(ctx, req) {
					if !yield(u, err) {
						return
					}
				}
			}
		})
	}
	return c
}

// One text delta from the model through five layers to bytes in the buffer,
// the verifier on.
func BenchmarkDelta(b *testing.B) {
	in := &agui.RunAgentInput{ThreadID: "t", RunID: "r", ProtocolVersion: "1.0", Messages: []agui.Message{agui.UserMessage("Hi")}}
	s := benchStream(b, Options{})
	model := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			b.ReportAllocs()
			for b.Loop() {
				if !yield(&chat.Update{Text: " word"}, nil) {
					return
				}
			}
			yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
		}
	})
	for ev := range chat.Events(b.Context(), layered(model, 5), in, nil) {
		if err := s.send(ev); err != nil {
			b.Fatal(err)
		}
	}
}

// Whole runs, without a network.
func BenchmarkRun(b *testing.B) {
	for name, deltas := range map[string]int{"empty": 0, "400 deltas": 400} {
		b.Run(name, func(b *testing.B) {
			model := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
				return func(yield func(*chat.Update, error) bool) {
					for range deltas {
						if !yield(&chat.Update{Text: " word"}, nil) {
							return
						}
					}
					yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
				}
			})
			h := Handler(layered(model, 5), nil)
			const body = `{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[{"id":"m1","role":"user","content":"Hi"}]}`
			req := httptest.NewRequest(http.MethodPost, "/", nil)
			req.Header.Set("Content-Type", "application/json")
			b.ReportAllocs()
			for b.Loop() {
				req.Body = io.NopCloser(strings.NewReader(body))
				h.ServeHTTP(sink{http.Header{}}, req)
			}
		})
	}
}
