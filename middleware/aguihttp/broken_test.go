package aguihttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// faulty is a middleware's writer that fails at its nth write.
type faulty struct {
	http.ResponseWriter
	left int
	fail func() error
}

func (f *faulty) Unwrap() http.ResponseWriter { return f.ResponseWriter }

func (f *faulty) Write(b []byte) (int, error) {
	if f.left--; f.left == 0 {
		return 0, f.fail()
	}
	return f.ResponseWriter.Write(b)
}

// shared is a buffer that a server logs into.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A stream that a middleware's writer has lost a part of does not end well: a
// client takes a stream that does for a whole one.
func TestAWriterThatFails(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("the quota is used up") },
		"panic": func() error { panic("the quota is used up") },
		"abort": func() error { panic(http.ErrAbortHandler) },
	} {
		for proto, c := range map[string]*http.Client{"HTTP/1.1": http1(t), "h2c": h2c(t)} {
			for at := 1; at <= 3; at++ {
				t.Run(name+"/"+proto+"/"+string(rune('0'+at)), func(t *testing.T) {
					var lines shared
					var told errorsOf
					h := aguihttp.Handler(script(nil, text("a"), text("b"), stop), &aguihttp.Options{
						Logger: slog.New(slog.NewTextHandler(&lines, nil)), FlushWindow: -1, OnError: told.add,
					})
					s := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						h.ServeHTTP(&faulty{w, at, fail}, r)
					}), nil)
					req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(hello))
					if err != nil {
						t.Fatal(err)
					}
					req.Header.Set("Content-Type", "application/json")
					res, err := c.Do(req)
					if err == nil {
						var b []byte
						b, err = io.ReadAll(res.Body)
						_ = res.Body.Close()
						if bytes.Contains(b, []byte("RUN_FINISHED")) {
							t.Errorf("finished: %s", b)
						}
					}
					if err == nil {
						t.Error("the stream ended well")
					}
					s.Close() // joins the handler
					why := "the quota is used up"
					if name == "abort" {
						why = http.ErrAbortHandler.Error()
					}
					if log := lines.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, why) ||
						!strings.Contains(log, "run=r") || strings.Contains(log, "stack=") == (name == "error") {
						t.Errorf("the log says %s", log)
					}
					if !strings.Contains(told.String(), why) {
						t.Errorf("OnError was told %s", &told)
					}
				})
			}
		}
	}
}

// A client that takes nothing is told apart from one that left.
func TestAStuckClientIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for ctx.Err() == nil && yield(text(strings.Repeat("x", 1000)), nil) {
				}
			}
		})
		var lines shared
		told := make(chan error, 1)
		runs := &aguihttp.Runs{}
		dial := pipeServer(t, aguihttp.Handler(client, &aguihttp.Options{
			Logger: slog.New(slog.NewTextHandler(&lines, nil)), Runs: runs, WriteTimeout: 7 * time.Second,
			OnError: func(_ context.Context, err error) { told <- err },
		}), nil)
		conn := dial()
		defer conn.Close()
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: pipe\r\nContent-Type: application/json\r\nContent-Length: "+length(hello)+"\r\n\r\n"+hello); err != nil {
			t.Fatal(err)
		}
		if err := <-told; !errors.Is(err, os.ErrDeadlineExceeded) || !errors.Is(err, context.Canceled) {
			t.Errorf("OnError was told %v", err)
		}
		if err := runs.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if !strings.Contains(lines.String(), `level=INFO msg="run ended"`) || !strings.Contains(lines.String(), "timeout") {
			t.Errorf("the log says %s", &lines)
		}
	})
}

// A refusal arrives, also when the server's WriteTimeout has passed before the
// body was there.
func TestRefusalAfterTheWriteTimeout(t *testing.T) {
	for _, proto := range []string{"HTTP/1.1", "h2c"} {
		t.Run(proto, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := pipeServer(t, aguihttp.Handler(never(t), options(nil)), func(s *http.Server) { s.WriteTimeout = 2 * time.Second })
				body, w := io.Pipe()
				go func() {
					time.Sleep(3 * time.Second)
					_, _ = io.WriteString(w, `{"threadId":5`)
					_ = w.Close()
				}()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://pipe", body)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				res, err := pipeClient(t, dial, proto).Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if r := refusal(t, res); res.StatusCode != http.StatusBadRequest || r.Code != "INVALID_INPUT" {
					t.Errorf("got %d, %+v", res.StatusCode, r)
				}
			})
		})
	}
}

