package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/internal/silence"
	"github.com/aguistate/aguistate/middleware/chat"
)

// ErrIdle says that a server was silent for longer than Options.IdleTimeout.
var ErrIdle = silence.Err

// ErrTooLong says that one chunk of a stream is longer than Options.MaxChunk.
var ErrTooLong = errors.New("a chunk is longer than the limit")

// invalid is the error of a request that cannot be sent. Its text names only
// what the caller wrote.
func invalid(format string, args ...any) *chat.Error {
	err := fmt.Errorf(format, args...)
	return &chat.Error{Code: chat.CodeInvalidRequest, Message: "The request cannot be sent to the model: " + err.Error() + ".", Err: fmt.Errorf("openai: %w", err)}
}

// classify turns what the SDK returned into an error of this package.
func classify(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); err == nil {
			err = cause
		} else if !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		if !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		return fmt.Errorf("openai: %w", err)
	}
	var own *chat.Error
	if errors.As(err, &own) {
		return err
	}
	wrapped := fmt.Errorf("openai: %w", err)
	// The SDK wraps an empty APIError in some RequestErrors: look at those
	// first.
	var failed *goopenai.RequestError
	if errors.As(err, &failed) {
		return chat.ModelError(code(failed.HTTPStatusCode, "", string(failed.Body)), &statusError{failed})
	}
	var api *goopenai.APIError
	if errors.As(err, &api) {
		return chat.ModelError(code(api.HTTPStatusCode, apiCode(api), api.Message), wrapped)
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return wrapped
	case errors.Is(err, ErrIdle):
		return chat.ModelError(chat.CodeTimeout, wrapped)
	case errors.Is(err, ErrTooLong), errors.Is(err, errJSON), errors.Is(err, goopenai.ErrTooManyEmptyStreamMessages):
		return chat.ModelError(chat.CodeBadResponse, wrapped)
	case errors.Is(err, goopenai.ErrChatCompletionInvalidModel),
		errors.Is(err, goopenai.ErrReasoningModelMaxTokensDeprecated),
		errors.Is(err, goopenai.ErrReasoningModelLimitationsLogprobs),
		errors.Is(err, goopenai.ErrReasoningModelLimitationsOther),
		errors.Is(err, goopenai.ErrReasoningEffortUnsupported),
		errors.Is(err, goopenai.ErrReasoningToolsRequireResponses),
		errors.Is(err, goopenai.ErrReasoningSamplingUnsupported):
		return chat.ModelError(chat.CodeInvalidRequest, wrapped)
	}
	return chat.ModelError(chat.CodeUnavailable, wrapped)
}

// incomplete is the error of a stream that ended too early.
func incomplete(err error) error {
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		} else {
			err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
		}
	}
	return chat.ModelError(chat.CodeIncomplete, fmt.Errorf("openai: the stream ended without a finish reason: %w", err))
}

// code returns the code for an HTTP status (0 in a stream), the server's own
// code or type, and its text.
func code(status int, name, text string) string {
	name = strings.ToLower(name)
	var n int
	if _, err := fmt.Sscan(name, &n); err == nil && status == 0 && n >= 400 && n < 600 {
		status = n // many servers say the HTTP status in the stream
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			// A body that the SDK did not understand is looked through.
			return strings.Contains(name, w) || strings.HasPrefix(text, "{") && strings.Contains(text, w)
		})
	}
	switch {
	case status == http.StatusRequestEntityTooLarge, has("context_length", "string_above_max_length"),
		status < 500 && strings.Contains(text, "maximum context length"): // vLLM says it in words only
		return chat.CodeContextLength
	case has("content_filter", "content_policy"):
		return chat.CodeContentFilter
	case status == http.StatusPaymentRequired, has("insufficient_quota", "billing"):
		return chat.CodeQuota
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == 0 && has("invalid_api_key", "authentication", "permission"):
		return chat.CodeAuthentication
	case status == http.StatusTooManyRequests, status == 0 && has("rate_limit", "too_many"):
		return chat.CodeRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout, status == 0 && has("timeout"):
		return chat.CodeTimeout
	case status == http.StatusNotFound, status == 0 && has("not_found"):
		return chat.CodeModelNotFound
	case status >= 400 && status < 500, status == 0 && has("invalid_request", "badrequest", "bad_request"):
		return chat.CodeInvalidRequest
	}
	return chat.CodeUnavailable
}

// apiCode returns what the server calls its error.
func apiCode(e *goopenai.APIError) string {
	var s []string
	if e.Code != nil {
		s = append(s, fmt.Sprint(e.Code))
	}
	if e.InnerError != nil && e.InnerError.Code != "" {
		s = append(s, e.InnerError.Code)
	}
	if e.Type != "" {
		s = append(s, e.Type)
	}
	return strings.Join(s, " ")
}

// statusError gives a RequestError a text that is of use: the SDK's says
// %!s(<nil>) for a body that it does not know.
type statusError struct{ *goopenai.RequestError }

func (e *statusError) Error() string {
	return fmt.Sprintf("openai: the server answered %s: %s", e.HTTPStatus, strings.TrimSpace(string(e.Body)))
}

func (e *statusError) Unwrap() error { return e.RequestError }

// streamError reads an error that came inside the stream, in any shape: an
// object, or text alone.
func streamError(raw []byte) error {
	c := cursor{b: raw}
	e := &goopenai.APIError{}
	if c.peek() == '"' {
		e.Message = c.text()
	}
	for key := range c.members() {
		switch string(key) {
		case "message", "detail":
			e.Message = c.joined()
		case "code":
			if s := c.label(); s != "" {
				e.Code = s
			}
		case "type":
			e.Type = c.label()
		case "innererror":
			for key := range c.members() {
				if string(key) == "code" {
					e.InnerError = &goopenai.InnerError{Code: c.text()}
				}
			}
		}
	}
	if e.Message == "" {
		e.Message = "the server reported an error in the stream: " + string(raw[:min(len(raw), 1024)])
	}
	return e
}

// failure returns the error that a chunk reports, nil if none.
func (k *chunk) failure() error {
	switch {
	case k.err != nil:
		return streamError(k.err)
	case string(k.object) == "error":
		e := &goopenai.APIError{Message: k.message}
		if k.code != "" {
			e.Code = k.code
		}
		return e
	}
	for _, ch := range k.choices {
		if ch.index == 0 && failed(ch.finish) {
			return &goopenai.APIError{Message: "the model stopped with " + ch.finish}
		}
	}
	return nil
}

// failed reports whether a finish reason means that the server gave up.
func failed(finish string) bool {
	switch finish {
	case "error", "abort", "insufficient_system_resource":
		return true
	}
	return false
}

// refusesUsage reports whether a server does not take stream_options.
func refusesUsage(err error) bool {
	text := ""
	var status int
	var request *goopenai.RequestError
	var api *goopenai.APIError
	switch {
	case errors.As(err, &request):
		status, text = request.HTTPStatusCode, string(request.Body)
	case errors.As(err, &api):
		status, text = api.HTTPStatusCode, api.Message
		if api.Param != nil {
			text += *api.Param
		}
	}
	return (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) && usageRefusal.MatchString(text)
}

// usageRefusal matches what servers say of stream_options, by name or, which
// is all that some say, without.
var usageRefusal = regexp.MustCompile(`(?i)stream.?options|include.?usage|extra (inputs|fields|keys)( are)? not (permitted|allowed)`)
