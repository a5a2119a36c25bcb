package openai

import (
	"net/http"
	"os"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// The values of zero fields of [Options].
const (
	DefaultIdleTimeout  = 5 * time.Minute
	DefaultMaxRetries   = 2
	DefaultMaxRetryWait = 30 * time.Second
	DefaultMaxChunk     = 32 << 20
)

// Options are a client's settings. The zero value, and nil, is ready.
type Options struct {
	// APIKey, BaseURL, Organization and Project are read by [New]; empty ones
	// come from the environment: OPENAI_API_KEY, OPENAI_BASE_URL,
	// OPENAI_ORG_ID and OPENAI_PROJECT_ID, as other SDKs of this wire have
	// it. A base URL needs no key: local servers have none. A key is sent to
	// whatever base URL there is.
	APIKey       string
	BaseURL      string
	Organization string
	Project      string
	// Header is added to every request.
	Header http.Header
	// HTTPClient sends the requests of [New]; nil is one that keeps its
	// connections. The total timeout of an [http.Client] would cut long
	// answers: it is taken as the IdleTimeout instead.
	HTTPClient goopenai.HTTPDoer

	// Defaults stand in for what a request's options leave at zero. Of Extra
	// the members are taken one by one.
	Defaults chat.Options
	// InstructionRole is the role of system and developer messages. Empty is
	// developer for the reasoning models of OpenAI and system for others.
	InstructionRole agui.Role
	// SchemaInPrompt asks for a response format by [chat.SchemaPrompt], for
	// servers that do not know response_format.
	SchemaInPrompt bool
	// Provider names the provider in token usage; empty is "openai".
	Provider string
	// ReuseUpdates has each answer hand out one update again and again, a quarter
	// less to allocate per chunk: for a chain of which no layer keeps an update
	// beyond its loop body, as those of this module do not (package chat, "Laws
	// of a stream").
	ReuseUpdates bool

	// IdleTimeout is how long the server may be silent, before its header
	// and between two bytes. There is no total timeout: that is the
	// context's. Behind a finish reason, which makes the answer complete, the
	// rest is awaited for ten seconds at most. 0 is DefaultIdleTimeout,
	// negative is no limit.
	IdleTimeout time.Duration
	// MaxRetries is how often a request is sent again that failed before its
	// first byte: by a connection that broke, 408, 409, 429 or 5xx. The wait
	// doubles from half a second, or is what the server asks for by
	// Retry-After. 0 is DefaultMaxRetries, negative is none.
	MaxRetries int
	// MaxRetryWait is the longest wait for a retry; a server that asks for
	// more gets no retry. 0 is DefaultMaxRetryWait.
	MaxRetryWait time.Duration
	// MaxChunk is the longest chunk of a stream in bytes; a longer one is
	// [ErrTooLong]. 0 is DefaultMaxChunk.
	MaxChunk int
}

// settings returns a copy of o with its zero fields filled in.
func (o *Options) settings() *Options {
	var s Options
	if o != nil {
		s = *o
	}
	if s.Provider == "" {
		s.Provider = "openai"
	}
	if c, ok := s.HTTPClient.(*http.Client); ok && c != nil && c.Timeout > 0 {
		s.HTTPClient, s.IdleTimeout = endless(c, s.IdleTimeout)
	}
	if s.IdleTimeout == 0 {
		s.IdleTimeout = DefaultIdleTimeout
	}
	if s.MaxRetries == 0 {
		s.MaxRetries = DefaultMaxRetries
	}
	if s.MaxRetryWait <= 0 {
		s.MaxRetryWait = DefaultMaxRetryWait
	}
	if s.MaxChunk <= 0 {
		s.MaxChunk = DefaultMaxChunk
	}
	s.Header = s.Header.Clone()
	return &s
}

// endless returns the client without its total timeout, and the idle timeout
// that takes its place.
func endless(c *http.Client, idle time.Duration) (*http.Client, time.Duration) {
	if idle == 0 {
		idle = c.Timeout
	}
	copied := *c
	copied.Timeout = 0
	return &copied, idle
}

// environment fills in what [New] takes from the environment.
func (o *Options) environment() {
	for _, v := range []struct {
		field *string
		name  string
	}{
		{&o.APIKey, "OPENAI_API_KEY"},
		{&o.BaseURL, "OPENAI_BASE_URL"},
		{&o.Organization, "OPENAI_ORG_ID"},
		{&o.Project, "OPENAI_PROJECT_ID"},
	} {
		if *v.field == "" {
			*v.field = os.Getenv(v.name)
		}
	}
}
