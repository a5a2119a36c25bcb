package aguiclient

import (
	"context"
	"io"
	"time"
)

// idle cancels a request that waits too long for its connection. It runs only
// while somebody waits: a slow consumer is not the agent's silence.
type idle struct {
	after time.Duration // 0 or less: no limit
	timer *time.Timer
}

func newIdle(after time.Duration, cancel context.CancelCauseFunc) *idle {
	i := &idle{after: after, timer: time.AfterFunc(time.Hour, func() { cancel(&IdleError{After: after}) })}
	i.timer.Stop()
	return i
}

func (i *idle) start() {
	if i.after > 0 {
		i.timer.Reset(i.after)
	}
}

func (i *idle) stop() { i.timer.Stop() }

// idleReader watches the reads of a body.
type idleReader struct {
	*idle
	in    io.Reader
	whole bool // the time is that of all that is still read
}

// within bounds the rest of the body as a whole, however it trickles.
func (r *idleReader) within(d time.Duration) {
	if r.after <= 0 || d < r.after {
		r.after = d
	}
	r.whole = true
	r.start()
}

func (r *idleReader) Read(p []byte) (int, error) {
	if !r.whole {
		r.start()
		defer r.stop()
	}
	return r.in.Read(p)
}

const (
	// closeWait is how long a response may stay open behind its terminal event
	// before the connection is closed instead of kept for the next request.
	closeWait = 100 * time.Millisecond
	// errorWait is how long the body of an answer that is no stream may take.
	errorWait = time.Second
)

// finish reads the end of a response whose last event has come, so that the
// connection can be used again. What still comes says nothing any more.
func finish(body *idleReader, f *frames) {
	body.within(closeWait)
	defer body.stop()
	const most = 4 << 10
	var rest [most]byte
	for n := 0; n < most; {
		k, err := f.in.Read(rest[:])
		n += k
		if err != nil {
			return
		}
	}
}