// hooked is a writer whose header cannot be written, as that of a middleware's
// hook that panics.
type hooked struct{ http.ResponseWriter }

func (h hooked) WriteHeader(int)             { panic("no session store") }
func (h hooked) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// A panic of a hook at the header passes, as it does on other routes: nothing
// of a stream has been written, and no model was asked.
func TestAHookThatPanics(t *testing.T) {
	runs := &aguihttp.Runs{}
	h := aguihttp.Handler(never(t), options(&aguihttp.Options{Runs: runs}))
	passed := make(chan any, 1)
	s := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			passed <- recover()
			http.Error(w, "later", http.StatusInternalServerError)
		}()
		h.ServeHTTP(hooked{w}, r)
	}), nil)
	res := post(t, http1(t), s.URL, hello)
	if v := <-passed; v != "no session store" || res.StatusCode != http.StatusInternalServerError || runs.Active() != 0 {
		t.Errorf("passed %v, status %d, %d runs", v, res.StatusCode, runs.Active())
	}
}

// A log that panics changes nothing for the client, and hides nothing from the
// hook.
func TestALogThatPanics(t *testing.T) {
	o := func(o aguihttp.Options) *aguihttp.Options {
		o.Logger = slog.New(panicking{})
		return &o
	}
	s := serveHandler(t, aguihttp.Handler(script(nil, text("a"), stop), o(aguihttp.Options{})), nil)
	if e := last(t, events(t, post(t, http1(t), s.URL, hello).Body)); e.Type != "RUN_FINISHED" {
		t.Errorf("got %+v", e)
	}
	if res := post(t, http1(t), s.URL, "no JSON"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("a refusal became %d", res.StatusCode)
	}
	var told errorsOf
	unwritable := &chat.Update{Events: []agui.Event{&agui.Custom{Name: "c", Value: json.RawMessage("{")}}}
	s = serveHandler(t, aguihttp.Handler(script(nil, unwritable), o(aguihttp.Options{OnError: told.add})), nil)
	if e := last(t, events(t, post(t, http1(t), s.URL, hello).Body)); e.Code != chat.CodeSerialization || told.String() == "" {
		t.Errorf("got %+v, and OnError was told %q", e, &told)
	}
}

// A detached run whose client has left ends as another: there is nobody to
// break off.
func TestDetachedAndGone(t *testing.T) {
	release, passed, began := make(chan struct{}), make(chan any, 1), make(chan context.Context, 1)
	client := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			<-release
			for range 100 {
				if !yield(text(strings.Repeat("x", 100_000)), nil) {
					return
				}
			}
			yield(stop, nil)
		}
	})
	h := aguihttp.Handler(client, options(&aguihttp.Options{Detach: true}))
	s := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { passed <- recover() }()
		began <- r.Context()
		h.ServeHTTP(w, r)
	}), nil)
	res := post(t, http1(t), s.URL, hello)
	_ = res.Body.Close()
	<-(<-began).Done() // the server has noticed
	close(release)
	if v := <-passed; v != nil {
		t.Errorf("panic %v", v)
	}
}

type panicking struct{ slog.Handler }

func (panicking) Enabled(context.Context, slog.Level) bool  { return true }
func (panicking) Handle(context.Context, slog.Record) error { panic("the disk is full") }

// flushOnly hides what the server's writer can beyond Flush.
type flushOnly struct {
	http.ResponseWriter
	flush func()
}

func (f flushOnly) Flush() { f.flush() }

// Where a server's limit will cut runs, the log says why, once.
func TestAWriterThatHidesDeadlines(t *testing.T) {
	for name, c := range map[string]struct {
		limit time.Duration
		want  int
	}{"limited": {time.Minute, 1}, "unlimited": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			var lines shared
			h := aguihttp.Handler(script(nil, text("a"), stop), &aguihttp.Options{Logger: slog.New(slog.NewTextHandler(&lines, nil))})
			s := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(flushOnly{w, w.(http.Flusher).Flush}, r)
			}), func(s *http.Server) { s.WriteTimeout = c.limit })
			for range 2 {
				if e := last(t, events(t, post(t, http1(t), s.URL, hello).Body)); e.Type != "RUN_FINISHED" {
					t.Errorf("got %+v", e)
				}
			}
			if n := strings.Count(lines.String(), "WriteTimeout will cut runs"); n != c.want {
				t.Errorf("said %d times, want %d: %s", n, c.want, &lines)
			}
		})
	}
}
