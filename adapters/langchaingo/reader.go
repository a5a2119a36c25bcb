package langchaingo

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// errLate is what a model is told that still streams after it has returned.
var errLate = errors.New("langchaingo: the call has ended")

// reader makes updates out of what a model streams during one call.
type reader struct {
	c   *client
	ctx context.Context
	x   *exchange
	out *outgoing

	// mu guards the rest: a provider may stream from another goroutine, and
	// go on after it has returned.
	mu     sync.Mutex
	closed bool
	failed error // what ended the stream from our side

	begun     bool
	model     string
	named     bool
	text      pieces.Seam
	said      strings.Builder // the text so far, as the provider gave it
	reasoning pieces.Seam
	mused     bool // reasoning has been streamed
	opaque    strings.Builder
	calls     pieces.Calls
	deltas    deltas
	usage     *agui.TokenUsage
	finish    string
}

func newReader(ctx context.Context, c *client, req *chat.Request, out *outgoing, x *exchange) *reader {
	r := &reader{
		c: c, ctx: ctx, x: x, out: out,
		model: c.o.Model,
		calls: pieces.Calls{IDs: chat.CallIDsFor(ctx, req.Messages), Names: out.wants.names},
	}
	if out.options.Model != "" {
		r.model = out.options.Model
	}
	r.deltas = deltas{on: c.provider.callJSON, tools: req.Tools, names: out.wants.names}
	return r
}

// close ends the streaming functions: what a model still streams is refused.
func (r *reader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// guard runs f under the lock, and keeps what goes wrong in it: a panic in a
// streaming function would end the process where the provider calls it from a
// goroutine of its own.
func (r *reader) guard(f func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errLate
	}
	if r.failed == nil {
		r.failed = chat.Protect(f)
	}
	return r.failed
}

// piece is the streaming function.
func (r *reader) piece(_ context.Context, data []byte) error {
	return r.guard(func() error {
		if err := ended(r.ctx, nil); err != nil {
			return err
		}
		if err := r.missing(); err != nil {
			return err
		}
		if r.x.sees() {
			return r.take()
		}
		if len(data) == 0 {
			return nil
		}
		r.begun = true
		if r.deltas.hold(data) {
			return nil
		}
		r.said.Write(data)
		if s := r.text.Add(string(data)); s != "" {
			return r.emit(&chat.Update{Text: s})
		}
		return nil
	})
}

// thought is the streaming function for reasoning.
func (r *reader) thought(_ context.Context, reasoning, _ []byte) error {
	if len(reasoning) == 0 {
		return nil
	}
	return r.guard(func() error {
		if r.x.sees() {
			return nil // it has told already
		}
		r.begun, r.mused = true, true
		if s := r.reasoning.Add(string(reasoning)); s != "" {
			return r.emit(&chat.Update{Reasoning: s})
		}
		return nil
	})
}

// missing is the error of a request that needed the tap and went without.
func (r *reader) missing() error {
	if r.x.sees() {
		return nil
	}
	if r.out.tapped {
		return invalid("the model did not send its request through langchaingo.HTTPClient")
	}
	if r.out.beyond != "" {
		return invalid("langchaingo cannot send %s: build the model with langchaingo.HTTPClient", r.out.beyond)
	}
	return nil
}

// settle appends to the update what was held back for the response, of which
// the content is given.
func (r *reader) settle(u *chat.Update, content string) error {
	said := r.said.String()
	if len(r.deltas.held) == 0 {
		u.Text += r.text.Add(unsaid(said, content))
		return nil
	}
	rest, goesOn := strings.CutPrefix(content, said)
	if !goesOn {
		rest = "" // changed since it was streamed
		for i, h := range r.deltas.held {
			if strings.Contains(content, h.raw) {
				r.deltas.held[i].calls = nil
			}
		}
	}
	text, calls := r.deltas.settle(rest)
	u.Text += r.text.Add(text)
	for _, p := range calls {
		if err := r.deltas.check(r.calls.All(), p); err != nil {
			return err
		}
		u.ToolCalls = r.calls.Add(u.ToolCalls, p)
	}
	return nil
}

// take emits what the tap has read.
func (r *reader) take() error {
	for _, k := range r.x.take() {
		r.begun = true
		u := &chat.Update{Raw: json.RawMessage(k.raw)}
		if k.model != "" {
			r.model = k.model
		}
		if !r.named && k.model != "" {
			r.named = true
			u.Model = r.model
		}
		if k.usage != nil {
			r.usage = k.usage
		}
		if k.finish != "" {
			r.finish = k.finish
		}
		r.opaque.WriteString(k.opaque)
		u.Reasoning = r.reasoning.Add(k.reasoning)
		u.Text = r.text.Add(k.text)
		for _, p := range k.calls {
			u.ToolCalls = r.calls.Add(u.ToolCalls, p)
		}
		if u.Reasoning == "" && u.Text == "" && u.ToolCalls == nil && u.Model == "" {
			continue
		}
		if err := r.emit(u); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) emit(u *chat.Update) error { return chat.Emit(r.ctx, u) }

func (x *exchange) sees() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen
}
