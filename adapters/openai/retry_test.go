package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/middleware/chat"
)

// reply is one answer of a fake transport.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

// script gives one reply after the other and keeps the bodies it was sent.
type script struct {
	replies []reply
	bodies  []string
	open    int // bodies that were not closed
}

func (s *script) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.bodies = append(s.bodies, string(body))
	a := s.replies[min(len(s.bodies), len(s.replies))-1]
	if a.err != nil {
		return nil, a.err
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	s.open++
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Header: a.header, Body: &scriptBody{bytes.NewReader([]byte(a.body)), s}, Request: r}, nil
}

type scriptBody struct {
	*bytes.Reader
	s *script
}

func (b *scriptBody) Close() error { b.s.open--; return nil }

func TestRetry(t *testing.T) {
	good := reply{status: 200, body: textChunk + stopChunk + doneLine}
	status := func(code int, header ...string) reply {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return reply{status: code, header: h, body: "{}"}
	}
	// The bubble's clock begins at this time.
	date := time.Date(2000, 1, 1, 0, 0, 20, 0, time.UTC).Format(http.TimeFormat)
	const s, ms = time.Second, time.Millisecond
	first, second := [2]time.Duration{375 * ms, 500 * ms}, [2]time.Duration{375*ms + 750*ms, 1500 * ms}
	exact := func(d time.Duration) [2]time.Duration { return [2]time.Duration{d, d} }
	cases := []struct {
		name    string
		replies []reply
		options Options
		tries   int
		wait    [2]time.Duration
		code    string
	}{
		{"the backoff doubles", []reply{status(503), status(500), good}, Options{}, 3, second, ""},
		{"a broken connection", []reply{{err: syscall.ECONNRESET}, good}, Options{}, 2, first, ""},
		{"no connection at all", []reply{{err: syscall.ECONNREFUSED}}, Options{}, 3, second, chat.CodeUnavailable},
		{"a certificate that is not trusted", []reply{{err: &tls.CertificateVerificationError{Err: errors.New("x")}}}, Options{}, 1, exact(0), chat.CodeUnavailable},
		{"Retry-After in seconds", []reply{status(429, "Retry-After", "7"), good}, Options{}, 2, exact(7 * s), ""},
		{"Retry-After as a date", []reply{status(503, "Retry-After", date), good}, Options{}, 2, exact(20 * s), ""},
		{"Retry-After-Ms", []reply{status(429, "Retry-After-Ms", "1500", "Retry-After", "2"), good}, Options{}, 2, exact(1500 * ms), ""},
		{"Retry-After that is no time", []reply{status(429, "Retry-After", "soon"), good}, Options{}, 2, first, ""},
		{"a negative Retry-After", []reply{status(429, "Retry-After", "-5"), good}, Options{}, 2, first, ""},
		{"a Retry-After beyond the limit", []reply{status(429, "Retry-After", "31")}, Options{}, 1, exact(0), chat.CodeRateLimited},
		{"a Retry-After beyond all time", []reply{status(429, "Retry-After", "1e300")}, Options{}, 1, exact(0), chat.CodeRateLimited},
		{"a limit of one's own", []reply{status(429, "Retry-After", "31"), good}, Options{MaxRetryWait: time.Minute}, 2, exact(31 * s), ""},
		{"more tries", []reply{status(502, "Retry-After", "1"), status(504, "Retry-After", "1"), status(408, "Retry-After", "1"), status(409, "Retry-After", "1"), good}, Options{MaxRetries: 4}, 5, exact(4 * s), ""},
		{"no retries", []reply{status(503)}, Options{MaxRetries: -1}, 1, exact(0), chat.CodeUnavailable},
		{"x-should-retry", []reply{status(400, "X-Should-Retry", "true", "Retry-After", "0"), good}, Options{}, 2, exact(0), ""},
		{"not implemented", []reply{status(501)}, Options{}, 1, exact(0), chat.CodeUnavailable},
		{"a wrong request", []reply{status(400)}, Options{}, 1, exact(0), chat.CodeInvalidRequest},
		{"a wrong key", []reply{status(401)}, Options{}, 1, exact(0), chat.CodeAuthentication},
		{"the last error counts", []reply{status(503), status(429)}, Options{}, 3, second, chat.CodeRateLimited},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &script{replies: c.replies}
				o := c.options
				o.APIKey, o.HTTPClient = "key", transport
				from := time.Now()
				text, finish, _, err := gather(New("m", &o).Stream(t.Context(), hi()))
				took := time.Since(from)
				var e *chat.Error
				switch {
				case c.code == "" && (text != "Hi" || finish != chat.FinishStop || err != nil):
					t.Errorf("%q %q %v", text, finish, err)
				case c.code != "" && (!errors.As(err, &e) || e.Code != c.code):
					t.Errorf("the error is %v, want %s", err, c.code)
				}
				if len(transport.bodies) != c.tries {
					t.Errorf("%d tries, want %d", len(transport.bodies), c.tries)
				}
				for _, b := range transport.bodies {
					if b != transport.bodies[0] {
						t.Errorf("a try sent %s, the first %s", b, transport.bodies[0])
					}
				}
				if took < c.wait[0] || took > c.wait[1] {
					t.Errorf("it waited %v, want %v to %v", took, c.wait[0], c.wait[1])
				}
				if transport.open != 0 {
					t.Errorf("%d bodies were not closed", transport.open)
				}
			})
		})
	}
}

func TestCancelWhileWaitingForARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &script{replies: []reply{{status: 503, header: http.Header{"Retry-After": {"20"}}}}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		from := time.Now()
		_, _, _, err := gather(New("m", &Options{APIKey: "key", HTTPClient: transport}).Stream(ctx, hi()))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(from) != time.Second || len(transport.bodies) != 1 {
			t.Errorf("%v after %v and %d tries", err, time.Since(from), len(transport.bodies))
		}
	})
}

// The cause that a context ended with is in the error, and so is what the
// context itself says.
func TestCancelCause(t *testing.T) {
	why := errors.New("the server is going down")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, _, _, err := gather(New("m", &Options{APIKey: "key", HTTPClient: &script{}}).Stream(ctx, hi()))
	if !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	var e *chat.Error
	if errors.As(err, &e) {
		t.Errorf("the error has the code %s, which is not for the adapter to choose", e.Code)
	}
}

// What is secret in a request does not come into the log, whoever quotes it.
func TestNoKeyInErrors(t *testing.T) {
	const key, header, parameter, password = "0123456789abcdef", "fedcba9876543210", "parameter01234", "password01234"
	secrets := []string{key, header, parameter, password, "sk-0123456789"}
	says := "no " + strings.Join(secrets, ", ")
	replies := map[string]reply{
		"object":                 {status: 401, body: `{"error":{"message":"` + says + `"}}`},
		"text":                   {status: 401, body: says},
		"in the stream":          {status: 200, body: `data: {"error":{"message":"` + says + `"}}` + "\n\n"},
		"in the stream, text":    {status: 200, body: "event: error\ndata: " + says + "\n\n"},
		"in what is not a chunk": {status: 200, body: "data: " + says + "\n\n"},
		"in an address":          {err: &url.Error{Op: "Post", URL: "http://u:" + password + "@model.test/v1?api-key=" + parameter, Err: errors.New(says)}},
	}
	for name, r := range replies {
		base := "http://u:" + password + "@model.test/v1?code-key=" + parameter
		headers := http.Header{"X-Gateway-Token": {header}}
		config := goopenai.DefaultConfig(key)
		config.BaseURL = base
		clients := map[string]func(*script) chat.Client{
			"New": func(s *script) chat.Client {
				return New("m", &Options{APIKey: key, BaseURL: base, Header: headers, HTTPClient: s, MaxRetries: -1})
			},
			"FromClient, Doer": func(s *script) chat.Client {
				config.HTTPClient = Doer(s, &Options{Header: headers, MaxRetries: -1})
				return FromClient(goopenai.NewClientWithConfig(config), "m", nil)
			},
			"FromClient": func(s *script) chat.Client {
				config.HTTPClient = s
				return FromClient(goopenai.NewClientWithConfig(config), "m", nil)
			},
		}
		for way, client := range clients {
			_, _, _, err := gather(client(&script{replies: []reply{r}}).Stream(t.Context(), hi()))
			if err == nil {
				t.Errorf("%s, %s: no error", name, way)
				continue
			}
			for _, secret := range secrets {
				if secret == header && way == "FromClient" {
					continue // it sends none
				}
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s, %s: the error has %s: %v", name, way, secret, err)
				}
			}
		}
	}
}
