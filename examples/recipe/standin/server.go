package standin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Model is the name under which the stand-in lists itself. It answers to any.
const Model = "stand-in"

// maxBody bounds a request's body in bytes.
const maxBody = 8 << 20

// Options is how a [Server] behaves. The zero value answers at once, to anybody.
type Options struct {
	// Pace is the time between two chunks of a streamed answer.
	Pace time.Duration
	// Step holds every chunk back until it is released, see [Server.Release].
	// The pace is then of no account. An unstreamed answer is one chunk.
	Step bool
	// Key, if set, is the bearer token that /v1 demands.
	Key string
}

// Server is the stand-in model. It is an [http.Handler] with
//
//	POST /v1/chat/completions
//	GET  /v1/models, /v1/models/{id}
//	POST /step?n=N          releases N chunks (1), or n=rest: those left of one answer
//	POST /mode?step=B&pace=D  switches step mode and pace while it runs
//	POST /fault?kind=K&after=N&times=T  makes the next T (1) answers fail, see [Fault]; N is -1
//	GET  /requests?wait=N   what was received; with wait, once request N has come
//
// and can serve itself, see [Server.Start]. The four last are for tests and ask
// for no key: listen on loopback only. All methods may be called concurrently.
type Server struct {
	key    string
	mux    *http.ServeMux
	gate   *gate
	faults faults
	log    requestLog

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu   sync.Mutex
	http *http.Server
	addr string
	done chan struct{} // closed when Serve has returned
}

// New makes a server; nil options are the zero ones, which are copied.
func New(o *Options) *Server {
	if o == nil {
		o = &Options{}
	}
	s := &Server{key: o.Key, gate: newGate(o.Pace, o.Step), mux: http.NewServeMux()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.mux.HandleFunc("/v1/chat/completions", s.only(http.MethodPost, s.auth(s.complete)))
	s.mux.HandleFunc("/v1/models", s.only(http.MethodGet, s.auth(s.models)))
	s.mux.HandleFunc("/v1/models/{id}", s.only(http.MethodGet, s.auth(s.model)))
	s.mux.HandleFunc("/step", s.only(http.MethodPost, s.step))
	s.mux.HandleFunc("/mode", s.only(http.MethodPost, s.mode))
	s.mux.HandleFunc("/fault", s.only(http.MethodPost, s.fault))
	s.mux.HandleFunc("/requests", s.only(http.MethodGet, s.requests))
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &apiError{status: 404, message: fmt.Sprintf("Invalid URL (%s %s).", r.Method, r.URL.Path), kind: "invalid_request_error", code: "unknown_url"})
	})
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Start listens on addr ("127.0.0.1:0" picks a port), serves in the background,
// and returns the base URL that an OpenAI client takes, which ends in /v1. A
// server can be started once; [Server.Close] ends it.
func (s *Server) Start(addr string) (baseURL string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return "", errClosed
	}
	if s.http != nil {
		return "", fmt.Errorf("standin: the server listens on %s already", s.addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", fmt.Errorf("standin: listen on %q: %w", addr, err)
	}
	s.addr = l.Addr().String()
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return s.ctx },
	}
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // ends with ErrServerClosed, by Close
	}()
	return "http://" + s.addr + "/v1", nil
}

// URL is the root of a started server, under which /v1, /step and the others
// stand; empty when it is not started.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.addr == "" {
		return ""
	}
	return "http://" + s.addr
}

// Close ends every answer, the listener and the steps that wait, and returns
// when all of it is over. It may be called more than once.
func (s *Server) Close() error {
	s.cancel()
	s.mu.Lock()
	srv, done := s.http, s.done
	s.mu.Unlock()
	if srv == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := srv.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, srv.Close())
	}
	<-done
	return err
}

// Requests are the newest chat-completions requests, the oldest first. At most
// 128 and 16 MiB of them are kept.
func (s *Server) Requests() []Request { return s.log.all() }

// WaitRequest waits until the request with the given number has come.
func (s *Server) WaitRequest(ctx context.Context, id int) (Request, error) {
	return s.log.wait(ctx, id)
}

// Release lets the next n chunks go, of whichever answers wait, first come first
// served, and returns when they have been written and flushed; it waits for
// chunks that have yet to come. A negative n releases the rest of one answer.
// The error is the context's, or tells that the server is closed or not in step
// mode; what was released before it is returned too.
func (s *Server) Release(ctx context.Context, n int) ([]Released, error) {
	return s.gate.release(ctx, s.ctx.Done(), n)
}

// SetStep switches step mode. Switched off, chunks that wait go on at the pace.
func (s *Server) SetStep(on bool) { s.gate.setStep(on) }

// SetPace changes the time between chunks, from the next chunk on.
func (s *Server) SetPace(d time.Duration) { s.gate.setPace(d) }

