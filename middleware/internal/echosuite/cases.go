package echosuite

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

func (f Face) harmless(t *testing.T) {
	for _, name := range f.Harmless {
		s := f.serve(t, Agent{Client: says("ok"), Use: []string{name}})
		for proto, c := range clients(t) {
			t.Run(name+" "+proto, func(t *testing.T) { f.whole(t, c, s.URL) })
		}
	}
}

func (f Face) all(t *testing.T) {
	s := f.serve(t, Agent{Client: says("ok"), Use: f.Harmless})
	for proto, c := range clients(t) {
		t.Run(proto, func(t *testing.T) { f.whole(t, c, s.URL) })
	}
}

func (f Face) whole(t *testing.T, c *http.Client, url string) {
	res := f.post(t, c, url+"/agent", strings.NewReader(input))
	if ct := res.Header.Get("Content-Type"); res.StatusCode != 200 || ct != "text/event-stream" {
		t.Errorf("%s, %s", res.Status, ct)
	}
	if got := story(t, res.Body); got != wholeStory {
		t.Errorf("got  %s\nwant %s", got, wholeStory)
	}
}

// Compressed, each event still arrives before the next one is made.
func (f Face) gzip(t *testing.T) {
	release := make(chan struct{})
	client := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for range 3 {
				<-release
				yield(&chat.Update{Text: "ok"}, nil)
			}
			<-release
			yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
		}
	})
	for proto, c := range clients(t) {
		t.Run(proto, func(t *testing.T) {
			s := f.serve(t, Agent{Client: client, Use: []string{"gzip"}})
			res := f.post(t, c, s.URL+"/agent", strings.NewReader(input), "Accept-Encoding", "gzip")
			if e := res.Header.Get("Content-Encoding"); e != "gzip" {
				t.Fatalf("Content-Encoding is %q", e)
			}
			r, err := gzip.NewReader(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if e, _ := frame(t, r); e["type"] != "RUN_STARTED" {
				t.Errorf("got %v", e)
			}
			for range 3 {
				release <- struct{}{}
				for e, ok := frame(t, r); ok && e["type"] != "TEXT_MESSAGE_CONTENT"; e, ok = frame(t, r) {
				}
			}
			release <- struct{}{}
			if got := story(t, r); got != "TEXT_MESSAGE_END RUN_FINISHED" {
				t.Errorf("got %s", got)
			}
		})
	}
}

func (f Face) limit(t *testing.T) {
	s := f.serve(t, Agent{Client: says("ok"), Use: []string{"limit"}})
	big := strings.Replace(input, "Hi", strings.Repeat("x", 2000), 1)
	for proto, c := range clients(t) {
		t.Run(proto, func(t *testing.T) {
			if res := f.post(t, c, s.URL+"/agent", strings.NewReader(big)); res.StatusCode != 413 {
				t.Errorf("by length: %s", res.Status)
			}
			res := f.post(t, c, s.URL+"/agent", io.MultiReader(strings.NewReader(big)))
			refusal(t, res, 413, "BODY_TOO_LARGE")
		})
	}
}

func (f Face) jwt(t *testing.T) {
	s := f.serve(t, Agent{Client: says("ok"), Use: []string{"jwt"}})
	c := clients(t)["HTTP/1.1"]
	f.whole(t, c, s.URL)
	if res := f.post(t, c, s.URL+"/agent", strings.NewReader(input), "Authorization", "Bearer forged"); res.StatusCode != 401 {
		t.Errorf("a forged token: %s", res.Status)
	}
}

// waits is a client that waits for the end of its context and tells why.
func waits(ended chan<- error) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			yield(nil, ctx.Err())
		}
	})
}

func (f Face) contextTimeout(t *testing.T) {
	ended := make(chan error, 1)
	s := f.serve(t, Agent{Client: waits(ended), Use: []string{"context-timeout"}})
	for proto, c := range clients(t) {
		t.Run(proto, func(t *testing.T) {
			res := f.post(t, c, s.URL+"/agent", strings.NewReader(input))
			if got := story(t, res.Body); res.StatusCode != 200 || got != "RUN_STARTED RUN_ERROR(TIMEOUT)" {
				t.Errorf("got %s, %s", res.Status, got)
			}
			if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("cause %v", err)
			}
		})
	}
}

func (f Face) timeout(t *testing.T) {
	never := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		t.Error("the chain was asked")
		return func(func(*chat.Update, error) bool) {}
	})
	s := f.serve(t, Agent{Client: never, Use: []string{"timeout"}})
	res := f.post(t, clients(t)["HTTP/1.1"], s.URL+"/agent", strings.NewReader(input))
	if m := refusal(t, res, 500, "CANNOT_FLUSH"); !strings.Contains(m, "ContextTimeout") {
		t.Errorf("message %q", m)
	}
}

// A panic and an error are RUN_ERROR, and Echo adds nothing.
func (f Face) failure(t *testing.T) {
	panics := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(func(*chat.Update, error) bool) { panic("secret") }
	})
	fails := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) { yield(nil, errors.New("secret")) }
	})
	for name, client := range map[string]chat.Client{"panic": panics, "error": fails} {
		s := f.serve(t, Agent{Client: client, Use: f.Harmless})
		for proto, c := range clients(t) {
			t.Run(name+" "+proto, func(t *testing.T) {
				res := f.post(t, c, s.URL+"/agent", strings.NewReader(input))
				if got := story(t, res.Body); res.StatusCode != 200 || got != "RUN_STARTED RUN_ERROR(AGENT_ERROR)" {
					t.Errorf("got %s, %s", res.Status, got)
				}
			})
		}
	}
}

