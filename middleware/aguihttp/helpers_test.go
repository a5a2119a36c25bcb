package aguihttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

const hello = `{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[{"id":"m1","role":"user","content":"Hi"}]}`

// quiet is a logger that drops everything.
var quiet = slog.New(slog.DiscardHandler)

// script is a client that plays updates and then fails with err, if any.
func script(err error, updates ...*chat.Update) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for _, u := range updates {
				if !yield(u, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	})
}

func text(s string) *chat.Update { return &chat.Update{Text: s} }

var stop = &chat.Update{FinishReason: chat.FinishStop}

// until is a client that says text, then waits for the end of its context,
// and closes ended when it has seen it.
func until(ended chan<- error, s string) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			more := yield(text(s), nil)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			if more {
				yield(nil, ctx.Err())
			}
		}
	})
}

// options returns o, or new options, that log nothing unless they say where.
func options(o *aguihttp.Options) *aguihttp.Options {
	if o == nil {
		o = &aguihttp.Options{}
	}
	if o.Logger == nil {
		o.Logger = quiet
	}
	return o
}

// serve starts a server for a chain over TCP, with HTTP/1.1 and h2c.
func serve(t *testing.T, c chat.Client, o *aguihttp.Options) *httptest.Server {
	t.Helper()
	return serveHandler(t, aguihttp.Handler(c, options(o)), nil)
}

func serveHandler(t *testing.T, h http.Handler, set func(*http.Server)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	if set != nil {
		set(s.Config)
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// h2c returns a client that speaks HTTP/2 without TLS.
func h2c(t *testing.T) *http.Client {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: p}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func http1(t *testing.T) *http.Client {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// post sends a run's input and returns the response, whose body is closed with
// the test.
func post(t *testing.T, c *http.Client, url, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

type event struct {
	Type    string          `json:"type"`
	Delta   json.RawMessage `json:"delta"`
	Code    string          `json:"code"`
	Message string          `json:"message"`
	RunID   string          `json:"runId"`
	Outcome json.RawMessage `json:"outcome"`
}

// frames reads a stream strictly: nothing but comments and data lines, each
// frame one JSON object and one blank line.
func frames(t testing.TB, body io.Reader) iter.Seq[event] {
	return func(yield func(event) bool) {
		r := bufio.NewReaderSize(body, 1<<20)
		for {
			line, err := r.ReadString('\n')
			if err == io.EOF && line == "" {
				return
			}
			if err != nil {
				t.Fatalf("stream broken after %q: %v", line, err)
			}
			blank, err := r.ReadString('\n')
			if err != nil || blank != "\n" {
				t.Fatalf("frame %q is not followed by a blank line but by %q, %v", line, blank, err)
			}
			if strings.HasPrefix(line, ":") {
				continue
			}
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				t.Fatalf("line %q is no data line", line)
			}
			var e event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("frame %q: %v", data, err)
			}
			if !yield(e) {
				return
			}
		}
	}
}

func types(events []event) string {
	var s []string
	for _, e := range events {
		s = append(s, e.Type)
	}
	return strings.Join(s, " ")
}

// events reads a whole stream.
func events(t testing.TB, body io.Reader) []event { return slices.Collect(frames(t, body)) }

// one posts one run straight to a handler, without a server.
func one(t testing.TB, h http.Handler, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader([]byte(body)))
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec
}

func length(s string) string { return strconv.Itoa(len(s)) }
