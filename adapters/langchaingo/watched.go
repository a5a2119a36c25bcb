package langchaingo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// DefaultIdleTimeout is the value of a zero Options.IdleTimeout.
const DefaultIdleTimeout = 5 * time.Minute

// ErrIdle says that a server was silent for longer than Options.IdleTimeout.
var ErrIdle = errors.New("no byte came within the idle timeout")

// graceAfterEnd is how long the tail of a complete answer is awaited: the
// usage, and the end that lets the connection be used again.
const graceAfterEnd = 10 * time.Second

// watched is a response's body that ends with ErrIdle when nothing comes.
type watched struct {
	inner  io.ReadCloser
	ctx    context.Context // the request's, which cancel ends
	cancel context.CancelCauseFunc
	idle   time.Duration // 0 is no limit
	ended  bool          // the answer is complete, only its tail is awaited
	eof    bool
}

// watch sends a request under a context that a silence cancels.
func watch(rt http.RoundTripper, req *http.Request, idle time.Duration) (*http.Response, *watched, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watched{ctx: ctx, cancel: cancel, idle: max(0, idle)}
	var resp *http.Response
	err := w.within(w.idle, func() (err error) {
		resp, err = rt.RoundTrip(req.WithContext(ctx))
		return err
	})
	if err != nil {
		cancel(nil)
		return nil, nil, err
	}
	w.inner, resp.Body = resp.Body, w
	return resp, w, nil
}

// within calls f, which the silence of the server may last as long as given,
// 0 being any time.
func (w *watched) within(idle time.Duration, f func() error) error {
	if idle <= 0 {
		return f()
	}
	t := time.AfterFunc(idle, func() { w.cancel(ErrIdle) })
	err := f()
	t.Stop()
	if err != nil && err != io.EOF && context.Cause(w.ctx) == ErrIdle && !errors.Is(err, ErrIdle) {
		err = fmt.Errorf("%w: %w", ErrIdle, err)
	}
	return err
}

// Read reads what comes within the idle timeout.
func (w *watched) Read(p []byte) (int, error) {
	idle := w.idle
	if w.ended && (idle <= 0 || idle > graceAfterEnd) {
		idle = graceAfterEnd
	}
	return w.read(p, idle)
}

func (w *watched) read(p []byte, idle time.Duration) (n int, err error) {
	if w.eof {
		return 0, io.EOF
	}
	err = w.within(idle, func() (err error) {
		n, err = w.inner.Read(p)
		return err
	})
	w.eof = err == io.EOF
	return n, err
}

// Close closes the body.
func (w *watched) Close() error {
	err := w.inner.Close()
	w.cancel(nil)
	return err
}

// drain reads what a finished answer still has, within bounds, so that its
// connection can be used again.
func (w *watched) drain() {
	const most, long = 64 << 10, 50 * time.Millisecond
	deadline := time.Now().Add(long)
	buf := make([]byte, 4<<10)
	for n := 0; n < most && !w.eof; {
		left := time.Until(deadline)
		if left <= 0 {
			return
		}
		k, err := w.read(buf, left)
		if err != nil {
			return
		}
		n += k
	}
}
