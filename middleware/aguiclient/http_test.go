package aguiclient

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

const (
	started  = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n"
	finished = `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n\n"
)

var ask = &agui.RunAgentInput{ThreadID: "t", RunID: "r", Messages: []agui.Message{}}

// answering is a server whose handler has read the body and opened a stream.
func answering(h func(w http.ResponseWriter, r *http.Request, say func(string))) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		h(w, r, func(s string) {
			_, _ = io.WriteString(w, s)
			_ = http.NewResponseController(w).Flush()
		})
	}
}

// types ranges over a transport's answer.
func types(ctx context.Context, t Transport) (string, error) {
	var out []string
	for e, err := range t.Run(ctx, ask) {
		if err != nil {
			return strings.Join(out, " "), err
		}
		out = append(out, string(e.Type()))
	}
	return strings.Join(out, " "), nil
}

// The idle timeout counts silence, not time: comments and a slow consumer are
// no silence, and a run may be as long as it likes.
func TestIdleTimeout(t *testing.T) {
	const idle = 10 * time.Second
	for name, c := range map[string]struct {
		script func(say func(string))
		pause  time.Duration // of the consumer
		want   string
		silent bool
		most   time.Duration // that the run may take; 0 is any
	}{
		"a long run that says something now and then": {want: "RUN_STARTED RUN_FINISHED", script: func(say func(string)) {
			say(started)
			for range 100 {
				time.Sleep(idle - time.Second)
				say(": still here\n\n")
			}
			say(finished)
		}},
		"silence before the header": {silent: true, script: func(say func(string)) { time.Sleep(time.Hour) }},
		"silence inside the stream": {silent: true, want: "RUN_STARTED", script: func(say func(string)) {
			say(started)
			time.Sleep(time.Hour)
		}},
		"silence inside a frame": {silent: true, want: "RUN_STARTED", script: func(say func(string)) {
			say(started + "data: {")
			time.Sleep(time.Hour)
		}},
		"a consumer that takes its time": {want: "RUN_STARTED RUN_FINISHED", pause: 10 * idle, script: func(say func(string)) {
			say(started)
			say(finished)
		}},
		"a response left open behind its end": {want: "RUN_STARTED RUN_FINISHED", script: func(say func(string)) {
			say(started + finished)
			time.Sleep(time.Hour)
		}},
		"comments that trickle behind the end": {want: "RUN_STARTED RUN_FINISHED", most: closeWait, script: func(say func(string)) {
			say(started + finished)
			for range 100 {
				time.Sleep(closeWait / 2)
				say(":\n")
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := aguitest.NewServer(t, answering(func(_ http.ResponseWriter, r *http.Request, say func(string)) {
					done := make(chan struct{})
					go func() {
						defer close(done)
						c.script(say)
					}()
					select {
					case <-done:
					case <-r.Context().Done():
						<-done // the script's sleep is short here
					}
				}))
				client := *s.Client()
				client.Timeout = time.Second // a total timeout is not used
				transport := HTTP(aguitest.URL, &HTTPOptions{Client: &client, IdleTimeout: idle})
				var got []string
				var failure error
				begin := time.Now()
				for e, err := range transport.Run(t.Context(), ask) {
					if err != nil {
						failure = err
						break
					}
					got = append(got, string(e.Type()))
					time.Sleep(c.pause)
				}
				if strings.Join(got, " ") != c.want {
					t.Errorf("events %s, want %s", got, c.want)
				}
				if took := time.Since(begin); c.most > 0 && took > c.most {
					t.Errorf("the run took %v", took)
				}
				var silent *IdleError
				if errors.As(failure, &silent) != c.silent || !c.silent && failure != nil {
					t.Errorf("the error is %v", failure)
				}
				if c.silent && (silent.After != idle || !silent.Timeout() || time.Since(begin) > 2*idle) {
					t.Errorf("%v after %v", failure, time.Since(begin))
				}
			})
		})
	}
}

// Whatever ends a run early, the server sees its client go, and nothing is
// left behind.
func TestTheConnectionIsClosed(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, transport Transport){
		"break": func(t *testing.T, transport Transport) {
			for range transport.Run(t.Context(), ask) {
				break
			}
		},
		"the end of the context": func(t *testing.T, transport Transport) {
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			for _, err := range transport.Run(ctx, ask) {
				if err != nil && !errors.Is(err, why) {
					t.Errorf("the error is %v", err)
				}
				cancel(why)
			}
		},
		"a panic of the consumer": func(t *testing.T, transport Transport) {
			defer func() {
				if v := recover(); v != "mine" {
					t.Errorf("the panic became %v", v)
				}
			}()
			for range transport.Run(t.Context(), ask) {
				panic("mine")
			}
		},
	} {
		h := func(gone chan struct{}) http.Handler {
			return answering(func(_ http.ResponseWriter, r *http.Request, say func(string)) {
				defer close(gone)
				say(started)
				<-r.Context().Done()
			})
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := make(chan struct{})
				leave(t, HTTP(aguitest.URL, &HTTPOptions{Client: aguitest.NewServer(t, h(gone)).Client()}))
				<-gone
			})
		})
		t.Run(name+", in memory", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := make(chan struct{})
				leave(t, Handler(h(gone), "/", nil))
				select {
				case <-gone:
				default:
					t.Error("the handler is still there")
				}
			})
		})
	}
}

func TestHeadersAndHook(t *testing.T) {
	var header http.Header
	h := answering(func(_ http.ResponseWriter, r *http.Request, say func(string)) {
		header = r.Header
		say(started + finished)
	})
	mine := http.Header{"authorization": {"Bearer x"}, "Accept": {"application/json"}, "content-type": {"text/plain"}}
	n := 0
	transport := Handler(h, "/agent?x=1", &HTTPOptions{Header: mine, Prepare: func(r *http.Request) error {
		n++
		if r.URL.Path != "/agent" || r.URL.RawQuery != "x=1" {
			t.Errorf("asked for %s", r.URL)
		}
		r.Header.Set("X-Token", fmt.Sprint(n))
		return nil
	}})
	mine.Set("Authorization", "changed later")
	for want := range 2 {
		if got, err := types(t.Context(), transport); err != nil || got != "RUN_STARTED RUN_FINISHED" {
			t.Fatalf("%s, %v", got, err)
		}
		for name, value := range map[string]string{
			"Authorization": "Bearer x", "Accept": "text/event-stream", "Content-Type": "application/json", "X-Token": fmt.Sprint(want + 1),
		} {
			if got := header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s is %q, want %q", name, got, value)
			}
		}
	}
	refused := errors.New("no token")
	_, err := types(t.Context(), Handler(http.NotFoundHandler(), "/", &HTTPOptions{Prepare: func(*http.Request) error { return refused }}))
	if !errors.Is(err, refused) {
		t.Errorf("the hook's error became %v", err)
	}
}

func TestResponsesThatAreNoStream(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		contentType string
		body        string
		code        string
	}{
		"a page":            {200, "text/html", "<h1>Log in</h1>", chat.CodeBadResponse},
		"JSON":              {200, "application/json", `{"ok":true}`, chat.CodeBadResponse},
		"no content":        {204, "", "", chat.CodeBadResponse},
		"a stream and 500":  {500, "text/event-stream", started, chat.CodeUnavailable},
		"refused":           {422, "application/json", `{"error":{"code":"x"}}`, chat.CodeInvalidRequest},
		"unauthorized":      {401, "text/plain", "who are you", chat.CodeAuthentication},
		"not found":         {404, "text/plain", "not here", chat.CodeModelNotFound},
		"too many requests": {429, "text/plain", "slow down", chat.CodeRateLimited},
		"a huge page":       {502, "text/html", strings.Repeat("x", 1<<20), chat.CodeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := chat.Collect(New(Handler(h, "/", nil), nil).Stream(t.Context(), &chat.Request{}))
			var response *ResponseError
			var e *chat.Error
			var peer *PeerError
			if !errors.As(err, &response) || !errors.As(err, &e) || errors.As(err, &peer) {
				t.Fatalf("the error is %T: %v", err, err)
			}
			if response.Status != c.status || response.ContentType != c.contentType || !strings.HasPrefix(c.body, string(response.Body)) {
				t.Errorf("%+v", response)
			}
			if len(response.Body) > 64<<10 || len(err.Error()) > 1000 {
				t.Errorf("%d bytes of body, %d of text", len(response.Body), len(err.Error()))
			}
			if e.Code != c.code || strings.Contains(e.Message, c.body) && c.body != "" {
				t.Errorf("code %s, message %q", e.Code, e.Message)
			}
		})
	}
}

// The body of an error may never end, or break: the status is what counts.
func TestErrorsWithoutAnEnd(t *testing.T) {
	for name, c := range map[string]struct {
		write func(say func(string))
		body  string // how it begins
	}{
		"silence":     {func(func(string)) {}, ""},
		"a beginning": {func(say func(string)) { say("slow down") }, "slow down"},
		"a trickle": {func(say func(string)) {
			for range 100 {
				say("x")
				time.Sleep(errorWait / 5)
			}
		}, "xxxx"},
		"a break": {func(say func(string)) {
			say("slow down")
			panic(http.ErrAbortHandler)
		}, "slow down"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := aguitest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.WriteHeader(http.StatusTooManyRequests)
					say := func(s string) {
						_, _ = io.WriteString(w, s)
						_ = http.NewResponseController(w).Flush()
					}
					say("")
					c.write(say)
					<-r.Context().Done()
				}))
				begin := time.Now()
				_, err := chat.Collect(New(HTTP(aguitest.URL, &HTTPOptions{Client: s.Client(), IdleTimeout: -1}), nil).Stream(t.Context(), &chat.Request{}))
				var response *ResponseError
				var e *chat.Error
				if !errors.As(err, &response) || !errors.As(err, &e) || response.Status != http.StatusTooManyRequests || e.Code != chat.CodeRateLimited {
					t.Fatalf("the error is %v", err)
				}
				if !strings.HasPrefix(string(response.Body), c.body) {
					t.Errorf("the body is %q", response.Body)
				}
				if took := time.Since(begin); took > errorWait {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// hostile servers: a clear error, and no more memory than the cap allows.
func TestHostileServers(t *testing.T) {
	const most = 1 << 20
	chunk := strings.Repeat("x", 64<<10)
	flood := func(first, more string) func(http.ResponseWriter, *http.Request, func(string)) {
		return func(w http.ResponseWriter, r *http.Request, say func(string)) {
			say(started + first)
			for range (100 << 20) / len(more) {
				if _, err := io.WriteString(w, more); err != nil {
					return
				}
			}
		}
	}
	for name, c := range map[string]struct {
		serve func(http.ResponseWriter, *http.Request, func(string))
		says  string
	}{
		"a line without an end":    {flood(`data: {"type":"STATE_SNAPSHOT","snapshot":"`, chunk), "larger than"},
		"a comment without an end": {flood(": ", chunk), "larger than"},
		"a frame without an end":   {flood("", "data: "+chunk+"\n"), "larger than"},
		"a field without an end":   {flood("", chunk), "larger than"},
		"not JSON":                 {func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(started + "data: [DONE]\n\n") }, "frame 2"},
		"half an event":            {func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(started + `data: {"type":"RUN_F`) }, "frame 2"},
		"a wrong type": {func(_ http.ResponseWriter, _ *http.Request, say func(string)) {
			say(started + `data: {"type":"STATE_DELTA","delta":{}}` + "\n\n")
		}, "delta must"},
		"a bad pointer": {func(_ http.ResponseWriter, _ *http.Request, say func(string)) {
			say(started + `data: {"type":"STATE_DELTA","delta":[{"op":"add","path":"x","value":1}]}` + "\n\n")
		}, "delta[0].path must"},
		"nested a hundred thousand": {func(_ http.ResponseWriter, _ *http.Request, say func(string)) {
			say(started + `data: {"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", 100000) + "\n\n")
		}, "deeper"},
		"nothing": {func(http.ResponseWriter, *http.Request, func(string)) {}, "without RUN_FINISHED"},
		"no end":  {func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(started) }, "after 1 events"},
		"a connection that breaks": {func(_ http.ResponseWriter, _ *http.Request, say func(string)) {
			say(started)
			panic(http.ErrAbortHandler)
		}, "after 1 events"},
		"events in the wrong order": {func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(started + started) }, "RUN_STARTED_WHILE_ACTIVE"},
		"no run":                    {func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(finished) }, "FIRST_EVENT"},
		"chunks that belong nowhere": {func(_ http.ResponseWriter, _ *http.Request, say func(string)) {
			say(started + `data: {"type":"TEXT_MESSAGE_CHUNK","delta":"x"}` + "\n\n")
		}, "CHUNK_OPENER_NEEDS_ID"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(answering(c.serve))
			s.Config.ErrorLog = quietLog
			defer s.Close()
			thread := NewThread[any](HTTP(s.URL, &HTTPOptions{MaxFrame: most}), nil)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := Drain(thread.Send(t.Context()))
			runtime.ReadMemStats(&after)
			var e *chat.Error
			var peer *PeerError
			if !errors.As(err, &e) || errors.As(err, &peer) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error does not say %q: %v", c.says, err)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
			if !thread.Stale() {
				t.Error("the state is taken for good")
			}
			// All that was ever allocated, on both sides.
			if got := after.TotalAlloc - before.TotalAlloc; got > 24*most {
				t.Errorf("%d bytes were allocated", got)
			}
		})
	}
}

// Patches that are made to hurt: none kills the run or the process, and the
// run goes on.
func TestHostilePatches(t *testing.T) {
	for patch, state := range map[string]string{
		`[{"op":"add","path":"/__proto__/x","value":1}]`:                                                         `{"a":[1]}`,
		`[{"op":"add","path":"/__proto__","value":{"x":1}}]`:                                                     `{"a":[1],"__proto__":{"x":1}}`,
		`[{"op":"add","path":"/constructor/prototype/x","value":1}]`:                                             `{"a":[1]}`,
		`[{"op":"replace","path":"/toString","value":1}]`:                                                        `{"a":[1]}`,
		`[{"op":"copy","from":"/toString","path":"/b"}]`:                                                         `{"a":[1]}`,
		`[{"op":"move","from":"","path":"/b"}]`:                                                                  `{"a":[1]}`,
		`[{"op":"add","path":"/a/4294967296","value":1}]`:                                                        `{"a":[1]}`,
		`[{"op":"add","path":"/a/01","value":1}]`:                                                                `{"a":[1]}`,
		`[{"op":"add","path":"/a/-1","value":1}]`:                                                                `{"a":[1]}`,
		`[{"op":"add","path":"/a/","value":1}]`:                                                                  `{"a":[1]}`,
		`[{"op":"test","path":"","value":[[null]]}]`:                                                             `{"a":[1]}`,
		`[{"op":"add","path":"/b","value":1},{"op":"bang","path":"/a"},{"op":"add","path":"/c"` + `,"value":2}]`: `{"a":[1],"b":1,"c":2}`,
		`[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/zz"}]`:                                      `{"a":[1]}`,
		`[` + strings.Repeat(`{"op":"copy","from":"","path":"/b"},`, 60) + `{"op":"test","path":"","value":1}]`:  `{"a":[1]}`,
	} {
		stream := started + `data: {"type":"STATE_SNAPSHOT","snapshot":{"a":[1]}}` + "\n\ndata: " + `{"type":"STATE_DELTA","delta":` + patch + "}\n\n" + finished
		h := answering(func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(stream) })
		thread := NewThread[any](Handler(h, "/", nil), nil)
		if err := Drain(thread.Send(t.Context())); err != nil {
			t.Errorf("%.80s ended the run: %v", patch, err)
		}
		if got := string(thread.Document()); got != state {
			t.Errorf("%.80s made %s, want %s", patch, got, state)
		}
		if want := state == `{"a":[1]}`; thread.Stale() != want {
			t.Errorf("%.80s: stale is %v", patch, thread.Stale())
		}
	}
}

func TestLargeEvents(t *testing.T) {
	for _, size := range []int{200 << 10, 5 << 20} {
		doc := `"` + strings.Repeat("x", size) + `"`
		h := answering(func(_ http.ResponseWriter, _ *http.Request, say func(string)) {
			say(started + `data: {"type":"STATE_SNAPSHOT","snapshot":` + doc + "}\r\n\r\n" + finished)
		})
		thread := NewThread[string](Handler(h, "/", nil), nil)
		if err := Drain(thread.Send(t.Context())); err != nil {
			t.Fatal(err)
		}
		if string(thread.Document()) != doc {
			t.Errorf("%d bytes became %d", len(doc), len(thread.Document()))
		}
	}
}

// A response that was read to its end leaves its connection for the next.
func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int64
	s := httptest.NewUnstartedServer(answering(func(_ http.ResponseWriter, _ *http.Request, say func(string)) {
		say(started)
		say(finished)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	transport := HTTP(s.URL, &HTTPOptions{Client: s.Client()})
	for range 5 {
		if got, err := types(t.Context(), transport); err != nil || got != "RUN_STARTED RUN_FINISHED" {
			t.Fatalf("%s, %v", got, err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// A proxy may compress what it passes.
func TestCompressedStreams(t *testing.T) {
	s := httptest.NewServer(answering(func(w http.ResponseWriter, r *http.Request, _ func(string)) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("Accept-Encoding is %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for _, frame := range []string{started, finished} {
			_, _ = io.WriteString(z, frame)
			_ = z.Flush()
			_ = http.NewResponseController(w).Flush()
		}
		_ = z.Close()
	}))
	defer s.Close()
	if got, err := types(t.Context(), HTTP(s.URL, nil)); err != nil || got != "RUN_STARTED RUN_FINISHED" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestHandlersThatMisbehave(t *testing.T) {
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"panics at once":     {func(http.ResponseWriter, *http.Request) { panic("bang") }, "the handler aborted"},
		"panics in a stream": {answering(func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(started); panic("bang") }), "the handler aborted"},
		"says nothing":       {func(http.ResponseWriter, *http.Request) {}, "without RUN_FINISHED"},
	} {
		err := Drain(NewThread[any](Handler(c.h, "/", nil), nil).Send(t.Context()))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoConnection(t *testing.T) {
	err := Drain(NewThread[any](HTTP("http://127.0.0.1:1", nil), nil).Send(t.Context()))
	var e *chat.Error
	if !errors.As(err, &e) || e.Code != chat.CodeUnavailable {
		t.Errorf("the error is %v", err)
	}
	if err := Drain(NewThread[any](HTTP("no\x00url", nil), nil).Send(t.Context())); err == nil {
		t.Error("a URL that is none is no error")
	}
}
