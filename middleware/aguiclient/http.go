package aguiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguistate/aguistate/middleware/agui"
)

// DefaultIdleTimeout is how long an agent may be silent unless
// [HTTPOptions] says otherwise.
const DefaultIdleTimeout = 5 * time.Minute

// HTTPOptions are the settings of [HTTP]. The zero value is ready.
type HTTPOptions struct {
	// Client makes the requests; nil is a client of http.DefaultTransport. Its
	// Timeout is not used: it would cut good streams. Its CheckRedirect decides
	// which redirects are followed; without one they stay with their host.
	Client *http.Client
	// Header is sent with every request. Content-Type and Accept are ours.
	Header http.Header
	// Prepare is called with each request just before it is sent: to sign it,
	// or to add a token that changes. Its error ends the run, and nothing is
	// sent. It may be called by several runs at once.
	Prepare func(r *http.Request) error
	// IdleTimeout is how long nothing may come, not even a comment, before the
	// stream is given up with an [*IdleError]. There is no limit on a run as a
	// whole; that is the context's. 0 is [DefaultIdleTimeout], less is none.
	IdleTimeout time.Duration
	// MaxFrame bounds the memory that one event may take, in bytes of its
	// frame. 0 is [DefaultMaxFrame].
	MaxFrame int
}

// HTTP is the transport to an endpoint at a URL: a POST of the input, answered
// by server-sent events (AG-UI 1.0, "HTTP").
//
// Status, content type and encoding are checked before the body is read as
// events: the error is a [*ResponseError], with what comes of the body within a
// second. Compression by gzip is undone, unless a Header or the Client asks for
// it by itself. A frame that cannot be read is a [*FrameError], one that the
// stream's end cuts an [*IncompleteError], silence an [*IdleError].
//
// A request is sent once. It follows redirects with status 307 and 308 that
// stay with their host, or lead from http to https there; any other is a
// [*RedirectError], so that no input and no header goes where it was not meant
// to go.
func HTTP(url string, o *HTTPOptions) Transport {
	t := &httpTransport{url: url}
	if o != nil {
		t.o = *o
	}
	t.o.Header = t.o.Header.Clone()
	t.client = http.Client{}
	if t.o.Client != nil {
		t.client = *t.o.Client
		t.client.Timeout = 0
	}
	if t.client.CheckRedirect == nil {
		t.client.CheckRedirect = stay
	}
	if t.o.IdleTimeout == 0 {
		t.o.IdleTimeout = DefaultIdleTimeout
	}
	return t
}

type httpTransport struct {
	url    string
	o      HTTPOptions
	client http.Client
}

// Run posts the input and reads the events.
func (t *httpTransport) Run(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		idle := newIdle(t.o.IdleTimeout, cancel)
		defer idle.stop()
		// The cause says more than what the connection makes of it.
		fail := func(err error) {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			yield(nil, err)
		}
		resp, err := t.post(ctx, idle, in)
		if err != nil {
			fail(err)
			return
		}
		defer resp.Body.Close()
		body := &idleReader{idle: idle, in: resp.Body}
		if err := check(resp, body); err != nil {
			yield(nil, err)
			return
		}
		if err := t.read(body, yield); err != nil {
			fail(err)
		}
	}
}

// post sends the input and waits for the response's header.
func (t *httpTransport) post(ctx context.Context, idle *idle, in *agui.RunAgentInput) (*http.Response, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("the input cannot be sent: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range t.o.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header = req.Header.Clone() // the hook may change it
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host // where net/http looks for it
		req.Header.Del("Host")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", eventStream)
	if t.o.Prepare != nil {
		if err := t.o.Prepare(req); err != nil {
			return nil, fmt.Errorf("preparing the request: %w", err)
		}
	}
	idle.start()
	defer idle.stop()
	return t.client.Do(req)
}

const eventStream = "text/event-stream"

// check holds the response's head against what a stream has. A response that
// names no content type is taken for one, as by the reference client; one that
// is still encoded has no lines to look for.
func check(resp *http.Response, body *idleReader) error {
	e := &ResponseError{Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type")}
	if encoding := resp.Header.Get("Content-Encoding"); !strings.EqualFold(encoding, "identity") {
		e.Encoding = encoding
	}
	good := resp.StatusCode >= 200 && resp.StatusCode < 300 && resp.StatusCode != http.StatusNoContent && e.Encoding == ""
	if good && e.ContentType == "" {
		return nil
	}
	mediaType, _, _ := mime.ParseMediaType(e.ContentType)
	if good && mediaType == eventStream {
		return nil
	}
	// The status says what went wrong, also when the body never ends.
	const most = 64 << 10
	body.within(errorWait)
	defer body.stop()
	e.Body, _ = io.ReadAll(io.LimitReader(body, most))
	return e
}

// read yields the events of a body.
func (t *httpTransport) read(body *idleReader, yield func(agui.Event, error) bool) error {
	var decoder agui.Decoder
	f := newFrames(body, t.o.MaxFrame)
	for {
		data, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		e, err := decoder.Decode(data)
		if err != nil && !utf8.Valid(data) {
			// A stream of text is decoded with replacements (WHATWG Encoding).
			e, err = decoder.Decode(bytes.ToValidUTF8(data, []byte("\uFFFD")))
		}
		if err != nil && f.broken != nil {
			// The stream has ended before the frame did, whoever cut it.
			return &IncompleteError{Events: f.count - 1, Err: &FrameError{Frame: f.count, Reason: "it breaks off", Err: io.ErrUnexpectedEOF}}
		}
		if err != nil {
			return &FrameError{Frame: f.count, Reason: "it is no event", Err: err}
		}
		if !yield(e, nil) {
			return nil
		}
		if terminal(e) {
			finish(body, f)
			return nil
		}
	}
}

func terminal(e agui.Event) bool {
	t := e.Type()
	return t == agui.TypeRunFinished || t == agui.TypeRunError
}
