package aguiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Handler is the transport to an endpoint in this process: [HTTP] without a
// network, with all that an endpoint does to a request and a response. Path is
// what the request asks for, with its query; it begins with a slash, whether
// or not it is written. The request's context is that of the run, but knows
// nothing of a run of ours that asks: neither its input nor its state.
func Handler(h http.Handler, path string, o *HTTPOptions) Transport {
	if h == nil {
		panic("aguiclient: Handler of a nil handler")
	}
	var options HTTPOptions
	if o != nil {
		options = *o
	}
	options.Client = &http.Client{Transport: &memory{h}}
	return HTTP("http://agent.invalid/"+strings.TrimPrefix(path, "/"), &options)
}

// memory answers requests by a handler.
type memory struct{ handler http.Handler }

// errAborted is what a client sees of a handler that panics.
var errAborted = errors.New("the handler aborted the response")

// RoundTrip calls the handler on a goroutine, which has ended when the
// response's body is closed.
func (m *memory) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(beyond{r.Context()})
	reader, writer := io.Pipe()
	w := &memoryWriter{header: http.Header{}, body: writer, opened: make(chan struct{})}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { reader.CloseWithError(context.Cause(ctx)) })
	in := r.Clone(ctx)
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "memory"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	go func() {
		defer close(done)
		defer in.Body.Close()
		err := errAborted
		defer func() {
			_ = recover() // as net/http does; the client sees the abort
			w.open(nil)
			writer.CloseWithError(err)
		}()
		m.handler.ServeHTTP(w, in)
		err = nil
	}()
	body := &memoryBody{PipeReader: reader, end: func() {
		cancel()
		stop()
		<-done
	}}
	select {
	case <-w.opened:
	case <-ctx.Done():
		_ = body.Close()
		return nil, context.Cause(ctx)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: -1, Request: r,
	}, nil
}

// memoryBody ends the handler when it is closed.
type memoryBody struct {
	*io.PipeReader
	once sync.Once
	end  func()
}

func (b *memoryBody) Close() error {
	err := b.PipeReader.Close()
	b.once.Do(b.end)
	return err
}

// memoryWriter is the response of a handler. What is written has been read
// when Write returns, so there is no deadline to keep. As with net/http, the
// header goes out with the first byte, a flush, or the handler's end.
type memoryWriter struct {
	header, sent http.Header
	body         *io.PipeWriter
	opened       chan struct{}
	once         sync.Once
	status       int // 0: none was written
}

func (w *memoryWriter) Header() http.Header { return w.header }

// WriteHeader sets the status, once. Informational ones come before it and say
// nothing to the transport.
func (w *memoryWriter) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("aguiclient: %d is no status", status))
	}
	if informational := status < 200 && status != http.StatusSwitchingProtocols; !informational && w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// open sends the header before the first bytes of the body, which tell the
// content type where the handler did not.
func (w *memoryWriter) open(body []byte) {
	w.once.Do(func() {
		w.WriteHeader(http.StatusOK)
		_, told := w.sent["Content-Type"]
		if !told && len(body) > 0 && w.sent.Get("Content-Encoding") == "" {
			w.sent.Set("Content-Type", http.DetectContentType(body))
		}
		close(w.opened)
	})
}

func (w *memoryWriter) Write(p []byte) (int, error) {
	w.open(p)
	return w.body.Write(p)
}

// FlushError, SetReadDeadline and SetWriteDeadline make a response controller
// content.
func (w *memoryWriter) FlushError() error {
	w.open(nil)
	return nil
}

func (w *memoryWriter) SetReadDeadline(time.Time) error  { return nil }
func (w *memoryWriter) SetWriteDeadline(time.Time) error { return nil }
