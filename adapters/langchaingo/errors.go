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

// invalid is the error of a request that cannot be sent. Its text names only
// what the caller wrote.
func invalid(format string, args ...any) *chat.Error {
	err := fmt.Errorf(format, args...)
	return &chat.Error{
		Code: chat.CodeInvalidRequest, Message: "The request cannot be sent to the model: " + err.Error() + ".",
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
	return chat.ModelError(chat.CodeIncomplete, fmt.Errorf("langchaingo: the answer ended without a finish reason: %w", err))
}

// ended returns the error of a call whose context has ended, whatever the
// model made of it, and nil while the context lives.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if err == nil {
		err = cause
	}
	for _, why := range []error{cause, ctx.Err()} {
		if !errors.Is(err, why) {
			err = fmt.Errorf("%w: %w", why, err)
		}
	}
	return fmt.Errorf("langchaingo: %w", err)
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
	var panicked *chat.PanicError
	if errors.As(err, &panicked) {
		return chat.ModelError(chat.CodeBadResponse, fmt.Errorf("langchaingo: the model's provider: %w", err))
	}
	wrapped := fmt.Errorf("langchaingo: %w", err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return wrapped
	case errors.Is(err, io.ErrUnexpectedEOF):
		return chat.ModelError(chat.CodeIncomplete, wrapped)
	case strings.Contains(err.Error(), "token too long"):
		return chat.ModelError(chat.CodeBadResponse, fmt.Errorf("%w (a chunk beyond the provider's limit: build the model with langchaingo.HTTPClient)", wrapped))
	}
	status := 0
	if m := statusText.FindStringSubmatch(err.Error()); m != nil {
		status, _ = strconv.Atoi(m[1])
	}
	return chat.ModelError(codeOf(status, err.Error()), wrapped)
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
		return chat.CodeContextLength
	case has("content_filter", "content_policy"):
		return chat.CodeContentFilter
	case status == http.StatusPaymentRequired, has("insufficient_quota", "billing"):
		return chat.CodeQuota
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == 0 && has("authentication_error", "invalid_api_key", "permission_error"):
		return chat.CodeAuthentication
	case status == http.StatusTooManyRequests, status == 0 && has("rate_limit", "too_many_requests"):
		return chat.CodeRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return chat.CodeTimeout
	case status == http.StatusNotFound, status == 0 && has("not_found_error"):
		return chat.CodeModelNotFound
	case status > 0 && status < 400:
		return chat.CodeBadResponse
	case status >= 400 && status < 500, status == 0 && has("invalid_request"):
		return chat.CodeInvalidRequest
	}
	return chat.CodeUnavailable
}
