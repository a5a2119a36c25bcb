package aguihttp_test

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// pipes is a listener on in-memory connections, for bubbles whose time is
// their own. A pipe holds nothing: a write waits for the reader.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial() net.Conn {
	server, client := net.Pipe()
	p.conns <- server
	return client
}

// pipeServer serves h in the bubble, and returns how to dial it.
func pipeServer(t *testing.T, h http.Handler, set func(*http.Server)) (dial func() net.Conn) {
	t.Helper()
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	if set != nil {
		set(s)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(p) }()
	t.Cleanup(func() { _ = s.Close(); <-served })
	return p.dial
}

// pipeClient returns a client that speaks "HTTP/1.1" or "h2c".
func pipeClient(t *testing.T, dial func() net.Conn, proto string) *http.Client {
	tr := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(), nil }}
	tr.Protocols = new(http.Protocols)
	tr.Protocols.SetHTTP1(proto != "h2c")
	tr.Protocols.SetUnencryptedHTTP2(proto == "h2c")
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// paced is a client that says n words, one each d.
func paced(n int, d time.Duration) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for range n {
				select {
				case <-time.After(d):
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
				if !yield(text("word "), nil) {
					return
				}
			}
			yield(stop, nil)
		}
	})
}

// The server's timeouts end no run, over HTTP/1.1 and h2c, and neither do the
// endpoint's while the run is silent.
func TestServerTimeouts(t *testing.T) {
	for _, proto := range []string{"HTTP/1.1", "h2c"} {
		t.Run(proto, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := aguihttp.Handler(paced(10, 3*time.Second), options(&aguihttp.Options{WriteTimeout: 2 * time.Second, Heartbeat: -1}))
				dial := pipeServer(t, h, func(s *http.Server) {
					s.WriteTimeout, s.ReadTimeout, s.IdleTimeout = 2*time.Second, 2*time.Second, time.Minute
				})
				c := pipeClient(t, dial, proto)
				for range 2 { // the second on the same connection
					res := post(t, c, "http://pipe", hello)
					if e := last(t, events(t, res.Body)); e.Type != "RUN_FINISHED" || (res.ProtoMajor == 2) != (proto == "h2c") {
						t.Errorf("%s: got %+v", res.Proto, e)
					}
					time.Sleep(40 * time.Second) // beyond any write deadline of the first
				}
			})
		})
	}
}

// A client that reads nothing is dropped, and its run is cancelled.
func TestStuckClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for yield(text(strings.Repeat("x", 1000)), nil) {
					if ctx.Err() != nil {
						break
					}
				}
				ended <- context.Cause(ctx)
			}
		})
		runs := &aguihttp.Runs{}
		dial := pipeServer(t, aguihttp.Handler(client, options(&aguihttp.Options{WriteTimeout: 7 * time.Second, Runs: runs})), nil)
		conn := dial()
		defer conn.Close()
		began := time.Now()
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: pipe\r\nContent-Type: application/json\r\nContent-Length: "+length(hello)+"\r\n\r\n"+hello); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil || time.Since(began) != 7*time.Second {
			t.Errorf("ended after %v: %v", time.Since(began), err)
		}
		if err := runs.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Shutdown does not wait for a client that reads nothing.
func TestShutdownStuckClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		runs := &aguihttp.Runs{}
		dial := pipeServer(t, aguihttp.Handler(until(ended, "a"), options(&aguihttp.Options{Runs: runs, WriteTimeout: time.Hour, Heartbeat: -1})), nil)
		conn := dial()
		defer conn.Close()
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: pipe\r\nContent-Type: application/json\r\nContent-Length: "+length(hello)+"\r\n\r\n"+hello); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		grace, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if err := runs.Shutdown(grace); err != nil {
			t.Error(err)
		}
		if d := time.Since(began); d > time.Minute+5*time.Second {
			t.Errorf("took %v", d)
		}
		<-ended
	})
}

// A body that does not arrive is answered, and the connection is closed.
func TestSlowBody(t *testing.T) {
	for name, set := range map[string]func(*http.Server){
		"the endpoint's limit": nil,
		"the server's":         func(s *http.Server) { s.ReadTimeout = 3 * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := pipeServer(t, aguihttp.Handler(never(t), options(&aguihttp.Options{ReadTimeout: 5 * time.Second})), set)
				conn := dial()
				defer conn.Close()
				if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: pipe\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"); err != nil {
					t.Fatal(err)
				}
				all, err := io.ReadAll(conn)
				if err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 408 ") || !strings.Contains(string(all), "BODY_TIMEOUT") {
					t.Errorf("got %q, %v", all, err)
				}
			})
		})
	}
}

// A refusal does not wait for a body that does not arrive, and its connection
// is closed: before the body was asked for, and while others have all places.
func TestSlowBodyOfARefusal(t *testing.T) {
	const post, body = "POST / HTTP/1.1\r\nHost: pipe\r\nContent-Length: 1000\r\n", "\r\n{"
	tests := []struct{ name, request, want string }{
		{"type", post + "Content-Type: text/plain\r\n" + body, "HTTP/1.1 415 "},
		{"type, and the body was to be asked for", post + "Content-Type: text/plain\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 415 "},
		{"method", "PUT" + strings.TrimPrefix(post, "POST") + body, "HTTP/1.1 405 "},
		{"busy", post + "Content-Type: application/json\r\n" + body, "HTTP/1.1 503 "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 1)
				dial := pipeServer(t, aguihttp.Handler(until(ended, "a"), options(&aguihttp.Options{
					ReadTimeout: 5 * time.Second, Runs: &aguihttp.Runs{Max: 1},
				})), nil)
				first := post1(t, pipeClient(t, dial, "HTTP/1.1")) // takes the only place
				conn := dial()
				defer conn.Close()
				began := time.Now()
				if _, err := io.WriteString(conn, tt.request); err != nil {
					t.Fatal(err)
				}
				all, err := io.ReadAll(conn)
				if err != nil || !strings.HasPrefix(string(all), tt.want) || time.Since(began) > 6*time.Second {
					t.Errorf("after %v: %q, %v", time.Since(began), all, err)
				}
				_ = first.Close()
				<-ended
			})
		})
	}
}

// post1 starts a run and reads its first event.
func post1(t *testing.T, c *http.Client) io.Closer {
	res := post(t, c, "http://pipe", hello)
	for range frames(t, res.Body) {
		break
	}
	return res.Body
}

// Heartbeats come between the events of a slow run, on the wire.
func TestHeartbeatOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := pipeServer(t, aguihttp.Handler(paced(2, 20*time.Second), options(nil)), nil)
		all, err := io.ReadAll(post(t, pipeClient(t, dial, "HTTP/1.1"), "http://pipe", hello).Body)
		if err != nil || strings.Count(string(all), ": ping\n\n") != 2 {
			t.Errorf("got %s, %v", all, err)
		}
		if e := last(t, events(t, strings.NewReader(string(all)))); e.Type != "RUN_FINISHED" {
			t.Errorf("got %+v", e)
		}
	})
}
