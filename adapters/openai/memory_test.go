package openai

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// memoryServer is an HTTP server on pipes, for use in a bubble of synctest:
// time is not real there, and a goroutine that is left over fails the test.
type memoryServer struct {
	client *http.Client
	mu     sync.Mutex
	dials  int
	states map[net.Conn]http.ConnState
}

func newMemoryServer(t *testing.T, h http.HandlerFunc) *memoryServer {
	s := &memoryServer{states: map[net.Conn]http.ConnState{}}
	conns := make(chan net.Conn)
	l := pipeListener{conns, make(chan struct{})}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe()
		select {
		case conns <- server:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.dials++
		return client, nil
	}}
	s.client = &http.Client{Transport: transport}
	server := &http.Server{
		Handler: h,
		ConnState: func(c net.Conn, state http.ConnState) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.states[c] = state
		},
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	})
	return s
}

// settled waits until nothing moves and returns the number of connections
// that are in use and that are idle.
func (s *memoryServer) settled() (active, idle int) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range s.states {
		switch state {
		case http.StateActive, http.StateNew:
			active++
		case http.StateIdle:
			idle++
		}
	}
	return active, idle
}

func (s *memoryServer) dialled() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dials
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error   { close(l.closed); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
