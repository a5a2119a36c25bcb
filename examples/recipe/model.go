package main

import (
	"fmt"
	"net/http"

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
	switch c.backend {
	case "openai":
		m.client = openai.New(m.name, &openai.Options{APIKey: c.apiKey, BaseURL: m.baseURL, HTTPClient: client})
	}
	stop := m.close
	m.close = func() {
		stop()
		transport.CloseIdleConnections()
	}
	return m, nil
}
