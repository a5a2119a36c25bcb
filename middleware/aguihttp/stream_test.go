package aguihttp

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
)

// recorder is a response writer that keeps what is flushed, and when.
type recorder struct {
	header    http.Header
	start     time.Time
	pending   strings.Builder
	writes    int
	flushed   []string // "12ms abc"
	deadlines []string // "0s 30s": at 0 s, for 30 s
	write     func() error
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, start: time.Now()} }

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}

func (r *recorder) Write(b []byte) (int, error) {
	if r.write != nil {
		if err := r.write(); err != nil {
			return 0, err
		}
	}
	r.writes++
	return r.pending.Write(b)
}

func (r *recorder) FlushError() error {
	s := r.pending.String()
	if n := strings.Count(s, "data: "); n > 0 {
		s = fmt.Sprintf("%d events", n)
	}
	if r.writes > 1 {
		s += fmt.Sprintf(" in %d writes", r.writes)
	}
	r.writes = 0
	r.flushed = append(r.flushed, fmt.Sprintf("%v %s", time.Since(r.start), strings.TrimSpace(s)))
	r.pending.Reset()
	return nil
}

func (r *recorder) SetWriteDeadline(at time.Time) error {
	r.deadlines = append(r.deadlines, fmt.Sprintf("%v %v", time.Since(r.start), time.Until(at)))
	return nil
}

func (r *recorder) check(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(r.flushed, ", "); got != strings.Join(want, ", ") {
		t.Errorf("flushed %s\nwant    %s", got, strings.Join(want, ", "))
	}
}

func delta(n int) agui.Event {
	return &agui.TextMessageContent{MessageID: "m", Delta: strings.Repeat("x", n)}
}

// opened is a stream into a recorder, in a bubble.
func opened(t *testing.T, o *Options) (*stream, *recorder, *error) {
	t.Helper()
	rec, failed := newRecorder(), new(error)
	s := new(stream)
	all := o.withDefaults()
	s.init(rec, &all, func(err error) { *failed = err })
	s.open()
	return s, rec, failed
}

func mustSend(t *testing.T, s *stream, events ...agui.Event) {
	t.Helper()
	for _, e := range events {
		if err := s.send(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFlushing(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		play func(t *testing.T, s *stream)
		want []string
	}{
		{"after a pause at once", Options{}, func(t *testing.T, s *stream) {
			for range 3 {
				mustSend(t, s, delta(1))
				time.Sleep(100 * time.Millisecond)
			}
		}, []string{"0s 1 events", "100ms 1 events", "200ms 1 events"}},
		{"a burst shares a flush", Options{}, func(t *testing.T, s *stream) {
			for range 10 {
				mustSend(t, s, delta(1))
			}
			time.Sleep(100 * time.Millisecond)
		}, []string{"0s 1 events", "1ms 9 events"}},
		{"the window is counted from the last flush", Options{FlushWindow: 2 * time.Millisecond}, func(t *testing.T, s *stream) {
			for range 5 {
				mustSend(t, s, delta(1))
				time.Sleep(1200 * time.Microsecond)
			}
			time.Sleep(time.Second)
		}, []string{"0s 1 events", "2ms 1 events", "4ms 2 events", "6ms 1 events"}},
		{"what opens a message goes with its first piece", Options{}, func(t *testing.T, s *stream) {
			for range 2 {
				mustSend(t, s, &agui.TextMessageStart{MessageID: "m"}, delta(1), delta(1))
				time.Sleep(100 * time.Millisecond)
			}
			mustSend(t, s, &agui.ReasoningStart{MessageID: "r"}, &agui.ReasoningMessageStart{MessageID: "r"})
			time.Sleep(400 * time.Microsecond)
			mustSend(t, s, &agui.ReasoningMessageContent{MessageID: "r", Delta: "x"})
			time.Sleep(16 * time.Second)
		}, []string{"0s 2 events", "1ms 1 events", "100ms 2 events", "101ms 1 events", "200.4ms 3 events", "15.2004s : ping"}},
		{"what opens a message waits a window at most", Options{Heartbeat: -1}, func(t *testing.T, s *stream) {
			mustSend(t, s, &agui.TextMessageStart{MessageID: "m"})
			time.Sleep(100 * time.Millisecond)
			mustSend(t, s, &agui.TextMessageStart{MessageID: "n"}, delta(33<<10))
			time.Sleep(time.Hour)
		}, []string{"1ms 1 events", "100ms 2 events"}},
		{"what opens a message is flushed when every event is", Options{FlushWindow: -1}, func(t *testing.T, s *stream) {
			mustSend(t, s, &agui.TextMessageStart{MessageID: "m"}, delta(1))
		}, []string{"0s 1 events", "0s 1 events"}},
		{"the end flushes", Options{}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1), delta(1), delta(1))
		}, []string{"0s 1 events", "0s 2 events"}},
		{"the size is written, and flushed with the rest", Options{}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1))
			for range 40 {
				mustSend(t, s, delta(1000))
			}
			time.Sleep(time.Second)
		}, []string{"0s 1 events", "1ms 40 events in 2 writes"}},
		{"a large event at once", Options{}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1), delta(1<<20))
			time.Sleep(time.Second)
		}, []string{"0s 1 events", "0s 1 events in 17 writes"}},
		{"a large event after a pause at once", Options{}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1))
			time.Sleep(time.Second)
			mustSend(t, s, delta(1<<20))
		}, []string{"0s 1 events", "1s 1 events in 17 writes"}},
		{"without a window", Options{FlushWindow: -1}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1), delta(1), delta(1))
		}, []string{"0s 1 events", "0s 1 events", "0s 1 events"}},
		{"heartbeats", Options{}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1))
			time.Sleep(40 * time.Second)
		}, []string{"0s 1 events", "15s : ping", "30s : ping"}},
		{"any byte puts a heartbeat off", Options{}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1))
			time.Sleep(10 * time.Second)
			mustSend(t, s, delta(1), delta(1))
			time.Sleep(20 * time.Second)
		}, []string{"0s 1 events", "10s 1 events", "10.001s 1 events", "25.001s : ping"}},
		{"a heartbeat is a flush like any other", Options{Heartbeat: time.Second, FlushWindow: time.Second / 2}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1))
			time.Sleep(1250 * time.Millisecond)
			mustSend(t, s, delta(1))
			time.Sleep(time.Second)
		}, []string{"0s 1 events", "1s : ping", "1.5s 1 events"}},
		{"no heartbeats", Options{Heartbeat: -1}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1), delta(1))
			time.Sleep(time.Hour)
		}, []string{"0s 1 events", "1ms 1 events"}},
		{"silence", Options{}, func(t *testing.T, s *stream) { time.Sleep(16 * time.Second) }, []string{"15s : ping"}},
		{"nothing after the end", Options{}, func(t *testing.T, s *stream) {
			mustSend(t, s, delta(1), delta(1))
			if err := s.close(); err != nil {
				t.Error(err)
			}
			mustSend(t, s, delta(1))
			time.Sleep(time.Minute)
		}, []string{"0s 1 events", "0s 1 events"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, rec, failed := opened(t, &tt.o)
				tt.play(t, s)
				if err := s.close(); err != nil || *failed != nil {
					t.Errorf("closed with %v, failed with %v", err, *failed)
				}
				time.Sleep(time.Minute)
				rec.check(t, tt.want...)
				if s.pooled != nil || s.buf != nil {
					t.Error("a buffer is kept")
				}
			})
		})
	}
}

