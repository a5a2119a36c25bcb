package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

// Request is what a client is asked. A middleware that changes it changes a
// [Request.Clone].
type Request struct {
	// Messages is the conversation.
	Messages []agui.Message
	// Live messages are computed anew at every model call and stand after the
	// conversation on the outgoing copy only: the current state, say. They
	// never enter the history.
	Live []Live
	// Tools are offered to the model: those with Invoke run in
	// [InvokeFunctions], the others at the client.
	Tools      []Tool
	ToolChoice ToolChoice
	// ResponseFormat asks for JSON; nil asks for text.
	ResponseFormat *ResponseFormat
	Options        Options
}

// Live computes a message at the time of a model call. The context is that of
// the call.
type Live func(ctx context.Context) (agui.Message, error)

// Clone returns a copy whose slices may be appended to and whose elements may
// be replaced without changing r. Nil gives an empty request.
func (r *Request) Clone() *Request {
	if r == nil {
		return &Request{}
	}
	c := *r
	c.Messages = slices.Clone(r.Messages)
	c.Live = slices.Clone(r.Live)
	c.Tools = slices.Clone(r.Tools)
	return &c
}

// Outgoing returns the messages to send to a model: a copy of the
// conversation, repaired by [Repair], with the live messages behind it.
// Adapters send this and nothing else.
//
// It fails when a live message does, and when a run has brought nothing but
// answers to interrupts that no layer has taken: see [Events].
func (r *Request) Outgoing(ctx context.Context) ([]agui.Message, error) {
	if err := answersFrom(ctx).unheard(); err != nil {
		return nil, err
	}
	out := Repair(r.Messages)
	for _, live := range r.Live {
		m, err := live(ctx)
		if err != nil {
			return nil, fmt.Errorf("chat: live message: %w", err)
		}
		out = append(out, m)
	}
	return out, nil
}

// ToolMode says whether the model may call tools.
type ToolMode string

// The tool modes. The zero value is the provider's default: it may call.
const (
	ToolsAuto     ToolMode = ""
	ToolsNone     ToolMode = "none"     // no call; InvokeFunctions stays out
	ToolsRequired ToolMode = "required" // at least one call
	ToolsNamed    ToolMode = "named"    // a call of the tool ToolChoice.Name
)

// ToolChoice says whether and which tools the model may or must call.
type ToolChoice struct {
	Mode ToolMode
	// Name belongs to ToolsNamed.
	Name string
}

// ResponseFormat asks for an answer in JSON. An adapter whose provider cannot
// be told puts it into the prompt by [SchemaPrompt]; none ignores it.
type ResponseFormat struct {
	// Name and Description of the schema; a name is letters, digits, _ and -.
	Name        string
	Description string
	// Schema is a JSON Schema object. Nil asks for any JSON object.
	Schema json.RawMessage
	// Strict asks the provider to enforce the schema.
	Strict bool
}

// SchemaPrompt returns the system message that asks for an answer of this
// format, for providers that have no other way.
func SchemaPrompt(f *ResponseFormat) agui.Message {
	text := "Answer with one JSON object and nothing else: no prose, no code fence."
	if len(f.Schema) > 0 {
		text += " It must be valid against this JSON Schema:\n" + string(f.Schema)
	}
	return agui.SystemMessage(text)
}

// Options are a model call's settings. Zero fields leave the provider's
// default.
type Options struct {
	Model             string
	Temperature       *float64
	TopP              *float64
	MaxTokens         int
	Stop              []string
	Seed              *int64
	ParallelToolCalls *bool
	// Extra are members of the provider's own request, by name.
	Extra map[string]any
}

// Or returns the options with the defaults where they are zero. Of Extra the
// members are taken one by one.
func (o Options) Or(defaults Options) Options {
	if o.Model == "" {
		o.Model = defaults.Model
	}
	if o.Temperature == nil {
		o.Temperature = defaults.Temperature
	}
	if o.TopP == nil {
		o.TopP = defaults.TopP
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = defaults.MaxTokens
	}
	if o.Stop == nil {
		o.Stop = defaults.Stop
	}
	if o.Seed == nil {
		o.Seed = defaults.Seed
	}
	if o.ParallelToolCalls == nil {
		o.ParallelToolCalls = defaults.ParallelToolCalls
	}
	if len(defaults.Extra) > 0 {
		extra := maps.Clone(defaults.Extra)
		maps.Copy(extra, o.Extra)
		o.Extra = extra
	}
	return o
}
