// p6: a sketch of the optimal design, to see how near to p4 one gets on Echo v4.
// Events are appended by hand to a buffer of the run.
// -mode flush: a flush per event, by the emitter. -mode coalesce: a writer goroutine
// takes what has been appended since its last flush (the emitter waits at 32 KB).
// -mode adaptive: no goroutine; an event after a pause is flushed at once by the emitter,
// events within -window of the last flush wait for a timer, 16 KB, or the run's end.
// -state track: the emitter names what changed. -state diff: the whole document is
// encoded and compared with the one before.
package main

import (
	"encoding/json"
	"flag"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/internal/bench/peers/enc"
	"github.com/aguistate/aguistate/internal/bench/peers/peer"
	"github.com/aguistate/aguistate/internal/bench/script"
)

var (
	mode   = flag.String("mode", "flush", "flush, coalesce or adaptive")
	window = flag.Duration("window", 2*time.Millisecond, "adaptive: least time between two flushes")
	state  = flag.String("state", "track", "track or diff")
)

type input struct {
	ThreadID       string            `json:"threadId"`
	RunID          string            `json:"runId"`
	State          json.RawMessage   `json:"state"`
	Messages       []json.RawMessage `json:"messages"`
	Tools          []json.RawMessage `json:"tools"`
	Context        []json.RawMessage `json:"context"`
	ForwardedProps json.RawMessage   `json:"forwardedProps"`
}

type stream struct {
	w   http.ResponseWriter
	f   *http.ResponseController
	err error
	buf []byte // flush mode: the event; coalesce: what is pending

	mu   sync.Mutex
	room sync.Cond
	more sync.Cond
	idle bool
	end  bool
	done chan struct{}
	prev []byte
	cur  []byte

	adapt bool
	last  time.Time // of the last flush
	timer *time.Timer
	armed bool
}

const high = 32 << 10

var pool = sync.Pool{New: func() any { return new([]byte) }}

// push writes and flushes what is pending; s.mu is held.
func (s *stream) push() {
	if len(s.buf) == 0 || s.err != nil {
		return
	}
	if _, s.err = s.w.Write(s.buf); s.err == nil {
		s.err = s.f.Flush()
	}
	s.buf = s.buf[:0]
	s.last = time.Now()
}

func (s *stream) late() {
	s.mu.Lock()
	s.armed = false
	if !s.end {
		s.push()
	}
	s.mu.Unlock()
}

func (s *stream) emitAdaptive(f func(b []byte) []byte) error {
	s.mu.Lock()
	s.buf = f(s.buf)
	switch {
	case len(s.buf) >= 16<<10:
		s.push()
	case s.armed:
	default:
		if wait := *window - time.Since(s.last); wait <= 0 {
			s.push()
		} else {
			s.armed = true
			if s.timer == nil {
				s.timer = time.AfterFunc(wait, s.late)
			} else {
				s.timer.Reset(wait)
			}
		}
	}
	err := s.err
	s.mu.Unlock()
	return err
}

func (s *stream) begin() {
	s.adapt = *mode == "adaptive"
	if *mode == "coalesce" {
		s.room.L, s.more.L = &s.mu, &s.mu
		s.done = make(chan struct{})
		go s.loop()
	}
}

func (s *stream) loop() {
	p := pool.Get().(*[]byte)
	out := *p
	s.mu.Lock()
	for {
		for len(s.buf) == 0 && !s.end && s.err == nil {
			s.idle = true
			s.more.Wait()
			s.idle = false
		}
		if len(s.buf) == 0 || s.err != nil {
			break
		}
		out, s.buf = s.buf, out[:0]
		s.room.Signal()
		s.mu.Unlock()
		_, err := s.w.Write(out)
		if err == nil {
			err = s.f.Flush()
		}
		s.mu.Lock()
		if err != nil {
			s.err = err
			s.room.Signal()
		}
	}
	s.mu.Unlock()
	*p = out[:0]
	pool.Put(p)
	close(s.done)
}

// emit appends one event by f and sends it.
func (s *stream) emit(f func(b []byte) []byte) error {
	if s.adapt {
		return s.emitAdaptive(f)
	}
	if s.done == nil {
		s.buf = f(s.buf[:0])
		if _, err := s.w.Write(s.buf); err != nil {
			return err
		}
		return s.f.Flush()
	}
	s.mu.Lock()
	for len(s.buf) > high && s.err == nil {
		s.room.Wait()
	}
	s.buf = f(s.buf)
	if s.idle {
		s.more.Signal()
	}
	err := s.err
	s.mu.Unlock()
	return err
}

