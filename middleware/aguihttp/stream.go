package aguihttp

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

const (
	// flushSize is the amount of pending bytes that is not waited with: they are
	// written, and what the server's buffer keeps of them goes with the flush
	// that is due.
	flushSize = 32 << 10
	// pieceSize is what is written under one deadline: a large event is no
	// reason to drop a slow client.
	pieceSize = 64 << 10
	// pooledSize is the capacity above which a buffer is not kept.
	pooledSize = 64 << 10
)

var heartbeat = []byte(": ping\n\n")

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 4<<10)
	return &b
}}

// stream writes events as server-sent events and decides when to flush, which
// is nearly all that an event costs: at once after a pause, otherwise with
// what comes within the window; and it writes whenever flushSize is pending.
// What only opens a message shows nothing: it goes with what comes next.
//
// It has no goroutine. Who sends writes too, under the lock; only what waits
// for the window to end, and the heartbeat, are written by the one timer. A
// client that is slow therefore holds the sender up, at most for flushSize and
// one event. While nothing is pending the stream holds no buffer.
type stream struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	failed func(error) // told once, under the lock

	window, beat time.Duration // see Options; 0 is off

	mu      sync.Mutex
	buf     []byte
	pooled  *[]byte // where buf comes from
	timer   *time.Timer
	waiting bool // the timer will flush
	opening bool // only for what opens a message: the next event need not wait
	written bool // something was written that has not been flushed
	ended   bool // a terminal event has been sent
	closed  bool
	err     error     // of the first write that failed
	last    time.Time // the last flush

	limit deadline
}

// init sets a zero stream up. It writes nothing and needs no close.
func (s *stream) init(w http.ResponseWriter, o *Options, failed func(error)) {
	s.w, s.rc, s.failed = w, http.NewResponseController(w), failed
	s.window, s.beat = o.FlushWindow, o.Heartbeat
	s.limit.patience = o.WriteTimeout
}

// open starts the stream, which close ends.
func (s *stream) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
	s.rearm()
	s.last = s.last.Add(-s.window) // the first event goes at once
}

// send appends an event. An error says that the event cannot be written, and
// that nothing of it has been. What fails on the way to the client is told to
// failed, and later events are dropped.
func (s *stream) send(e agui.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.closed {
		return nil
	}
	if err := s.add(e); err != nil {
		return err
	}
	if s.waiting && !s.opening {
		if len(s.buf) >= flushSize {
			s.write(time.Now(), s.buf)
			s.release()
		}
		return nil
	}
	now := time.Now()
	wait := s.window - now.Sub(s.last)
	s.opening = wait <= 0 && opens(e)
	if s.opening {
		wait = s.window
	}
	switch {
	case wait <= 0 || len(s.buf) >= flushSize:
		s.flush(now)
	case !s.waiting:
		s.waiting = true
		s.alarm(wait)
	}
	return nil
}

// add appends an event to what is pending. The lock is held.
func (s *stream) add(e agui.Event) error {
	if s.pooled == nil {
		s.pooled = buffers.Get().(*[]byte)
		s.buf = (*s.pooled)[:0]
	}
	buf, err := agui.AppendFrame(s.buf, e)
	if err != nil {
		if len(s.buf) == 0 {
			s.release()
		}
		return err
	}
	s.buf = buf
	switch e.(type) {
	case *agui.RunFinished, *agui.RunError:
		s.ended = true
	}
	return nil
}

// opens reports whether an event opens a message, of which it shows nothing.
func opens(e agui.Event) bool {
	switch e.(type) {
	case *agui.TextMessageStart, *agui.ReasoningStart, *agui.ReasoningMessageStart:
		return true
	}
	return false
}

// alarm sets the timer. The lock is held.
func (s *stream) alarm(d time.Duration) {
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.tick)
	} else {
		s.timer.Reset(d)
	}
}

// tick is the timer's: it flushes what waits, or beats when all is silent.
func (s *stream) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.err != nil {
		return
	}
	s.waiting = false
	now := time.Now()
	switch {
	case len(s.buf) > 0 || s.written:
		s.flush(now)
	case s.beat > 0 && now.Sub(s.last) >= s.beat:
		s.write(now, heartbeat)
		s.push()
	}
	if s.err == nil {
		s.rearm()
	}
}

// rearm sets the timer for the next heartbeat. The lock is held.
func (s *stream) rearm() {
	switch {
	case s.beat > 0:
		s.alarm(max(s.beat-time.Since(s.last), 0))
	case s.timer != nil:
		s.timer.Stop()
	}
}

// close flushes what is pending and stops the timer. Nothing is written after
// it. It returns the error of the first write that failed.
func (s *stream) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed && s.err == nil {
		s.limit.extend(s.rc, time.Now()) // cut long ago: the server still has the end of the body to write
	}
	s.shut()
	s.limit.end()
	return s.err
}

// shut does so under the lock.
func (s *stream) shut() {
	if s.closed {
		return
	}
	s.flush(time.Now())
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// cut closes the stream with a terminal event, unless it has had one, while
// somebody else may be about to send: what they send is dropped then. It
// reports whether the event was the last.
func (s *stream) cut(e *agui.RunError) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.closed || s.err != nil || s.add(e) != nil {
		return false
	}
	s.shut()
	return s.err == nil
}

// failure returns the error of the first write that failed.
func (s *stream) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// flush writes what is pending. The lock is held.
func (s *stream) flush(now time.Time) {
	if len(s.buf) > 0 {
		s.write(now, s.buf)
	}
	s.push()
	s.release()
	if s.waiting {
		s.waiting = false
		s.rearm()
	}
}

// release gives the buffer back. The lock is held.
func (s *stream) release() {
	if s.pooled == nil {
		return
	}
	if cap(s.buf) <= pooledSize {
		*s.pooled = s.buf[:0]
		buffers.Put(s.pooled)
	}
	s.buf, s.pooled = nil, nil
}

// write hands bytes to the server. The lock is held.
func (s *stream) write(now time.Time, b []byte) {
	s.safely(func() error {
		for rest := b; len(rest) > 0; {
			s.limit.extend(s.rc, now)
			n := min(len(rest), pieceSize)
			if _, err := s.w.Write(rest[:n]); err != nil {
				return err
			}
			s.written = true
			if rest = rest[n:]; len(rest) > 0 {
				now = time.Now()
			}
		}
		return nil
	})
}

// push flushes what has been written. The lock is held.
func (s *stream) push() {
	if !s.written {
		return
	}
	s.written = false
	s.safely(s.rc.Flush)
	s.limit.rest(s.rc)
	s.last = time.Now()
}

// safely calls f unless something has failed before. A panic in a writer's
// wrapper counts as an error: the timer's goroutine has nobody to recover it.
func (s *stream) safely(f func() error) {
	if s.err != nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			s.fail(fmt.Errorf("in the response writer: %w", &chat.PanicError{Value: v, Stack: debug.Stack()}))
		}
	}()
	if err := f(); err != nil {
		s.fail(err)
	}
}

// fail keeps the first error and tells it. The lock is held.
func (s *stream) fail(err error) {
	if s.err == nil {
		s.err = err
		s.failed(err)
	}
}

// hurry lessens the patience with the client to d. Unlike the other methods it
// does not wait for a write that blocks.
func (s *stream) hurry(d time.Duration) { s.limit.shorten(s.rc, d) }
