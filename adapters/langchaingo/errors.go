package langchaingo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/middleware/chat"
)

// The codes of the errors of this package, beside those of package chat. Each
// error is a [chat.Error] with one of them, a text of ours that may be shown,
// and the cause, which may quote the server, for the log.
//
//	CodeAuthentication  401, 403
//	CodeNotFound        404: no such model or address
//	CodeContextLength   413, or the code context_length_exceeded
//	CodeContentFilter   the code content_filter
//	CodeRateLimited     429
//	CodeQuota           402, or the code insufficient_quota
//	CodeInvalidRequest  400, 422, other 4xx, or a request that cannot be sent
//	CodeUnavailable     5xx, an overloaded or broken server, no connection, and
//	                    whatever a model returns without saying more
//	CodeIncomplete      the answer stopped without a finish reason; the cause
//	                    wraps [io.ErrUnexpectedEOF]
//	CodeBadResponse     an answer that does not follow the protocol, or calls
//	                    whose arguments cannot be told apart
//	chat.CodeTimeout    408, 504
//
// When the context has ended the error wraps its cause and is no [chat.Error].
const (
	CodeAuthentication = "AUTHENTICATION"
	CodeNotFound       = "MODEL_NOT_FOUND"
	CodeContextLength  = "CONTEXT_LENGTH"
	CodeContentFilter  = "CONTENT_FILTER"
	CodeRateLimited    = "RATE_LIMITED"
	CodeQuota          = "QUOTA_EXCEEDED"
	CodeInvalidRequest = "INVALID_REQUEST"
	CodeUnavailable    = "MODEL_UNAVAILABLE"
	CodeIncomplete     = "INCOMPLETE_RESPONSE"
	CodeBadResponse    = "BAD_RESPONSE"
)

// shown are the texts that a client may see.
var shown = map[string]string{
	CodeAuthentication: "The model's server refused the credentials.",
	CodeNotFound:       "The model's server does not know the model or the address.",
	CodeContextLength:  "The conversation is too long for the model.",
	CodeContentFilter:  "The model's content filter refused the request.",
	CodeRateLimited:    "The model's server has too many requests. Try again later.",
	CodeQuota:          "The quota of the model's account is used up.",
	CodeInvalidRequest: "The model's server refused the request.",
	CodeUnavailable:    "The model's server is not available. Try again later.",
	CodeIncomplete:     "The model's answer broke off before its end.",
	CodeBadResponse:    "The model's server gave an answer that is not understood.",
	chat.CodeTimeout:   "The model's server did not answer in time.",
}

func coded(code string, err error) *chat.Error {
	return &chat.Error{Code: code, Message: shown[code], Err: err}
}

// invalid is the error of a request that cannot be sent. Its text names only
// what the caller wrote.
func invalid(format string, args ...any) *chat.Error {
	err := fmt.Errorf(format, args...)
	return &chat.Error{
		Code: CodeInvalidRequest, Message: "The request cannot be sent to the model: " + err.Error() + ".",
		Err: fmt.Errorf("langchaingo: %w", err),
	}
}

// cut is the error of an answer that stopped too early.
func cut(err error) error {
	switch {
	case err == nil || err == io.EOF:
		err = io.ErrUnexpectedEOF
	case !errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return coded(CodeIncomplete, fmt.Errorf("langchaingo: the answer ended without a finish reason: %w", err))
}

// ended returns the error of a call whose context has ended, whatever the
// model made of it, and nil while the context lives.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if err != nil && !errors.Is(err, cause) {
		return fmt.Errorf("langchaingo: %w: %w", cause, err)
	}
	return fmt.Errorf("langchaingo: %w", cause)
}

// statusText is how providers of langchaingo report an HTTP status: the error
// has nothing else to go by.
var statusText = regexp.MustCompile(`(?i)status(?: code)?:? (\d{3})\b`)

// classify turns what a model returned into an error of this package.
func classify(err error) error {
	var own *chat.Error
	if errors.As(err, &own) {
		return err
	}
	wrapped := fmt.Errorf("langchaingo: %w", err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return wrapped
	case errors.Is(err, io.ErrUnexpectedEOF):
		return coded(CodeIncomplete, wrapped)
	case strings.Contains(err.Error(), "token too long"):
		return coded(CodeBadResponse, fmt.Errorf("%w (a chunk beyond the provider's limit: build the model with langchaingo.HTTPClient)", wrapped))
	}
	status := 0
	if m := statusText.FindStringSubmatch(err.Error()); m != nil {
		status, _ = strconv.Atoi(m[1])
	}
	return coded(codeOf(status, err.Error()), wrapped)
}

// codeOf returns the code for an HTTP status (0 when there is none) and what
// the server says of it.
func codeOf(status int, says string) string {
	says = strings.ToLower(says)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(says, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusRequestEntityTooLarge, has("context_length", "string_above_max_length", "prompt is too long"):
		return CodeContextLength
	case has("content_filter", "content_policy"):
		return CodeContentFilter
	case status == http.StatusPaymentRequired, has("insufficient_quota", "billing"):
		return CodeQuota
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == 0 && has("authentication_error", "invalid_api_key", "permission_error"):
		return CodeAuthentication
	case status == http.StatusTooManyRequests, status == 0 && has("rate_limit", "too_many_requests"):
		return CodeRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return chat.CodeTimeout
	case status == http.StatusNotFound, status == 0 && has("not_found_error"):
		return CodeNotFound
	case status >= 400 && status < 500, status == 0 && has("invalid_request"):
		return CodeInvalidRequest
	}
	return CodeUnavailable
}