// An event that cannot be written leaves what is pending as it was.
func TestUnwritableEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, rec, _ := opened(t, &Options{})
		mustSend(t, s, delta(1))
		bad := &agui.StateSnapshot{Snapshot: []byte("{")}
		var ee *agui.EventError
		if err := s.send(bad); !errors.As(err, &ee) {
			t.Errorf("got %v", err)
		}
		if s.pooled != nil {
			t.Error("a buffer is kept for nothing")
		}
		mustSend(t, s, delta(1))
		if err := s.send(bad); !errors.As(err, &ee) {
			t.Errorf("got %v", err)
		}
		_ = s.close()
		rec.check(t, "0s 1 events", "0s 1 events")
	})
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, rec, _ := opened(t, &Options{WriteTimeout: 8 * time.Second, Heartbeat: -1})
		for range 6 { // at 0, 1, … 5 s
			mustSend(t, s, delta(1))
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		mustSend(t, s, delta(1))
		s.hurry(2 * time.Second)
		s.hurry(3 * time.Second)
		time.Sleep(time.Second)
		mustSend(t, s, delta(1))
		_ = s.close()
		const want = "0s 8s, 2s 8s, 4s 8s, 1m6s 8s, 1m6s 2s, 1m7s 2s"
		if got := strings.Join(rec.deadlines, ", "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s, rec, _ := opened(t, &Options{WriteTimeout: -1})
		mustSend(t, s, delta(1))
		if len(rec.deadlines) != 0 {
			t.Errorf("set although off: %s", rec.deadlines)
		}
		s.hurry(time.Second) // a shutdown must not wait for a client that takes nothing
		_ = s.close()
		if got := strings.Join(rec.deadlines, ", "); got != "0s 1s" {
			t.Errorf("deadlines %s", got)
		}
	})
	// On HTTP/2 a deadline that passes breaks a stream that is merely silent.
	synctest.Test(t, func(t *testing.T) {
		s, rec, _ := opened(t, &Options{WriteTimeout: 8 * time.Second, Heartbeat: -1})
		s.limit.alarms = true
		mustSend(t, s, delta(1))
		time.Sleep(time.Minute)
		mustSend(t, s, delta(1))
		_ = s.close()
		if got := strings.Join(rec.deadlines, ", "); !regexp.MustCompile(`^0s 8s, 0s -2\d+h\S+, 1m0s 8s, 1m0s -2\d+h\S+$`).MatchString(got) {
			t.Errorf("deadlines %s", got)
		}
	})
}

