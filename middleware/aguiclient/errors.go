package aguiclient

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// PeerError is a failure that the peer itself has told: a RUN_ERROR event, or
// a run that it finished as cancelled. Every other error of this package was
// concluded here. It is the cause in a [chat.Error] with the same code and
// message.
type PeerError struct {
	Code    string
	Message string
	// Usage is what the failed run has used.
	Usage []agui.TokenUsage
}

// Error returns the peer's code and message.
func (e *PeerError) Error() string {
	if e.Code == "" {
		return "the peer says: " + e.Message
	}
	return "the peer says: " + e.Code + ": " + e.Message
}

// IncompleteError says that a stream ended without RUN_FINISHED or RUN_ERROR,
// so that nobody knows how the run went on.
type IncompleteError struct {
	// Events is how many events came before.
	Events int
	// Err is what broke the stream off; nil when it just ended.
	Err error
}

// Error says how many events came, and what broke the stream off.
func (e *IncompleteError) Error() string {
	s := fmt.Sprintf("the event stream ended after %d events, without RUN_FINISHED or RUN_ERROR", e.Events)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns what broke the stream off, or [io.ErrUnexpectedEOF].
func (e *IncompleteError) Unwrap() error {
	if e.Err == nil {
		return io.ErrUnexpectedEOF
	}
	return e.Err
}

// ResponseError says that an endpoint did not answer with an event stream.
type ResponseError struct {
	Status int
	// ContentType is the response's, as it came.
	ContentType string
	// Encoding is the response's Content-Encoding, when nobody has undone it:
	// net/http undoes gzip that it has asked for itself.
	Encoding string
	// Body is the beginning of the response's body.
	Body []byte
}

// Error returns the status, the content type, and the encoding or the beginning
// of the body.
func (e *ResponseError) Error() string {
	contentType := e.ContentType
	if contentType == "" {
		contentType = "no content type"
	}
	s := fmt.Sprintf("the answer is no event stream: status %d, %s", e.Status, contentType)
	if e.Encoding != "" {
		return s + ", still encoded as " + e.Encoding // which nobody can read
	}
	if text := strings.TrimSpace(string(e.Body)); text != "" {
		s += fmt.Sprintf(": %q", short(text))
	}
	return s
}

// short bounds what an error says of a peer's text: to its beginning and its
// end.
func short(s string) string {
	const most = 300
	if len(s) > most {
		return strings.ToValidUTF8(s[:most/2], "") + "…" + strings.ToValidUTF8(s[len(s)-most/2:], "")
	}
	return s
}

// FrameError says that a frame of an event stream cannot be read.
type FrameError struct {
	// Frame counts the frames with data, from 1.
	Frame  int
	Reason string
	// Err is an [*agui.EventError], [io.ErrUnexpectedEOF] in a frame that the
	// stream's end cuts, or nil.
	Err error
}

// Error says which frame it is and what is wrong with it.
func (e *FrameError) Error() string {
	s := fmt.Sprintf("frame %d of the event stream: %s", e.Frame, e.Reason)
	if e.Err != nil {
		s += ": " + short(e.Err.Error())
	}
	return s
}

// Unwrap returns the cause.
func (e *FrameError) Unwrap() error { return e.Err }

// cut reports whether the stream ended in the middle of the frame.
func (e *FrameError) cut() bool { return e.Err == io.ErrUnexpectedEOF }

// IdleError says that nothing came for too long, not even a comment.
type IdleError struct{ After time.Duration }

// Error says for how long nothing came.
func (e *IdleError) Error() string { return fmt.Sprintf("nothing came for %v", e.After) }

// Timeout reports true, as net.Error has it.
func (e *IdleError) Timeout() bool { return true }

// ErrRunning says that a thread has a run: it takes one at a time, and its
// state is set while the agent does not run.
var ErrRunning = errors.New("aguiclient: the thread has a run already")

// PendingError says that interrupts are pending that a run does not answer, or
// answers too late. Nothing was sent.
type PendingError struct {
	InterruptID string
	// Expired says that there is an answer, which comes too late: only a
	// cancellation is taken now.
	Expired bool
}

// Error names the interrupt.
func (e *PendingError) Error() string {
	if e.Expired {
		return fmt.Sprintf("aguiclient: the interrupt %q has expired: it can only be cancelled", e.InterruptID)
	}
	return fmt.Sprintf("aguiclient: the interrupt %q has no answer: all that are pending are answered at once", e.InterruptID)
}

// answered reports whether the error of a transport is about an answer that
// had begun: one that ended early, or that cannot be read.
func answered(err error) bool {
	var incomplete *IncompleteError
	var frame *FrameError
	var event *agui.EventError
	var order *agui.OrderError
	return errors.As(err, &incomplete) || errors.As(err, &frame) || errors.As(err, &event) || errors.As(err, &order)
}

// failed is the error of a run that did not end well, with the code and the
// text that a client further out may see.
func failed(err error) error {
	e := &chat.Error{Code: chat.CodeUnavailable, Message: "The remote agent is not available.", Err: fmt.Errorf("aguiclient: %w", err)}
	var order *agui.OrderError
	var event *agui.EventError
	var frame *FrameError
	var idle *IdleError
	var response *ResponseError
	var redirect *RedirectError
	var incomplete *IncompleteError
	var input *agui.InputError
	switch {
	case errors.As(err, &input):
		e.Code, e.Message = chat.CodeInvalidRequest, "The request cannot be sent to the remote agent."
	case errors.As(err, &order), errors.As(err, &event), errors.As(err, &frame) && !frame.cut():
		e.Code, e.Message = chat.CodeBadResponse, "The remote agent's answer broke the protocol."
	case errors.As(err, &redirect):
		e.Code, e.Message = chat.CodeBadResponse, "The remote agent is at another address."
	case errors.As(err, &idle):
		e.Code, e.Message = chat.CodeTimeout, "The remote agent went silent."
	case errors.As(err, &incomplete):
		e.Code, e.Message = chat.CodeIncomplete, "The remote agent's answer broke off before its end."
	case errors.As(err, &response):
		e.Code = response.code()
		switch e.Code {
		case chat.CodeUnavailable:
		case chat.CodeBadResponse:
			e.Message = "The remote agent's answer is no event stream."
		default:
			e.Message = "The remote agent refused the request."
		}
	}
	return e
}

// code is what a status means.
func (e *ResponseError) code() string {
	switch s := e.Status; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		return chat.CodeAuthentication
	case s == http.StatusNotFound:
		return chat.CodeModelNotFound
	case s == http.StatusTooManyRequests:
		return chat.CodeRateLimited
	case s >= 500:
		return chat.CodeUnavailable
	case s >= 400:
		return chat.CodeInvalidRequest
	}
	return chat.CodeBadResponse
}
