package langchaingo

import (
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/middleware/chat"
)

// StreamMode says when a model is asked to stream.
type StreamMode string

// The stream modes. What is not streamed comes in one piece; behind
// [HTTPClient] that is read as exactly as a stream.
const (
	StreamAlways       StreamMode = ""
	StreamWithoutTools StreamMode = "without tools" // for models that refuse both together
	StreamNever        StreamMode = "never"
)

// Options are the settings of [New]. The zero value, and nil, is ready.
type Options struct {
	// Provider is the name of the langchaingo provider that is behind the
	// model, such as openai, anthropic, ollama or googleai. Empty is known by
	// the model's type; name it for a model in a wrapper of your own. It also
	// names the provider in token usage.
	Provider string
	// Model is the name of the model, for token usage, where the answer does
	// not have it and the request names none.
	Model string
	// CallOptions are applied once, before the options of a request, which
	// win. The streaming functions, tools and tool choice in them are not
	// used, nor are more choices than one.
	CallOptions []llms.CallOption
	// Defaults stand in for what a request's options leave at zero. Of Extra
	// the members are taken one by one.
	Defaults chat.Options
	// Streaming says when the model is asked to stream.
	Streaming StreamMode
	// SchemaInPrompt asks for a response format by [chat.SchemaPrompt] alone,
	// for servers that know no other way.
	SchemaInPrompt bool
	// IdleTimeout is how long the server of a model that is built with
	// [HTTPClient] may be silent, before its header and between two bytes; of
	// a complete answer the tail is awaited for ten seconds at most. There is
	// no total timeout: that is the context's. 0 is the Timeout of the client
	// that was given to HTTPClient, or DefaultIdleTimeout; negative is no
	// limit. Other models know the context's end only.
	IdleTimeout time.Duration
}
