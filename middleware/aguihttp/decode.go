package aguihttp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
)

// preallocated is how much of a body is made room for before it arrives,
// whatever its Content-Length claims.
const preallocated = 64 << 10

// bodies are read into memory that serves again: an input shares none of it.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// check judges what can be judged of a request before its body.
func (e *endpoint) check(w http.ResponseWriter, r *http.Request) *refusal {
	switch {
	case r.Method != http.MethodPost:
		return &refusal{
			status: http.StatusMethodNotAllowed, code: "METHOD_NOT_ALLOWED",
			message: "A run is started with POST.", header: [2]string{"Allow", http.MethodPost},
		}
	case !canFlush(w):
		return errNoFlush
	case !acceptsEventStream(r.Header.Values("Accept")):
		return &refusal{
			status: http.StatusNotAcceptable, code: "NOT_ACCEPTABLE",
			message: "The answer is a text/event-stream, which the Accept header excludes.",
		}
	case !isJSON(r.Header.Values("Content-Type")):
		return &refusal{
			status: http.StatusUnsupportedMediaType, code: "UNSUPPORTED_MEDIA_TYPE",
			message: "The body has to be application/json, and Content-Type has to say so.",
			header:  [2]string{"Accept", "application/json"},
		}
	case isEncoded(r.Header.Values("Content-Encoding")):
		return &refusal{
			status: http.StatusUnsupportedMediaType, code: "UNSUPPORTED_MEDIA_TYPE",
			message: "The body must not be compressed.",
			header:  [2]string{"Accept-Encoding", "identity"},
		}
	}
	return e.o.Runs.refuses()
}

// input reads the body and returns what it says.
func (e *endpoint) input(w http.ResponseWriter, r *http.Request) (*agui.RunAgentInput, *refusal) {
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= pooledSize {
			body.Reset()
			bodies.Put(body)
		}
	}()
	if ref := e.read(body, w, r); ref != nil {
		return nil, ref
	}
	return e.parse(body.Bytes())
}

// read reads the body to its end: net/http notices only then that a client has
// left.
func (e *endpoint) read(body *bytes.Buffer, w http.ResponseWriter, r *http.Request) *refusal {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if limit := e.o.MaxBody; limit > 0 {
		if r.ContentLength > limit {
			return tooLarge(limit)
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
	}
	body.Grow(int(min(max(r.ContentLength, 0), preallocated)) + bytes.MinRead)
	if _, err := body.ReadFrom(r.Body); err != nil {
		return unread(err)
	}
	return nil
}

// limitReading sets a deadline for the body, unless the server has one, and
// returns what takes it back. After a refusal it stays: the server waits for
// the rest of a body that was not read, before it answers even.
func (e *endpoint) limitReading(w http.ResponseWriter, r *http.Request) (done func()) {
	s, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	if e.o.ReadTimeout <= 0 || s != nil && s.ReadTimeout > 0 {
		return func() {}
	}
	rc := http.NewResponseController(w)
	if rc.SetReadDeadline(time.Now().Add(e.o.ReadTimeout)) != nil {
		return func() {} // this writer leaves it to the server
	}
	return func() { _ = rc.SetReadDeadline(time.Time{}) }
}

func tooLarge(limit int64) *refusal {
	return &refusal{
		status: http.StatusRequestEntityTooLarge, code: "BODY_TOO_LARGE",
		message: fmt.Sprintf("The body is larger than %d bytes.", limit),
	}
}

// unread tells why a body could not be read.
func unread(err error) *refusal {
	var size *http.MaxBytesError
	var status interface{ StatusCode() int } // of a middleware's own limit
	switch {
	case errors.As(err, &size):
		return tooLarge(size.Limit)
	case errors.As(err, &status) && status.StatusCode() == http.StatusRequestEntityTooLarge:
		return &refusal{
			status: http.StatusRequestEntityTooLarge, code: "BODY_TOO_LARGE",
			message: "The body is larger than the server takes.",
		}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{
			status: http.StatusRequestTimeout, code: "BODY_TIMEOUT",
			message: "The body did not arrive in time.", header: [2]string{"Connection", "close"},
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &refusal{
			status: http.StatusBadRequest, code: "INVALID_BODY",
			message: "The body ended before its length.",
		}
	}
	return &refusal{
		status: http.StatusBadRequest, code: "INVALID_BODY", message: "The body could not be read.",
	}
}

// parse returns the input of a body.
func (e *endpoint) parse(body []byte) (*agui.RunAgentInput, *refusal) {
	in, err := agui.ParseInput(body)
	if err != nil {
		ref := &refusal{status: http.StatusBadRequest, code: "INVALID_INPUT", message: err.Error()}
		var bad *agui.InputError
		if errors.As(err, &bad) {
			ref.message, ref.pointer = bad.Reason, bad.Pointer
		}
		return nil, ref
	}
	if e.o.System == RefuseSystem {
		if ref := instructions(in); ref != nil {
			return nil, ref
		}
	}
	return in, nil
}

// instructions refuses an input with system or developer messages.
func instructions(in *agui.RunAgentInput) *refusal {
	for i, m := range in.Messages {
		if m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper {
			return &refusal{
				status: http.StatusBadRequest, code: "ROLE_REFUSED",
				message: fmt.Sprintf("Messages with the role %q are not taken from clients here.", m.Role),
				pointer: fmt.Sprintf("/messages/%d/role", i),
			}
		}
	}
	return nil
}

// isEncoded reports whether Content-Encoding names anything but identity.
func isEncoded(values []string) bool {
	for _, v := range values {
		for coding := range strings.SplitSeq(v, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				return true
			}
		}
	}
	return false
}

// isJSON reports whether a Content-Type is JSON's. A client that joins an
// application's header with its own sends "text/plain, application/json": one
// element that is JSON is enough.
func isJSON(values []string) bool {
	for _, v := range values {
		for element := range strings.SplitSeq(v, ",") {
			t, _, err := mime.ParseMediaType(element)
			if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
				continue
			}
			if t == "application/json" || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json") {
				return true
			}
		}
	}
	return false
}
