package langchaingo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aguistate/aguistate/adapters/internal/mask"
	"github.com/aguistate/aguistate/adapters/internal/silence"
	"github.com/aguistate/aguistate/middleware/chat"
)

// HTTPClient returns an HTTP client to build a model of langchaingo with, so
// that [New] reads its answers exactly: each tool call's pieces, both
// spellings of reasoning, errors inside a stream, why and whether an answer
// ended. It also sends what langchaingo has no option for. It knows the wires
// of openai, anthropic and ollama; every other request, and every call that
// [New] has not made, passes as it is.
//
//	model, err := openai.New(openai.WithHTTPClient(langchaingo.HTTPClient(nil)))
//	client := langchaingo.New(model, nil)
//
// The client is a copy of inner, nil being [http.DefaultClient]. Its Timeout
// would cut long answers: it is taken as the idle timeout instead, unless
// [Options] say another. For a total timeout use the context's.
func HTTPClient(inner *http.Client) *http.Client {
	if inner == nil {
		inner = http.DefaultClient
	}
	c := *inner
	c.Transport, c.Timeout = &tap{inner: c.Transport, idle: c.Timeout}, 0
	return &c
}

// tap stands between a provider and its server. It reads the answer, keeps
// what it says in the call's exchange, and gives the provider an answer of
// tokens instead: the provider then calls its streaming function once for
// each, on its own goroutine and in order, and the real pieces are taken from
// the exchange. What the provider would lose, mix up or choke on never
// reaches it.
type tap struct {
	inner http.RoundTripper
	idle  time.Duration // where the options say nothing
}

const (
	maxObject    = 32 << 20 // the longest object of a stream
	maxErrorBody = 64 << 10
)

// exchange is what one model call and the tap tell each other.
type exchange struct {
	wants  *wants
	idle   time.Duration // Options.IdleTimeout
	stream bool          // the provider reads a stream

	secrets mask.Secrets // in the request

	mu     sync.Mutex
	seen   bool // the tap is there
	chunks []chunk
	answer bool  // the server answers with status 200
	done   bool  // the answer has been read to its end
	err    error // what ended it otherwise
	status int   // of a refused request
	says   []byte
}

type exchangeKey struct{}

func (x *exchange) push(c chunk) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.chunks = append(x.chunks, c)
}

// take returns the chunks that have not been taken.
func (x *exchange) take() []chunk {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.chunks
	x.chunks = nil
	return c
}

func (x *exchange) set(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

// RoundTrip sends a request.
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	inner := t.inner
	if inner == nil {
		inner = http.DefaultTransport
	}
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	w := wireOf(req)
	if x == nil || w == nil {
		resp, _, err := watch(inner, req, t.idle)
		return resp, err
	}
	// A wrapper around the model may try again.
	x.set(func() {
		x.seen, x.answer, x.done, x.err, x.status, x.says = true, false, false, nil, 0, nil
		x.secrets = x.secrets.Header(req.Header).URL(req.URL.String())
	})
	req, err := edited(req, w, x.wants)
	if err == nil {
		var resp *http.Response
		var body *silence.Body
		if resp, body, err = watch(inner, req, cmp.Or(x.idle, t.idle, DefaultIdleTimeout)); err == nil {
			x.accept(resp, body, w)
			return resp, nil
		}
	}
	x.set(func() { x.err = err })
	return nil, err
}

func watch(rt http.RoundTripper, req *http.Request, idle time.Duration) (*http.Response, *silence.Body, error) {
	return silence.Watch(req.Context(), idle, func(ctx context.Context) (*http.Response, error) {
		return rt.RoundTrip(req.WithContext(ctx))
	})
}

func wireOf(req *http.Request) *wire {
	for _, w := range wires {
		if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, w.path) {
			return w
		}
	}
	return nil
}

