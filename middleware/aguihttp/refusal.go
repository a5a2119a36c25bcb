package aguihttp

import (
	"encoding/json"
	"net/http"
)

// refusal is an answer that is not a stream.
type refusal struct {
	status  int
	code    string
	message string
	pointer string // a JSON Pointer (RFC 6901) into the body; "" is the whole
	header  [2]string
}

var (
	errShuttingDown = &refusal{
		status: http.StatusServiceUnavailable, code: "SHUTDOWN",
		message: "The server is shutting down.", header: [2]string{"Retry-After", "5"},
	}
	errBusy = &refusal{
		status: http.StatusServiceUnavailable, code: "BUSY",
		message: "The server has as many runs as it takes.", header: [2]string{"Retry-After", "1"},
	}
	errNoFlush = &refusal{
		status: http.StatusInternalServerError, code: "CANNOT_FLUSH",
		message: "This response cannot be flushed, so it cannot stream: a middleware in front of the endpoint " +
			"buffers the whole of it. Under Echo's Timeout or http.TimeoutHandler, use ContextTimeout instead, " +
			"or leave the route out; other wrappers need Flush, FlushError or Unwrap.",
	}
	errPanic = &refusal{
		status: http.StatusInternalServerError, code: "INTERNAL",
		message: "The request could not be read. The server's log has the details.",
	}
)

// write sends the refusal as {"error":{"code","message","pointer"}}.
func (f *refusal) write(w http.ResponseWriter) {
	type detail struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Pointer *string `json:"pointer,omitempty"`
	}
	d := detail{Code: f.code, Message: f.message}
	if f.status == http.StatusBadRequest {
		d.Pointer = &f.pointer
	}
	body, err := json.Marshal(map[string]detail{"error": d})
	if err != nil {
		body = []byte(`{"error":{"code":"INTERNAL","message":"The error could not be written."}}`)
	}
	h := w.Header()
	if f.header[0] != "" {
		h.Set(f.header[0], f.header[1])
	}
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(f.status)
	_, _ = w.Write(append(body, '\n')) // a client that left is no news here
}
