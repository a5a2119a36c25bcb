package aguiclient

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// One piece of text, folded.
func BenchmarkMirrorText(b *testing.B) {
	m := new(Mirror)
	_ = m.Apply(&agui.TextMessageStart{MessageID: "m"})
	e := &agui.TextMessageContent{MessageID: "m", Delta: "a few words "}
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Apply(e); err != nil {
			b.Fatal(err)
		}
	}
}

// One small change of a large document.
func BenchmarkMirrorDelta(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			m := NewMirror([]byte(`{"n":1,"text":"`+strings.Repeat("x", size)+`"}`), nil)
			e := &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpReplace, Path: "/n", Value: []byte(`2`)}}}
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Apply(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// repeated is a body that says one frame n times.
type repeated struct {
	frame []byte
	left  int
	rest  []byte
}

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.left <= 0 {
			return 0, io.EOF
		}
		many := min(r.left, 16)
		r.rest = bytes.Repeat(r.frame, many)
		r.left -= many
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// One frame of text, read and decoded.
func BenchmarkFrames(b *testing.B) {
	body := &repeated{frame: []byte(`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"3f1c2d","delta":"a few words "}` + "\n\n"), left: b.N + 1<<30}
	f := newFrames(body, 0)
	var d agui.Decoder
	b.SetBytes(int64(len(body.frame)))
	b.ReportAllocs()
	for b.Loop() {
		data, err := f.next()
		if err == nil {
			_, err = d.Decode(data)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// One piece of text through the client: checked, expanded, an update.
func BenchmarkClientText(b *testing.B) {
	e := &agui.TextMessageContent{MessageID: "m", Delta: "a few words "}
	transport := TransportFunc(func(context.Context, *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
		return func(yield func(agui.Event, error) bool) {
			_ = yield(&agui.RunStarted{ThreadID: "t", RunID: "r"}, nil) && yield(&agui.TextMessageStart{MessageID: "m"}, nil)
			for b.Loop() {
				if !yield(e, nil) {
					return
				}
			}
			_ = yield(&agui.TextMessageEnd{MessageID: "m"}, nil) && yield(&agui.RunFinished{ThreadID: "t", RunID: "r"}, nil)
		}
	})
	b.ReportAllocs()
	for _, err := range New(transport, nil).Stream(b.Context(), &chat.Request{}) {
		if err != nil {
			b.Fatal(err)
		}
	}
}