// A large event is written in pieces, each with its own time.
// A connection that is another request's by now is left alone.
func TestHurryBehindTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, rec, _ := opened(t, &Options{})
		mustSend(t, s, delta(1))
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		before := len(rec.deadlines)
		s.hurry(time.Second)
		if n := len(rec.deadlines); n != before {
			t.Errorf("deadlines %v", rec.deadlines)
		}
	})
}

func TestPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, rec, _ := opened(t, &Options{WriteTimeout: 8 * time.Second, Heartbeat: -1})
		rec.write = func() error { time.Sleep(6 * time.Second); return nil } // no timer is on yet
		mustSend(t, s, delta(3*pieceSize))
		_ = s.close()
		rec.check(t, "24s 1 events in 4 writes")
		if got := strings.Join(rec.deadlines, ", "); got != "0s 8s, 6s 8s, 12s 8s, 18s 8s" {
			t.Errorf("deadlines %s", got)
		}
	})
}

// Who sends waits while a flush waits for the client, also when the timer
// flushes.
func TestBackpressure(t *testing.T) {
	rec := newRecorder()
	all := (&Options{}).withDefaults()
	s := new(stream)
	s.init(rec, &all, func(err error) { t.Error(err) })
	s.open()
	mustSend(t, s, delta(1))
	writing, release := make(chan struct{}), make(chan struct{})
	released := false
	rec.write = func() error {
		if !released {
			close(writing)
			<-release
			released = true
		}
		return nil
	}
	go func() { <-writing; close(release) }()
	mustSend(t, s, delta(1)) // for the timer
	<-writing
	mustSend(t, s, delta(1))
	if !released {
		t.Error("an event was taken while the client was not ready")
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// late makes the next event wait for the window.
func late(s *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
}

// A failed write, wherever it happens, is told once; nothing is written after
// it.
func TestFailedWrite(t *testing.T) {
	for name, play := range map[string]func(t *testing.T, s *stream){
		"sender": func(t *testing.T, s *stream) { mustSend(t, s, delta(1), delta(1)) },
		"size":   func(t *testing.T, s *stream) { mustSend(t, s, delta(flushSize), delta(1)) },
		"timer": func(t *testing.T, s *stream) {
			late(s)
			mustSend(t, s, delta(1))
			time.Sleep(time.Second)
			mustSend(t, s, delta(1))
		},
		"heartbeat": func(t *testing.T, s *stream) { time.Sleep(time.Minute) },
		"end":       func(t *testing.T, s *stream) { late(s); mustSend(t, s, delta(1)) },
	} {
		for kind, fail := range map[string]func() error{
			"error": func() error { return os.ErrDeadlineExceeded },
			"panic": func() error { panic(os.ErrDeadlineExceeded.Error()) },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, rec, failed := opened(t, &Options{})
					writes := 0
					s.mu.Lock()
					rec.write = func() error { writes++; return fail() }
					s.mu.Unlock()
					play(t, s)
					err := s.close()
					if err == nil || *failed != err || !strings.Contains(err.Error(), os.ErrDeadlineExceeded.Error()) {
						t.Errorf("closed with %v, failed with %v", err, *failed)
					}
					time.Sleep(time.Hour)
					if writes != 1 || len(rec.flushed) != 0 || s.pooled != nil {
						t.Errorf("%d writes, flushed %s", writes, rec.flushed)
					}
				})
			})
		}
	}
}

// A flush that fails counts as a write that failed.
func TestFailedFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failed error
		all := (&Options{}).withDefaults()
		s := new(stream)
		s.init(unflushable{newRecorder()}, &all, func(err error) { failed = err })
		s.open()
		mustSend(t, s, delta(1))
		if err := s.close(); !errors.Is(err, http.ErrNotSupported) || err != failed {
			t.Errorf("closed with %v, failed with %v", err, failed)
		}
	})
}

type unflushable struct{ *recorder }

func (unflushable) FlushError() error { return http.ErrNotSupported }

func TestBufferOfUncommonSizeIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := opened(t, &Options{})
		mustSend(t, s, delta(4*pooledSize))
		_ = s.close()
		b := buffers.Get().(*[]byte)
		if cap(*b) > pooledSize {
			t.Errorf("the pool holds %d bytes", cap(*b))
		}
	})
}

// The hot events reach the buffer without an allocation.
func TestSendAllocatesNothing(t *testing.T) {
	all := (&Options{Heartbeat: -1}).withDefaults()
	s := new(stream)
	s.init(sink{}, &all, func(err error) { t.Error(err) })
	s.open()
	for _, e := range []agui.Event{
		&agui.TextMessageContent{MessageID: "m", Delta: "word"},
		&agui.ToolCallArgs{ToolCallID: "c", Delta: `{"a":1}`},
		&agui.ReasoningMessageContent{MessageID: "m", Delta: "word"},
	} {
		if n := testing.AllocsPerRun(1000, func() { mustSend(t, s, e) }); n != 0 {
			t.Errorf("%s: %v allocations", e.Type(), n)
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}