func (s *stream) finish() {
	if s.adapt {
		s.mu.Lock()
		s.push()
		s.end = true
		if s.timer != nil {
			s.timer.Stop()
		}
		s.mu.Unlock()
	}
	if s.done != nil {
		s.mu.Lock()
		s.end = true
		s.more.Signal()
		s.mu.Unlock()
		<-s.done
	}
}

func handler(play func(s *stream, c echo.Context, in *input) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		var in input
		if err := json.NewDecoder(c.Request().Body).Decode(&in); err != nil {
			return echo.NewHTTPError(http.StatusBadRequest, "invalid request body")
		}
		h := c.Response().Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		c.Response().WriteHeader(http.StatusOK)
		bp := pool.Get().(*[]byte)
		s := &stream{w: c.Response().Writer, f: http.NewResponseController(c.Response().Writer), buf: (*bp)[:0]}
		s.begin()
		err := s.emit(func(b []byte) []byte { return enc.Event(b, "RUN_STARTED", "threadId", in.ThreadID, "runId", in.RunID) })
		if err == nil {
			err = play(s, c, &in)
		}
		if err == nil {
			err = s.emit(func(b []byte) []byte { return enc.Event(b, "RUN_FINISHED", "threadId", in.ThreadID, "runId", in.RunID) })
		}
		s.finish()
		*bp = s.buf[:0]
		pool.Put(bp)
		return err
	}
}

func w1(s *stream, c echo.Context, in *input) error {
	id := uuid.NewString()
	pre := enc.TextPrefix(id)
	s.emit(func(b []byte) []byte { return enc.Event(b, "TEXT_MESSAGE_START", "messageId", id, "role", "assistant") })
	for _, d := range peer.Script.W1.Deltas {
		if err := s.emit(func(b []byte) []byte { return enc.Text(b, pre, d) }); err != nil {
			return err
		}
	}
	return s.emit(func(b []byte) []byte { return enc.Event(b, "TEXT_MESSAGE_END", "messageId", id) })
}

func w2(s *stream, c echo.Context, in *input) error {
	var st script.State
	if err := json.Unmarshal(in.State, &st); err != nil {
		return err
	}
	s.cur = enc.State(s.cur[:0], &st)
	s.emit(func(b []byte) []byte {
		return append(append(append(b, enc.SnapOpen...), s.cur...), enc.SnapClose...)
	})
	id := uuid.NewString()
	pre := enc.TextPrefix(id)
	s.emit(func(b []byte) []byte { return enc.Event(b, "TEXT_MESSAGE_START", "messageId", id, "role", "assistant") })
	for i := range peer.Script.W2.Steps {
		step := &peer.Script.W2.Steps[i]
		var err error
		switch {
		case step.Pub == nil:
			err = s.emit(func(b []byte) []byte { return enc.Text(b, pre, step.Text) })
		case *state == "track":
			step.Pub.Apply(&st)
			err = s.emit(func(b []byte) []byte {
				return append(enc.Op(append(b, enc.DeltaOpen...), step.Pub.Op, step.Pub.Path, step.Pub.Value), enc.DeltaClose...)
			})
		default:
			step.Pub.Apply(&st)
			s.prev, s.cur = s.cur, s.prev
			s.cur = enc.State(s.cur[:0], &st)
			err = s.emit(func(b []byte) []byte {
				return append(enc.Diff(append(b, enc.DeltaOpen...), s.prev, s.cur), enc.DeltaClose...)
			})
		}
		if err != nil {
			return err
		}
	}
	return s.emit(func(b []byte) []byte { return enc.Event(b, "TEXT_MESSAGE_END", "messageId", id) })
}

func w3(s *stream, c echo.Context, in *input) error {
	id := uuid.NewString()
	pre := enc.TextPrefix(id)
	s.emit(func(b []byte) []byte { return enc.Event(b, "TEXT_MESSAGE_START", "messageId", id, "role", "assistant") })
	in.Messages, in.State = nil, nil
	return peer.Ticks(c.Request().Context(), func(d string) error {
		return s.emit(func(b []byte) []byte { return enc.Text(b, pre, d) })
	})
}

func main() {
	peer.Init()
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.POST("/w1", handler(w1))
	e.POST("/w2", handler(w2))
	e.POST("/w3", handler(w3))
	e.Listener = peer.Listen()
	e.Logger.Fatal(e.Start(""))
}
