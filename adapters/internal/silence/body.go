// Package silence ends answers of servers that fall silent.
package silence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Err says that a server was silent for too long.
var Err = errors.New("no byte came within the idle timeout")

// Grace is how long the tail of a complete answer is awaited: the usage, and
// the end that lets the connection be used again.
const Grace = 10 * time.Second

// Body is a response's body that ends with [Err] when nothing comes. One
// goroutine reads it.
type Body struct {
	// Ended says, once it is true, that the answer is complete and only its
	// tail is awaited, for [Grace] at most. Nil is never.
	Ended *atomic.Bool

	inner  io.ReadCloser
	ctx    context.Context // the request's, which cancel ends
	cancel context.CancelCauseFunc
	idle   time.Duration
	eof    bool
}

// Watch sends a request under a context that a silence cancels. The response's
// body is the Body. An idle of 0 or less is no limit.
func Watch(ctx context.Context, idle time.Duration, send func(context.Context) (*http.Response, error)) (*http.Response, *Body, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	b := &Body{ctx: ctx, cancel: cancel, idle: idle}
	var resp *http.Response
	err := b.within(idle, func() (err error) {
		resp, err = send(ctx)
		return err
	})
	if err != nil {
		cancel(nil)
		return nil, nil, err
	}
	b.inner, resp.Body = resp.Body, b
	return resp, b, nil
}

// within calls f, which the silence of the server may last as long as given,
// 0 or less being any time.
func (b *Body) within(idle time.Duration, f func() error) error {
	if idle <= 0 {
		return f()
	}
	t := time.AfterFunc(idle, func() { b.cancel(Err) })
	err := f()
	t.Stop()
	if err != nil && err != io.EOF && context.Cause(b.ctx) == Err && !errors.Is(err, Err) {
		err = fmt.Errorf("%w: %w", Err, err)
	}
	return err
}

// Read reads what comes in time.
func (b *Body) Read(p []byte) (int, error) {
	idle := b.idle
	if b.Ended != nil && b.Ended.Load() && (idle <= 0 || idle > Grace) {
		idle = Grace
	}
	return b.read(p, idle)
}

func (b *Body) read(p []byte, idle time.Duration) (n int, err error) {
	if b.eof {
		return 0, io.EOF
	}
	err = b.within(idle, func() (err error) {
		n, err = b.inner.Read(p)
		return err
	})
	b.eof = err == io.EOF
	return n, err
}

// Close closes the body and ends the request's context.
func (b *Body) Close() error {
	err := b.inner.Close()
	b.cancel(nil)
	return err
}

// Drain reads what a finished answer still has, within bounds, so that its
// connection can be used again.
func (b *Body) Drain() {
	const most, long = 64 << 10, 50 * time.Millisecond
	deadline := time.Now().Add(long)
	buf := make([]byte, 4<<10)
	for n := 0; n < most && !b.eof; {
		left := time.Until(deadline)
		if left <= 0 {
			return
		}
		k, err := b.read(buf, left)
		if err != nil {
			return
		}
		n += k
	}
}
