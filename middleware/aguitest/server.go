package aguitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// Server is an HTTP server in memory: an endpoint's tests use it without a
// port, also under testing/synctest. Every request has a connection of its
// own, whose two ends wait for each other: what the handler has flushed, the
// client has read.
type Server struct {
	client *http.Client

	mu       sync.Mutex // guards stopped, and handlers.Add against Wait
	stopped  bool
	handlers sync.WaitGroup
}

// URL is the address of every [Server]: its client asks nobody else.
const URL = "http://agui.test"

// NewServer starts a server, and stops it when the test ends: open requests
// are cancelled then, and their handlers waited for.
func NewServer(t testing.TB, h http.Handler) *Server {
	s := &Server{}
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	transport := &http.Transport{
		DialContext:       l.dial,
		DisableKeepAlives: true,
	}
	s.client = &http.Client{Transport: transport}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	logs := &testLog{t: t}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !s.begin() {
				panic(http.ErrAbortHandler)
			}
			defer s.handlers.Done()
			h.ServeHTTP(w, r)
		}),
		Protocols: &protocols,
		ErrorLog:  log.New(logs, "", 0),
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		s.mu.Lock()
		s.stopped = true
		s.mu.Unlock()
		_ = server.Close()
		<-served
		s.handlers.Wait()
		transport.CloseIdleConnections()
		logs.close()
	})
	return s
}

// begin counts a handler in, unless the server has been stopped.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.handlers.Add(1)
	}
	return !s.stopped
}

// Client returns a client of this server, for any host.
func (s *Server) Client() *http.Client { return s.client }

// Run posts the input to the path and yields the events as they arrive. An
// error is the last pair: a [*ResponseError] when the endpoint refused,
// otherwise what broke. A stream that ends is no error, whatever its last
// event: see [Verify]. Break closes the connection, as a client does that
// goes away.
func (s *Server) Run(ctx context.Context, path string, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		body, err := json.Marshal(in)
		if err != nil {
			yield(nil, fmt.Errorf("aguitest: the input: %w", err))
			return
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, URL+path, bytes.NewReader(body))
		if err != nil {
			yield(nil, fmt.Errorf("aguitest: %w", err))
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "text/event-stream")
		resp, err := s.client.Do(req)
		if err != nil {
			yield(nil, fmt.Errorf("aguitest: %w", err))
			return
		}
		defer resp.Body.Close()
		mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		if resp.StatusCode != http.StatusOK || mediaType != "text/event-stream" {
			text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
			if err != nil {
				text = fmt.Appendf(text, " (%v)", err)
			}
			yield(nil, &ResponseError{Status: resp.StatusCode, Header: resp.Header, Body: text})
			return
		}
		for e, err := range readEvents(resp.Body) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// ResponseError is a response that is no event stream.
type ResponseError struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error returns the status, the content type and the body.
func (e *ResponseError) Error() string {
	return fmt.Sprintf("aguitest: status %d, %s: %s", e.Status, e.Header.Get("Content-Type"), bytes.TrimSpace(e.Body))
}

// Post runs the input at an endpoint in memory to its end and returns the
// events. A response that is no event stream stops the test; one that breaks
// a rule fails it, as [Verify] does.
func Post(t testing.TB, h http.Handler, in *agui.RunAgentInput) []agui.Event {
	t.Helper()
	var events []agui.Event
	for e, err := range NewServer(t, h).Run(t.Context(), "/", in) {
		if err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		events = append(events, e)
	}
	Verify(t, events)
	return events
}

// listener connects a client and a server by pipes.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return memory{} }

type memory struct{}

func (memory) Network() string { return "memory" }
func (memory) String() string  { return strings.TrimPrefix(URL, "http://") }

// testLog sends a server's complaints to the test's log while it runs.
type testLog struct {
	mu sync.Mutex
	t  testing.TB
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.t != nil {
		l.t.Logf("server: %s", p)
	}
	return len(p), nil
}

func (l *testLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t = nil
}
