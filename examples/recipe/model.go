package main

import (
	"fmt"
	"net/http"

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

// defaultModel is asked for when a real service is used and no model is named.
const defaultModel = "gpt-5-mini"

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
	options := []lcopenai.Option{lcopenai.WithModel(m.name), lcopenai.WithToken(token), lcopenai.WithHTTPClient(langchaingo.HTTPClient(client))}
	if m.baseURL != "" {
		options = append(options, lcopenai.WithBaseURL(m.baseURL))
	}
	model, err := lcopenai.New(options...)
	if err != nil {
		m.close()
		return nil, fmt.Errorf("langchaingo: %w", err)
	}
	m.client = langchaingo.New(model, nil)
	return m, nil
}
