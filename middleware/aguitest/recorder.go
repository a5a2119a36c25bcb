package aguitest

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Recorder keeps the calls that pass a place of a chain and changes nothing.
// Its Middleware goes into the chain; the zero value is ready, and safe for
// concurrent use.
type Recorder struct {
	mu        sync.Mutex
	exchanges []*Exchange
}

// Exchange is one call that passed a [Recorder].
type Exchange struct {
	Request *chat.Request
	Updates []*chat.Update
	// Err is the error that ended the answer.
	Err error
	// Broken says that the receiver stopped before the end.
	Broken bool
	// Done says that the call is over.
	Done bool
}

// Middleware puts the recorder into a chain: builder.Use(recorder.Middleware).
func (r *Recorder) Middleware(next chat.Client) chat.Client {
	return &recording{chat.Delegating{Client: next}, r}
}

// Exchanges returns a copy of the calls so far, in the order in which they
// began.
func (r *Recorder) Exchanges() []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Exchange, len(r.exchanges))
	for i, e := range r.exchanges {
		out[i] = *e
		out[i].Updates = slices.Clone(e.Updates)
	}
	return out
}

// Requests returns the requests so far.
func (r *Recorder) Requests() []*chat.Request {
	var out []*chat.Request
	for _, e := range r.Exchanges() {
		out = append(out, e.Request)
	}
	return out
}

// Updates returns the updates of all calls so far, call after call.
func (r *Recorder) Updates() []*chat.Update {
	var out []*chat.Update
	for _, e := range r.Exchanges() {
		out = append(out, e.Updates...)
	}
	return out
}

// Events returns the events that rode on the updates so far.
func (r *Recorder) Events() []agui.Event {
	var out []agui.Event
	for _, u := range r.Updates() {
		out = append(out, u.Events...)
	}
	return out
}

type recording struct {
	chat.Delegating
	recorder *Recorder
}

// Stream records the call on its way.
func (c *recording) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		r := c.recorder
		e := &Exchange{Request: req.Clone()}
		locked := func(f func()) {
			r.mu.Lock()
			defer r.mu.Unlock()
			f()
		}
		locked(func() { r.exchanges = append(r.exchanges, e) })
		defer locked(func() { e.Done = true })
		for u, err := range c.Client.Stream(ctx, req) {
			locked(func() {
				if u != nil {
					// The receiver owns the update and may change it.
					e.Updates = append(e.Updates, new(*u))
				}
				e.Err = err
			})
			if !yield(u, err) {
				locked(func() { e.Broken = err == nil })
				return
			}
		}
	}
}
