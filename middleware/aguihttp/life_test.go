package aguihttp_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// The client goes: the run's context ends, and the chain is joined.
func TestClientGone(t *testing.T) {
	for name, client := range map[string]*http.Client{"HTTP/1.1": http1(t), "h2c": h2c(t)} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 1)
			runs := &aguihttp.Runs{}
			s := serve(t, until(ended, "a"), &aguihttp.Options{Runs: runs})
			res := post(t, client, s.URL, hello)
			for e := range frames(t, res.Body) {
				if e.Type == "TEXT_MESSAGE_CONTENT" {
					break
				}
			}
			if runs.Active() != 1 {
				t.Errorf("%d runs", runs.Active())
			}
			_ = res.Body.Close()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("cause %v", err)
			}
			if err := runs.Shutdown(t.Context()); err != nil || runs.Active() != 0 {
				t.Errorf("%v, %d runs", err, runs.Active())
			}
		})
	}
}

// The client goes before the model has said a word: only the header and
// RUN_STARTED have been flushed.
func TestClientGoneEarly(t *testing.T) {
	ended := make(chan error, 1)
	s := serve(t, until(ended, ""), nil)
	res := post(t, http1(t), s.URL, hello)
	for range frames(t, res.Body) {
		break
	}
	_ = res.Body.Close()
	<-ended
}

func TestDetach(t *testing.T) {
	type key struct{}
	go1, finished := make(chan struct{}), make(chan error, 1)
	client := chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			yield(text("a"), nil)
			<-go1
			for range 1000 { // more than any buffer on the way holds
				if !yield(text(strings.Repeat("b", 1000)), nil) {
					finished <- errors.New("the run was stopped")
					return
				}
			}
			if r, ok := aguihttp.RequestFrom(ctx); !ok || r.Context().Err() != nil || r.Context().Value(key{}) != "v" {
				finished <- errors.New("the request in the context has ended with the client")
				return
			}
			if ctx.Value(key{}) != "v" {
				finished <- errors.New("the request's values are gone")
				return
			}
			finished <- ctx.Err()
			yield(stop, nil)
		}
	})
	runs := &aguihttp.Runs{}
	h := aguihttp.Handler(client, options(&aguihttp.Options{Detach: true, Runs: runs}))
	gone := make(chan struct{})
	s := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), sync.OnceFunc(func() { close(gone) }))
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, "v")))
	}), nil)
	res := post(t, http1(t), s.URL, hello)
	for e := range frames(t, res.Body) {
		if e.Type == "TEXT_MESSAGE_CONTENT" {
			break
		}
	}
	_ = res.Body.Close()
	<-gone
	close(go1)
	if err := <-finished; err != nil {
		t.Error(err)
	}
	if err := runs.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// A detached run still ends at shutdown.
func TestDetachShutdown(t *testing.T) {
	ended := make(chan error, 1)
	runs := &aguihttp.Runs{}
	s := serve(t, until(ended, "a"), &aguihttp.Options{Detach: true, Runs: runs})
	res := post(t, http1(t), s.URL, hello)
	for range frames(t, res.Body) {
		break
	}
	_ = res.Body.Close()
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := runs.Shutdown(now); err != nil {
		t.Error(err)
	}
	var e *chat.Error
	if err := <-ended; !errors.As(err, &e) || e.Code != chat.CodeShutdown {
		t.Errorf("cause %v", err)
	}
}

func TestMaxRunTime(t *testing.T) {
	ended := make(chan error, 1)
	s := serve(t, until(ended, "a"), &aguihttp.Options{MaxRunTime: time.Millisecond})
	e := last(t, events(t, post(t, http1(t), s.URL, hello).Body))
	if e.Type != "RUN_ERROR" || e.Code != "TIMEOUT" {
		t.Errorf("got %+v", e)
	}
}

// A deadline of a middleware in front, Echo's ContextTimeout for one, ends a
// detached run too.
func TestRequestDeadline(t *testing.T) {
	for _, detach := range []bool{false, true} {
		ended := make(chan error, 1)
		h := aguihttp.Handler(until(ended, "a"), options(&aguihttp.Options{Detach: detach}))
		s := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
			defer cancel()
			h.ServeHTTP(w, r.WithContext(ctx))
		}), nil)
		e := last(t, events(t, post(t, http1(t), s.URL, hello).Body))
		if e.Type != "RUN_ERROR" || e.Code != "TIMEOUT" {
			t.Errorf("detached %t: got %+v", detach, e)
		}
	}
}

func TestMaxRuns(t *testing.T) {
	ended := make(chan error, 2)
	runs := &aguihttp.Runs{Max: 1}
	// Two agents share the limit.
	a := serve(t, until(ended, "a"), &aguihttp.Options{Runs: runs})
	b := serve(t, until(ended, "b"), &aguihttp.Options{Runs: runs})
	c := http1(t)
	first := post(t, c, a.URL, hello)
	for range frames(t, first.Body) {
		break
	}
	res := post(t, c, b.URL, hello)
	if r := refusal(t, res); res.StatusCode != 503 || r.Code != "BUSY" || res.Header.Get("Retry-After") == "" {
		t.Errorf("%s, Retry-After %q, %+v", res.Status, res.Header.Get("Retry-After"), r)
	}
	_ = first.Body.Close()
	<-ended
	for res.StatusCode == 503 { // until the server has seen the first one off
		res = post(t, c, b.URL, hello)
	}
	if res.StatusCode != 200 {
		t.Errorf("then %s", res.Status)
	}
	_ = res.Body.Close()
	<-ended
}

