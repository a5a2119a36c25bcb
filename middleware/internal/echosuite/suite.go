// Package echosuite holds the tests that the endpoint's face of each version
// of Echo has to pass.
package echosuite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Agent is one agent of a server.
type Agent struct {
	Group   string // the prefix of a group to map it in, or none
	Path    string
	Client  chat.Client
	Options *aguihttp.Options
	Use     []string // names of Face.Middleware, outermost first
}

// Face is what a version of Echo brings.
type Face struct {
	// New returns an Echo with the agents mapped.
	New func(t *testing.T, agents ...Agent) http.Handler
	// Decoding are Echos that decode parameters of the path themselves; one
	// "by path" does so before it routes.
	Decoding map[string]func(t *testing.T, agents ...Agent) http.Handler
	// Get is the face's Get for strings.
	Get func(ctx context.Context, key string) (string, bool)
	// Harmless are the names of middlewares under which a run is as without.
	// "jwt" takes a bearer token that Token returns; "values" sets the value
	// "plan" to "gold" in Echo's context; "gzip" compresses; "limit" takes
	// bodies of up to 1 KB; "context-timeout" ends after a millisecond;
	// "timeout" buffers; "answers" writes 418 and "teapot, ", goes on, and
	// writes the error that comes back.
	Harmless []string
	Token    string
}

const input = `{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[{"id":"m","role":"user","content":"Hi"}]}`

// Run runs the suite.
func Run(t *testing.T, f Face) {
	t.Run("Harmless", f.harmless)
	t.Run("All", f.all)
	t.Run("Gzip", f.gzip)
	t.Run("Limit", f.limit)
	t.Run("JWT", f.jwt)
	t.Run("ContextTimeout", f.contextTimeout)
	t.Run("Timeout", f.timeout)
	t.Run("Answered", f.answered)
	t.Run("Failure", f.failure)
	t.Run("ClientGone", f.clientGone)
	t.Run("Context", f.context)
	t.Run("Parameters", f.parameters)
	t.Run("ContextIsNotReused", f.notReused)
	t.Run("Agents", f.agents)
	t.Run("Capabilities", f.capabilities)
	t.Run("CapabilitiesOfAWildcard", f.wildcard)
	t.Run("Refusals", f.refusals)
}

// says is a client that answers s and ends.
func says(s string) chat.Client {
	return chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			_ = yield(&chat.Update{Text: s}, nil) && yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
		}
	})
}

func quiet(o aguihttp.Options) *aguihttp.Options {
	o.Logger = slog.New(slog.DiscardHandler)
	return &o
}

func (f Face) serve(t *testing.T, agents ...Agent) *httptest.Server {
	t.Helper()
	for i := range agents {
		if agents[i].Options == nil {
			agents[i].Options = quiet(aguihttp.Options{})
		}
		if agents[i].Path == "" {
			agents[i].Path = "/agent"
		}
	}
	s := httptest.NewUnstartedServer(f.New(t, agents...))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// clients are one of HTTP/1.1 and one of h2c. Neither decompresses.
func clients(t *testing.T) map[string]*http.Client {
	h2c := new(http.Protocols)
	h2c.SetUnencryptedHTTP2(true)
	all := map[string]*http.Client{}
	for name, tr := range map[string]*http.Transport{
		"HTTP/1.1": {DisableCompression: true}, "h2c": {DisableCompression: true, Protocols: h2c},
	} {
		t.Cleanup(tr.CloseIdleConnections)
		all[name] = &http.Client{Transport: tr}
	}
	return all
}

func (f Face) post(t *testing.T, c *http.Client, url string, body io.Reader, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", "http://page.example")
	req.Header.Set("Authorization", "Bearer "+f.Token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// frame reads one frame, and says whether there was one.
func frame(t *testing.T, r io.Reader) (map[string]any, bool) {
	t.Helper()
	var b []byte
	one := make([]byte, 1)
	for !bytes.HasSuffix(b, []byte("\n\n")) {
		if _, err := io.ReadFull(r, one); err != nil {
			if err == io.EOF && len(b) == 0 {
				return nil, false
			}
			t.Fatalf("stream broken after %q: %v", b, err)
		}
		b = append(b, one...)
	}
	data, ok := strings.CutPrefix(string(b), "data: ")
	if !ok {
		t.Fatalf("frame %q", b)
	}
	var e map[string]any
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		t.Fatalf("frame %q: %v", b, err)
	}
	return e, true
}

// story reads a whole stream: its event types, with the text and the code.
func story(t *testing.T, r io.Reader) string {
	t.Helper()
	var s []string
	for {
		e, ok := frame(t, r)
		if !ok {
			return strings.Join(s, " ")
		}
		word := fmt.Sprint(e["type"])
		for _, key := range []string{"delta", "code"} {
			if v, ok := e[key]; ok {
				word += fmt.Sprintf("(%v)", v)
			}
		}
		s = append(s, word)
	}
}

const wholeStory = "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT(ok) TEXT_MESSAGE_END RUN_FINISHED"

func refusal(t *testing.T, res *http.Response, status int, code string) string {
	t.Helper()
	var body struct {
		Error struct{ Code, Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != status || body.Error.Code != code {
		t.Errorf("got %s, %+v", res.Status, body.Error)
	}
	return body.Error.Message
}