// edited returns a copy of the request that says what is wanted.
func edited(req *http.Request, w *wire, want *wants) (*http.Request, error) {
	if req.Body == nil {
		return req, nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	members, err := membersOf(body)
	if err != nil {
		return nil, fmt.Errorf("langchaingo: the provider's request: %w", err)
	}
	if err := w.edit(members, want); err != nil {
		return nil, err
	}
	for name, v := range want.options.Extra {
		if v == nil {
			delete(members, name)
		} else {
			members[name] = v
		}
	}
	if body, err = marshal(members); err != nil {
		return nil, invalid("an extra member is not JSON: %v", err)
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	return req, nil
}

// membersOf returns the members of an object, each as it is written: the order
// in a tool's schema has a meaning for models.
func membersOf(object []byte) (map[string]any, error) {
	var raw map[string]json.RawMessage
	err := json.Unmarshal(object, &raw)
	members := make(map[string]any, len(raw))
	for name, v := range raw {
		members[name] = v
	}
	return members, err
}

// given reports whether a member is there and says something.
func given(members map[string]any, name string) bool {
	raw, ok := members[name].(json.RawMessage)
	return ok && string(raw) != "null" && string(raw) != "[]"
}

// set sets a member to what a pointer points to, and removes a zero that
// nobody asked for.
func set[T any](members map[string]any, name string, v *T) {
	if v != nil {
		members[name] = *v
		return
	}
	if raw, ok := members[name].(json.RawMessage); ok && string(raw) == "0" {
		delete(members, name)
	}
}

// marshal is json.Marshal without the escaping of HTML, which models would
// have to read.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// accept makes the response what the provider shall see.
func (x *exchange) accept(resp *http.Response, body *silence.Body, w *wire) {
	if resp.StatusCode != http.StatusOK {
		// The status counts, also of a body that breaks off.
		says, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		body.Close()
		x.set(func() { x.status, x.says = resp.StatusCode, says })
		resp.Body = io.NopCloser(bytes.NewReader(says))
		resp.ContentLength = int64(len(says))
		return
	}
	x.set(func() { x.answer = true })
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	resp.Body = newRelay(w, x, body)
}

// withExchange returns a context whose requests the tap knows.
func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// decode reads an object whose members may have other shapes than they should:
// those are left out.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var shape *json.UnmarshalTypeError
	switch {
	case data[0] != '{' && data[0] != 'n':
		err = errors.New("not a JSON object")
	case errors.As(err, &shape):
		return nil
	}
	if err != nil {
		return chat.ModelError(chat.CodeBadResponse, fmt.Errorf("langchaingo: %w: %.200q", err, data))
	}
	return nil
}

// serverError is an error that a server reports inside a stream.
type serverError struct{ word, message string }

// code returns the code for it: many servers say an HTTP status.
func (e *serverError) code() string {
	status := 0
	if n, err := strconv.Atoi(strings.TrimSpace(e.word)); err == nil && n >= 400 && n < 600 {
		status = n
	}
	switch says := strings.ToLower(e.word + " " + e.message); {
	case status < 500 && strings.Contains(says, "maximum context length"): // vLLM says it in words only
		return chat.CodeContextLength
	case status == 0 && strings.Contains(strings.ToLower(e.word), "timeout"):
		return chat.CodeTimeout
	}
	return codeOf(status, e.word)
}

func (e *serverError) Error() string {
	if e.word == "" {
		return "the server reported an error in the stream: " + e.message
	}
	return "the server reported an error in the stream: " + e.word + ": " + e.message
}

// readError reads what stands under "error", in any shape.
func readError(raw json.RawMessage) error {
	var message text
	_ = message.UnmarshalJSON(raw)
	var e struct {
		Message, Detail text
		Code, Type      label
	}
	_ = json.Unmarshal(raw, &e) // another shape leaves it empty
	says := string(message) + string(e.Message)
	if says == "" {
		says = string(e.Detail)
	}
	if says == "" {
		says = string(raw[:min(len(raw), 1000)])
	}
	return &serverError{word: strings.Trim(string(e.Code)+" "+string(e.Type), " "), message: says}
}