// Shutdown lets a run end, refuses new ones, and returns.
func TestShutdownGrace(t *testing.T) {
	finish := make(chan struct{})
	client := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			yield(text("a"), nil)
			<-finish
			yield(stop, nil)
		}
	})
	runs := &aguihttp.Runs{}
	s := serve(t, client, &aguihttp.Options{Runs: runs})
	res := post(t, http1(t), s.URL, hello)
	down := make(chan error)
	go func() { down <- runs.Shutdown(t.Context()) }()
	for {
		refused := post(t, http1(t), s.URL, hello)
		if refused.StatusCode == 200 { // not yet shutting down
			_ = refused.Body.Close()
			continue
		}
		if r := refusal(t, refused); refused.StatusCode != 503 || r.Code != "SHUTDOWN" || refused.Header.Get("Retry-After") == "" {
			t.Errorf("%s, %+v", refused.Status, r)
		}
		break
	}
	close(finish)
	if e := last(t, events(t, res.Body)); e.Type != "RUN_FINISHED" {
		t.Errorf("got %+v", e)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
}

// The grace is over: every run gets RUN_ERROR, over a connection that is open.
func TestShutdownForced(t *testing.T) {
	ended := make(chan error, 4)
	runs := &aguihttp.Runs{}
	s := serve(t, until(ended, "a"), &aguihttp.Options{Runs: runs})
	var streams []*http.Response
	for _, c := range []*http.Client{http1(t), h2c(t), http1(t), h2c(t)} {
		streams = append(streams, post(t, c, s.URL, hello))
	}
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := runs.Shutdown(now); err != nil {
		t.Error(err)
	}
	for _, res := range streams {
		if e := last(t, events(t, res.Body)); e.Type != "RUN_ERROR" || e.Code != "SHUTDOWN" {
			t.Errorf("got %+v", e)
		}
	}
	if err := runs.Shutdown(now); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

// 200 runs whose clients leave: the goroutines are back at the base line.
func TestAbortedRunsLeaveNothing(t *testing.T) {
	const n = 200
	ended := make(chan error, n)
	runs := &aguihttp.Runs{}
	s := serve(t, until(ended, "a"), &aguihttp.Options{Runs: runs})
	base := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for i := range n {
		c := http1(t)
		if i%2 == 0 {
			c = h2c(t)
		}
		wg.Go(func() {
			defer c.CloseIdleConnections()
			req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL, strings.NewReader(hello))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			res, err := c.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			for range frames(t, res.Body) {
				break
			}
			_ = res.Body.Close()
		})
	}
	wg.Wait()
	for range n {
		<-ended
	}
	if err := runs.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	for runtime.NumGoroutine() > base { // the server's and the clients' own take a moment
		runtime.Gosched()
	}
}

// Heartbeats all the time, while large events are written.
func TestHeartbeatsBetweenEvents(t *testing.T) {
	var updates []*chat.Update
	for range 50 {
		updates = append(updates, text(strings.Repeat("x", 100<<10)))
	}
	s := serve(t, script(nil, append(updates, stop)...), &aguihttp.Options{Heartbeat: time.Microsecond, FlushWindow: time.Microsecond})
	for name, c := range map[string]*http.Client{"HTTP/1.1": http1(t), "h2c": h2c(t)} {
		t.Run(name, func(t *testing.T) {
			all := events(t, post(t, c, s.URL, hello).Body)
			if e := last(t, all); e.Type != "RUN_FINISHED" || len(all) != 54 {
				t.Errorf("%d events, the last is %+v", len(all), e)
			}
		})
	}
}

func TestRequestFrom(t *testing.T) {
	type key struct{}
	var tenant, agent string
	var value any
	client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		r, ok := aguihttp.RequestFrom(ctx)
		if ok {
			tenant, agent, value = r.PathValue("tenant"), r.Header.Get("X-Agent"), ctx.Value(key{})
		}
		return script(nil, text("ok"), stop).Stream(ctx, req)
	})
	mux := http.NewServeMux()
	h := aguihttp.Handler(client, options(nil))
	mux.HandleFunc("POST /{tenant}/agent", func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 7)))
	})
	s := serveHandler(t, mux, nil)
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/acme/agent", strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Agent", "chef")
	res, err := http1(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	last(t, events(t, res.Body))
	if tenant != "acme" || agent != "chef" || value != 7 {
		t.Errorf("got %q, %q, %v", tenant, agent, value)
	}
	if _, ok := aguihttp.RequestFrom(t.Context()); ok {
		t.Error("a request out of nothing")
	}
}
