package openai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/internal/mask"
	"github.com/aguistate/aguistate/adapters/internal/silence"
	"github.com/aguistate/aguistate/middleware/chat"
)

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 16 << 10

// Doer returns an HTTP client for [goopenai.ClientConfig] that does what the
// SDK leaves open: it retries, watches for silence, bounds what it reads,
// repairs streams that the SDK's reader misreads, gives connections back, and
// lets [FromClient] send what the SDK's request type has no field for. [New]
// has it built in. A nil inner is a client of its own that keeps connections.
//
//	config := goopenai.DefaultConfig(key)
//	config.HTTPClient = openai.Doer(nil, nil)
//	client := openai.FromClient(goopenai.NewClientWithConfig(config), "gpt-5-mini", nil)
//
// Of the options it reads Header, Project and the limits. Behind a finish
// reason the rest of the stream is awaited for ten seconds at most.
func Doer(inner goopenai.HTTPDoer, o *Options) goopenai.HTTPDoer {
	s := o.settings()
	if c, ok := inner.(*http.Client); ok {
		if c == nil {
			inner = nil
		} else if c.Timeout > 0 {
			idle := time.Duration(0)
			if o != nil {
				idle = o.IdleTimeout
			}
			inner, s.IdleTimeout = endless(c, idle)
		}
	}
	if inner == nil {
		inner = pooled
	}
	return &doer{inner: inner, Options: s}
}

// pooled sends the requests of everybody who brings no client: one pool of
// connections, no total timeout.
var pooled = &http.Client{Transport: func() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 64
	return t
}()}

type doer struct {
	inner goopenai.HTTPDoer
	*Options
}

// exchange is what one model call and the doer tell each other, through the
// request's context.
type exchange struct {
	body    []byte       // in place of the SDK's
	seen    bool         // the doer is there
	end     atomic.Bool  // the answer is complete, only its tail is awaited
	secrets mask.Secrets // in the request
}

type exchangeKey struct{}

// Do sends a request. The response's body, if it is a stream, is SSE that the
// SDK's reader understands; that of a failure is in memory, for the SDK does
// not close it.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	body, err := d.prepare(req, x)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		resp, err := d.once(req, body, x)
		wait, again := d.again(req, resp, err, try)
		if again = again && (body != nil || req.Body == nil); !again {
			return resp, err
		}
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// prepare sets what every try has in common and returns the body to send, nil
// when it can be sent only once.
func (d *doer) prepare(req *http.Request, x *exchange) ([]byte, error) {
	for name, values := range d.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if d.Project != "" {
		req.Header.Set("OpenAI-Project", d.Project)
	}
	if x != nil {
		x.seen, x.secrets = true, secretsOf(req)
		if x.body != nil {
			return x.body, nil
		}
	}
	if req.GetBody == nil {
		return nil, nil
	}
	r, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// once sends the request under a context that a silence cancels.
func (d *doer) once(req *http.Request, body []byte, x *exchange) (*http.Response, error) {
	resp, w, err := silence.Watch(req.Context(), d.IdleTimeout, func(ctx context.Context) (*http.Response, error) {
		req := req.Clone(ctx)
		if body != nil {
			req.ContentLength = int64(len(body))
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
			req.Body, _ = req.GetBody()
		}
		return d.inner.Do(req)
	})
	if err != nil {
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode >= 400:
		defer w.Close()
		// The status counts, also of a body that breaks off.
		b, _ := io.ReadAll(io.LimitReader(w, maxErrorBody))
		b = []byte(secretsOf(req).Text(string(b)))
		resp.Body = failure{bytes.NewReader(b), b}
	case x == nil && media != "text/event-stream":
		// Another call of the SDK, none of ours.
	case resp.StatusCode != http.StatusOK:
		w.Close()
		return nil, chat.ModelError(chat.CodeBadResponse, fmt.Errorf("openai: the server answered %s", resp.Status))
	default:
		if w.Ended = new(atomic.Bool); x != nil {
			w.Ended = &x.end
		}
		resp.Body = newFrames(w, d.MaxChunk, x != nil)
	}
	return resp, nil
}

// failure is the body of a failure, at most maxErrorBody of it.
type failure struct {
	*bytes.Reader
	all []byte
}

func (failure) Close() error { return nil }

// secretsOf are what no error may quote of a request: servers quote it, and
// error texts end in logs.
func secretsOf(req *http.Request) mask.Secrets {
	return mask.Secrets(nil).Header(req.Header).URL(req.URL.String())
}