// InjectFault makes the next answer that has no fault yet fail.
func (s *Server) InjectFault(f Fault) error { return s.faults.push(f) }

// only answers other methods with 405.
func (s *Server) only(method string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			w.Header().Set("Allow", method)
			fail(w, &apiError{status: 405, message: fmt.Sprintf("Not allowed to %s on %s (HINT: use %s).", r.Method, r.URL.Path, method), kind: "invalid_request_error", code: "method_not_supported"})
			return
		}
		next(w, r)
	}
}

func (s *Server) auth(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if s.key != "" && (!ok || subtle.ConstantTimeCompare([]byte(given), []byte(s.key)) != 1) {
			fail(w, &apiError{status: 401, message: "The API key is missing or incorrect.", kind: "invalid_request_error", code: "invalid_api_key"})
			return
		}
		next(w, r)
	}
}

func fail(w http.ResponseWriter, e *apiError) {
	if e.status == 429 {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, e.status, e.body())
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone, and nobody else cares
}

func modelValue(id string) *object {
	o := newObject()
	o.set("id", id)
	o.set("object", "model")
	o.set("created", number(0))
	o.set("owned_by", "standin")
	return o
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	o := newObject()
	o.set("object", "list")
	o.set("data", []any{modelValue(Model)})
	writeJSON(w, 200, appendValue(nil, o))
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, 200, appendValue(nil, modelValue(r.PathValue("id"))))
}

// complete answers a chat-completions request.
func (s *Server) complete(w http.ResponseWriter, hr *http.Request) {
	ctx, cancel := context.WithCancel(hr.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	body, err := io.ReadAll(http.MaxBytesReader(w, hr.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			fail(w, &apiError{status: 413, message: fmt.Sprintf("The body is larger than %d bytes.", maxBody), kind: "invalid_request_error"})
			return
		}
		fail(w, invalid("", "", "The body could not be read: %s.", err))
		return
	}
	id := s.log.add(body)
	r, bad := readRequest(body)
	if bad == nil {
		f := s.faults.pop()
		if n := f.status(); n != 0 {
			bad = serverError(n)
		} else {
			bad = s.answer(ctx, w, r, f, id, body)
		}
	}
	if bad != nil {
		s.log.status(id, bad.status)
		fail(w, bad)
	}
}

// answer thinks and writes; an error is returned only before the first byte.
func (s *Server) answer(ctx context.Context, w http.ResponseWriter, r *completionRequest, f *Fault, id int, body []byte) *apiError {
	rep, bad := think(r)
	if bad != nil {
		return bad
	}
	rep = f.spoil(limit(r, rep))
	s.log.status(id, 200)

	// Ids are unlike those of any other request, here or in an earlier process
	// with a shorter history.
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", id, time.Now().UnixNano(), body))
	key := hex.EncodeToString(sum[:])
	h := head{
		id: "chatcmpl-" + key[:29], model: r.Model, created: time.Now().Unix(),
		callIDs: func(i int) string { return fmt.Sprintf("call_%s%02d", key[29:51], i) },
	}
	used := usage{promptTokens(r), rep.tokens()}
	p := &pass{gate: s.gate, request: id}
	var frames []frame
	var end ending
	if r.Stream {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		var u *usage
		if r.StreamOptions != nil && r.StreamOptions.IncludeUsage {
			u = &used
		}
		all, n := framesOf(h, rep, u)
		frames, end = f.breakOff(all, n, h.id)
	} else {
		w.Header().Set("Content-Type", "application/json")
		whole := wholeOf(h, rep, &used)
		frames, end = f.breakWhole(frame{whole, whole})
	}
	w.Header().Set("X-Request-Id", "req_"+key[:32])
	if r.Stream {
		w.WriteHeader(200)
		_ = http.NewResponseController(w).Flush() // so that the client sees the stream open; a gone client shows below
	}
	if err := send(ctx, w, p, frames); err != nil {
		return nil // the client is gone
	}
	switch end {
	case endHang:
		<-ctx.Done()
	case endAbort:
		panic(http.ErrAbortHandler) // net/http's own way to break a connection
	}
	return nil
}

// breakWhole is breakOff for an answer that is not streamed.
func (f *Fault) breakWhole(body frame) ([]frame, ending) {
	if f == nil {
		return []frame{body}, endWell
	}
	half := body.wire[:len(body.wire)/2]
	switch f.Kind {
	case "cut", "tear", "abort":
		return []frame{{half, half}}, endAbort
	case "hang":
		return nil, endHang
	case "garbage":
		page := "<html><body>502 Bad Gateway</body></html>"
		return []frame{{page, page}}, endWell
	case "error", "error-late", "error-plain":
		failed := string(serverError(500).body())
		return []frame{{failed, failed}}, endWell
	}
	return []frame{body}, endWell
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(`null`)
	}
	return b
}