func (f Face) clientGone(t *testing.T) {
	ended := make(chan error, 1)
	s := f.serve(t, Agent{Client: waits(ended), Use: f.Harmless})
	for proto, c := range clients(t) {
		t.Run(proto, func(t *testing.T) {
			res := f.post(t, c, s.URL+"/agent", strings.NewReader(input))
			if e, _ := frame(t, res.Body); e["type"] != "RUN_STARTED" {
				t.Errorf("got %v", e)
			}
			_ = res.Body.Close()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("cause %v", err)
			}
		})
	}
}

// Path parameters, headers, Echo's values and the request's own context reach
// the chain.
func (f Face) context(t *testing.T) {
	client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		r, ok := aguihttp.RequestFrom(ctx)
		if !ok {
			return says("no request").Stream(ctx, req)
		}
		plan, ok := f.Get(ctx, "plan")
		_, other := f.Get(ctx, "other")
		return says(fmt.Sprint(r.PathValue("tenant"), r.PathValue("name"), r.PathValue("none"), r.Header.Get("X-Agent"),
			r.URL.Query().Get("q"), plan, ok, other)).Stream(ctx, req)
	})
	s := f.serve(t, Agent{Group: "/t/:tenant", Path: "/agents/:name", Client: client, Use: []string{"values"}})
	res := f.post(t, clients(t)["HTTP/1.1"], s.URL+"/t/acme/agents/chef?q=1", strings.NewReader(input), "X-Agent", "x")
	if got := story(t, res.Body); !strings.Contains(got, "CONTENT(acmechefx1goldtrue false)") {
		t.Errorf("got %s", got)
	}
	if _, ok := f.Get(t.Context(), "plan"); ok {
		t.Error("a value outside a run")
	}
}

// What outlives its run reads nothing of another request, though Echo's
// context has gone to that.
func (f Face) notReused(t *testing.T) {
	var mu sync.Mutex
	var old []context.Context
	client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		mu.Lock()
		defer mu.Unlock()
		plan, ok := f.Get(ctx, "plan")
		if plan != "gold" || !ok {
			t.Errorf("in its run: %q, %v", plan, ok)
		}
		for _, o := range old {
			if v, ok := f.Get(o, "plan"); ok {
				t.Errorf("an old run reads %q", v)
			}
		}
		old = append(old, ctx)
		return says("ok").Stream(ctx, req)
	})
	s := f.serve(t, Agent{Client: client, Use: []string{"values"}})
	c := clients(t)["HTTP/1.1"]
	for range 5 {
		f.whole(t, c, s.URL)
	}
}

// Several agents on one server share what they should.
func (f Face) agents(t *testing.T) {
	ended := make(chan error, 1)
	runs := &aguihttp.Runs{Max: 1}
	s := f.serve(t,
		Agent{Path: "/a", Client: waits(ended), Options: quiet(aguihttp.Options{Runs: runs})},
		Agent{Group: "/v2", Path: "/b", Client: says("ok"), Options: quiet(aguihttp.Options{Runs: runs})},
		Agent{Path: "/c", Client: says("ok")},
	)
	c := clients(t)["HTTP/1.1"]
	res := f.post(t, c, s.URL+"/a", strings.NewReader(input))
	if e, _ := frame(t, res.Body); e["type"] != "RUN_STARTED" || runs.Active() != 1 {
		t.Errorf("got %v, %d runs", e, runs.Active())
	}
	busy := f.post(t, c, s.URL+"/v2/b", strings.NewReader(input))
	refusal(t, busy, 503, "BUSY")
	if got := story(t, f.post(t, c, s.URL+"/c", strings.NewReader(input)).Body); got != wholeStory {
		t.Errorf("got %s", got)
	}
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := runs.Shutdown(now); err != nil {
		t.Error(err)
	}
	if got := story(t, res.Body); got != "RUN_ERROR(SHUTDOWN)" {
		t.Errorf("got %s", got)
	}
	<-ended
}

func (f Face) capabilities(t *testing.T) {
	caps := &agui.Capabilities{}
	if err := json.Unmarshal([]byte(`{"state":{"snapshots":true,"deltas":true}}`), caps); err != nil {
		t.Fatal(err)
	}
	s := f.serve(t,
		Agent{Group: "/v1", Path: "/agent/", Client: says("ok"), Options: quiet(aguihttp.Options{Capabilities: caps})},
		Agent{Path: "/mute", Client: says("ok")})
	c := clients(t)["HTTP/1.1"]
	get := func(path string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(b)
	}
	res, body := get("/v1/agent/capabilities")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" || body != `{"state":{"snapshots":true,"deltas":true}}` {
		t.Errorf("got %s, %s", res.Status, body)
	}
	if res, _ := get("/mute/capabilities"); res.StatusCode != 404 {
		t.Errorf("undeclared: %s", res.Status)
	}
}

func (f Face) refusals(t *testing.T) {
	s := f.serve(t, Agent{Client: says("ok"), Use: f.Harmless})
	c := clients(t)["HTTP/1.1"]
	refusal(t, f.post(t, c, s.URL+"/agent", strings.NewReader(`{"threadId":7}`)), 400, "INVALID_INPUT")
	refusal(t, f.post(t, c, s.URL+"/agent", strings.NewReader(input), "Content-Type", "text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE")
	refusal(t, f.post(t, c, s.URL+"/agent", strings.NewReader(input), "Accept", "image/png"), 406, "NOT_ACCEPTABLE")
}
