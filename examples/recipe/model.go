package main

import (
	"fmt"
	"net/http"
	"net/url"

	lcopenai "github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/examples/recipe/standin"
	"github.com/aguistate/aguistate/middleware/chat"
)

// model is the client at the end of the chain, and what is told of it.
type model struct {
	client  chat.Client
	name    string
	baseURL string
	standIn *standin.Server // nil where a real service answers
	close   func()
}

// What a key is for when nothing else is named.
const (
	defaultModel   = "gpt-5-mini"
	defaultBaseURL = "https://api.openai.com/v1"
)

// String names the model and where it is, without a password.
func (m *model) String() string {
	if u, err := url.Parse(m.baseURL); err == nil {
		return m.name + " at " + u.Redacted()
	}
	return m.name
}

// newModel talks to the service that the configuration names. Where it names
// none it starts the stand-in, and talks to that over HTTP like to any other.
func newModel(c *config) (*model, error) {
	m := &model{name: c.model, baseURL: c.baseURL, close: func() {}}
	if c.apiKey == "" && c.baseURL == "" {
		m.standIn = standin.New(&standin.Options{Pace: c.pace, Step: c.step})
		base, err := m.standIn.Start("127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("starting the stand-in: %w", err)
		}
		m.name, m.baseURL, m.close = standin.Model, base, func() { _ = m.standIn.Close() }
	}
	if m.name == "" {
		m.name = defaultModel
	}
	if m.baseURL == "" {
		m.baseURL = defaultBaseURL
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	client := &http.Client{Transport: transport}
	stop := m.close
	m.close = func() {
		stop()
		transport.CloseIdleConnections()
	}
	if c.backend == "openai" {
		m.client = openai.New(m.name, &openai.Options{APIKey: c.apiKey, BaseURL: m.baseURL, HTTPClient: client})
		return m, nil
	}
	token := c.apiKey
	if token == "" {
		token = "none" // langchaingo wants one, local servers do not
	}
	model, err := lcopenai.New(lcopenai.WithModel(m.name), lcopenai.WithToken(token), lcopenai.WithBaseURL(m.baseURL),
		lcopenai.WithHTTPClient(langchaingo.HTTPClient(client)))
	if err != nil {
		m.close()
		return nil, fmt.Errorf("langchaingo: %w", err)
	}
	m.client = langchaingo.New(model, nil)
	return m, nil
}
