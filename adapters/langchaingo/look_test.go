package langchaingo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// TestNoKeyInErrors keeps what is secret out of the log, whoever quotes it.
func TestNoKeyInErrors(t *testing.T) {
	const key, parameter = "0123456789abcdef", "fedcba9876543210"
	secrets := []string{key, parameter, "sk-0123456789"}
	says := "no " + strings.Join(secrets, ", ")
	for name, r := range map[string]struct {
		status int
		body   string
	}{
		"refused":          {401, `{"error":{"message":"` + says + `"}}`},
		"refused, as text": {401, says},
		"in the stream":    {200, sse(`{"error":{"message":"` + says + `"}}`)},
		"not JSON":         {200, "data: " + says + "\n\n"},
	} {
		for _, tap := range []bool{true, false} {
			url := transcript(t, r.status, r.body) + "?api-key=" + parameter
			for provider, open := range map[string]func() (llms.Model, error){
				"openai": func() (llms.Model, error) {
					return openai.New(openai.WithToken(key), openai.WithBaseURL(url), openai.WithHTTPClient(httpClient(t, tap)))
				},
				"anthropic": func() (llms.Model, error) {
					return anthropic.New(anthropic.WithToken(key), anthropic.WithBaseURL(url), anthropic.WithHTTPClient(httpClient(t, tap)))
				},
			} {
				model, err := open()
				if err != nil {
					t.Fatal(err)
				}
				got := ask(t.Context(), langchaingo.New(model, nil), hello())
				for _, secret := range secrets {
					if got.err == nil || strings.Contains(got.err.Error(), secret) {
						t.Errorf("%s, %s, tap %v: the error has %s: %v", name, provider, tap, secret, got.err)
					}
				}
			}
		}
	}
	chain := chains.NewTransform(func(context.Context, map[string]any, ...chains.ChainCallOption) (map[string]any, error) {
		return nil, errors.New(says)
	}, []string{"in"}, []string{"out"})
	if got := ask(t.Context(), langchaingo.NewChain(chain, nil), hello()); got.err == nil || strings.Contains(got.err.Error(), "sk-0123456789") {
		t.Errorf("the chain's error is %v", got.err)
	}
	closed := "http://127.0.0.1:1?api-key=" + parameter
	model, err := openai.New(openai.WithToken(key), openai.WithBaseURL(closed), openai.WithHTTPClient(httpClient(t, false)))
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t.Context(), langchaingo.New(model, nil), hello()); got.err == nil || strings.Contains(got.err.Error(), parameter) {
		t.Errorf("the error is %v", got.err)
	}
}

// TestWhatTheModelSendsWith refuses what cannot be sent before it is, where it
// can be seen that there is no tap, and not before where it cannot.
func TestWhatTheModelSendsWith(t *testing.T) {
	wrapped := func(rt http.RoundTripper) http.RoundTripper { return roundTrip(rt.RoundTrip) }
	for name, c := range map[string]struct {
		client func() *http.Client
		sent   int
		ok     bool
	}{
		"nothing of its own": {client: func() *http.Client { return &http.Client{} }},
		"a transport":        {client: func() *http.Client { return httpClient(t, false) }},
		"a wrapper":          {client: func() *http.Client { return &http.Client{Transport: wrapped(httpClient(t, false).Transport)} }, sent: 1},
		"the tap":            {client: func() *http.Client { return httpClient(t, true) }, sent: 1, ok: true},
		"a wrapper around the tap": {
			client: func() *http.Client { return &http.Client{Transport: wrapped(httpClient(t, true).Transport)} }, sent: 1, ok: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := aguitest.NewModel(aguitest.Text("ok"))
			s := serve(t, m, openaiProtocol)
			client := c.client()
			t.Cleanup(client.CloseIdleConnections)
			model, err := openai.New(openai.WithToken("-"), openai.WithBaseURL(s.URL), openai.WithHTTPClient(client))
			if err != nil {
				t.Fatal(err)
			}
			req := hello()
			req.Options.TopP = new(0.5)
			got := ask(t.Context(), langchaingo.New(model, nil), req)
			var e *chat.Error
			if c.ok != (got.err == nil) || !c.ok && (!errors.As(got.err, &e) || e.Code != chat.CodeInvalidRequest) {
				t.Errorf("error %v", got.err)
			}
			if n := len(m.Requests()); n != c.sent {
				t.Errorf("%d requests, want %d", n, c.sent)
			}
		})
	}
	if model, err := openai.New(openai.WithToken("-"), openai.WithBaseURL("http://127.0.0.1:1")); err != nil {
		t.Fatal(err)
	} else {
		req := hello()
		req.Options.TopP = new(0.5)
		got := ask(t.Context(), langchaingo.New(model, nil), req)
		if got.err == nil || !strings.Contains(fmt.Sprint(got.err), "Options.TopP") {
			t.Errorf("langchaingo's own client: error %v", got.err)
		}
	}
}
