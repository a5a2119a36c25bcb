package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/chat"
)

// The waits before a retry when the server names none: they double.
const (
	firstWait = 500 * time.Millisecond
	lastWait  = 8 * time.Second
)

// again decides whether a try is repeated, and after which wait. Nothing of
// the answer has been read then but the body of an error.
func (d *doer) again(req *http.Request, resp *http.Response, err error, try int) (time.Duration, bool) {
	if try >= d.MaxRetries || req.Context().Err() != nil {
		return 0, false
	}
	if err != nil {
		var untrusted *tls.CertificateVerificationError
		var own *chat.Error
		return backoff(try), !errors.Is(err, ErrIdle) && !errors.As(err, &untrusted) && !errors.As(err, &own)
	}
	f, ok := resp.Body.(failure)
	if !ok {
		return 0, false
	}
	switch resp.Header.Get("X-Should-Retry") {
	case "false":
		return 0, false
	case "true":
	default:
		switch s := resp.StatusCode; {
		case s == http.StatusTooManyRequests:
			// Waiting brings no quota back.
			if bytes.Contains(f.all, []byte("insufficient_quota")) {
				return 0, false
			}
		case s == http.StatusRequestTimeout, s == http.StatusConflict, s >= 500 && s != http.StatusNotImplemented:
		default:
			return 0, false
		}
	}
	wait, ok := retryAfter(resp.Header, time.Now())
	if !ok {
		wait = backoff(try)
	}
	return wait, wait <= d.MaxRetryWait
}

// retryAfter returns the wait that the server asks for: Retry-After-Ms, or
// Retry-After in seconds or as a date (RFC 9110 section 10.2.3).
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 {
		return duration(ms, time.Millisecond), true
	}
	s := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(s, 64); err == nil && seconds >= 0 {
		return duration(seconds, time.Second), true
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// duration bounds n units to what a Duration can hold.
func duration(n float64, unit time.Duration) time.Duration {
	const most = 365 * 24 * time.Hour
	if n > float64(most/unit) {
		return most
	}
	return time.Duration(n * float64(unit))
}

// backoff returns the wait before the retry after the given try, with up to a
// quarter taken off by chance so that clients do not come back together.
func backoff(try int) time.Duration {
	wait := min(lastWait, firstWait<<min(try, 10))
	return wait - time.Duration(rand.Int64N(int64(wait/4)))
}

// sleep waits, or returns the context's cause when that ends first.
func sleep(ctx context.Context, wait time.Duration) error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
