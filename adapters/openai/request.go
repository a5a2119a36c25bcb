package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// body is a request on the wire. It is written here and not with the SDK's
// type, which leaves out zeros and empty texts that have a meaning, and has no
// place for audio, files and the members of other servers.
type body struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	TopP                *float64        `json:"top_p,omitempty"`
	Stop                []string        `json:"stop,omitempty"`
	Seed                *int64          `json:"seed,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Tools               []tool          `json:"tools,omitempty"`
	ToolChoice          any             `json:"tool_choice,omitempty"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls,omitempty"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	Strict      bool            `json:"strict"`
}

type tool struct {
	Type     string     `json:"type"`
	Function definition `json:"function"`
}

type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type namedChoice struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// noParameters is the schema of a tool that takes nothing: servers refuse
// null.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// outgoing is a request ready to be sent.
type outgoing struct {
	body  []byte
	names *toolname.Table
	// model is the one that is asked.
	model string
	// beyond says that the SDK's own request cannot carry all of it.
	beyond bool
}

// encode turns a request into the body to send.
func (c *client) encode(ctx context.Context, req *chat.Request, usage bool) (*outgoing, error) {
	messages, err := req.Outgoing(ctx)
	if err != nil {
		return nil, err
	}
	o := req.Options.Or(c.Defaults)
	if o.Model == "" {
		o.Model = c.model
	}
	out := &outgoing{model: o.Model, names: toolname.New(req.Tools)}
	b := body{
		Model:       o.Model,
		Temperature: o.Temperature,
		TopP:        o.TopP,
		Stop:        o.Stop,
		Seed:        o.Seed,
		Stream:      true,
	}
	if usage {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if reasons(o.Model) {
		b.MaxCompletionTokens = o.MaxTokens
	} else {
		b.MaxTokens = o.MaxTokens
	}
	if f := req.ResponseFormat; f != nil {
		if c.SchemaInPrompt || f.Schema == nil && !mentionJSON(messages) {
			// OpenAI wants to read of JSON before it promises a JSON object.
			messages = append(messages, chat.SchemaPrompt(f))
		}
		if !c.SchemaInPrompt {
			if b.ResponseFormat, err = format(f); err != nil {
				return nil, err
			}
		}
	}
	t := translator{names: out.names, instruction: c.InstructionRole}
	if t.instruction == "" {
		t.instruction = agui.RoleSystem
		if reasons(o.Model) {
			t.instruction = agui.RoleDeveloper
		}
	}
	if b.Messages, err = t.translate(messages); err != nil {
		return nil, err
	}
	if b.Tools, err = tools(req.Tools, out.names); err != nil {
		return nil, err
	}
	if b.ToolChoice, err = choose(req, out.names); err != nil {
		return nil, err
	}
	if len(b.Tools) > 0 {
		b.ParallelToolCalls = o.ParallelToolCalls
	}
	if out.body, err = marshal(b); err != nil {
		return nil, invalid("%v", err)
	}
	out.beyond = !t.sdk
	if len(o.Extra) > 0 {
		out.beyond = true
		if out.body, err = extend(out.body, o.Extra); err != nil {
			return nil, err
		}
	}
	if len(b.Messages) == 0 && o.Extra["messages"] == nil {
		return nil, invalid("it has no messages")
	}
	return out, nil
}

// marshal is json.Marshal without the escaping of HTML, which models would
// have to read.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// extend sets members of the body; nil removes one.
func extend(b []byte, extra map[string]any) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if extra[name] == nil {
			delete(members, name)
			continue
		}
		v, err := marshal(extra[name])
		if err != nil {
			return nil, invalid("the extra member %q is not JSON: %v", name, err)
		}
		members[name] = v
	}
	return marshal(members)
}

// reasoning matches the models of OpenAI that take developer messages and
// max_completion_tokens, and refuse system and max_tokens: o1 and later, gpt-5
// and later. A gateway may put its vendor's name in front.
var reasoning = regexp.MustCompile(`^(openai/)?(o[1-9]|gpt-([5-9]|[1-9][0-9]))([-.:@]|$)`)

func reasons(model string) bool { return reasoning.MatchString(model) }

func mentionJSON(messages []agui.Message) bool {
	return slices.ContainsFunc(messages, func(m agui.Message) bool {
		return strings.Contains(strings.ToLower(m.Content.Text()), "json")
	})
}

func format(f *chat.ResponseFormat) (*responseFormat, error) {
	if f.Schema == nil {
		return &responseFormat{Type: "json_object"}, nil
	}
	if !object(f.Schema) {
		return nil, invalid("the schema of the response format %q is not a JSON object", f.Name)
	}
	return &responseFormat{Type: "json_schema", JSONSchema: &jsonSchema{
		Name: toolname.Valid(f.Name, "response"), Description: f.Description, Schema: f.Schema, Strict: f.Strict,
	}}, nil
}

func tools(list []chat.Tool, n *toolname.Table) ([]tool, error) {
	var out []tool
	seen := make(map[string]int, len(list))
	for i, t := range list {
		if t.Name == "" {
			return nil, invalid("tool %d has no name", i)
		}
		if k, ok := seen[t.Name]; ok {
			return nil, invalid("tool %d has the name %q of tool %d", i, t.Name, k)
		}
		seen[t.Name] = i
		parameters := t.Parameters
		if len(parameters) == 0 || string(parameters) == "null" {
			parameters = noParameters
		}
		if !object(parameters) {
			return nil, invalid("the parameters of tool %q are not a JSON object", t.Name)
		}
		out = append(out, tool{Type: "function", Function: definition{n.Theirs(t.Name), t.Description, parameters}})
	}
	return out, nil
}

func choose(req *chat.Request, n *toolname.Table) (any, error) {
	choice := req.ToolChoice
	offered := func(name string) bool {
		return slices.ContainsFunc(req.Tools, func(t chat.Tool) bool { return t.Name == name })
	}
	switch choice.Mode {
	case chat.ToolsAuto:
		return nil, nil
	case chat.ToolsNone:
		if len(req.Tools) == 0 {
			return nil, nil // servers refuse a choice where nothing is offered
		}
		return "none", nil
	case chat.ToolsRequired:
		if len(req.Tools) == 0 {
			return nil, invalid("a tool call is required and no tool is offered")
		}
		return "required", nil
	case chat.ToolsNamed:
		if !offered(choice.Name) {
			return nil, invalid("the tool choice names %q, which is not offered", choice.Name)
		}
		c := namedChoice{Type: "function"}
		c.Function.Name = n.Theirs(choice.Name)
		return c, nil
	}
	return nil, invalid("the tool mode %q is not known", choice.Mode)
}

func object(raw json.RawMessage) bool {
	c := cursor{b: raw}
	return c.peek() == '{' && json.Valid(raw)
}

// plain returns the request in the SDK's type, for a client that sends it
// itself.
func (o *outgoing) plain() (goopenai.ChatCompletionRequest, error) {
	var r goopenai.ChatCompletionRequest
	if err := json.Unmarshal(o.body, &r); err != nil {
		return r, invalid("%v", err)
	}
	// The SDK leaves out zeros and empty texts.
	var given struct {
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"top_p"`
		Tools       []tool   `json:"tools"`
	}
	if err := json.Unmarshal(o.body, &given); err != nil {
		return r, invalid("%v", err)
	}
	if given.Temperature != nil && *given.Temperature == 0 {
		r.Temperature = math.SmallestNonzeroFloat32
	}
	if given.TopP != nil && *given.TopP == 0 {
		r.TopP = math.SmallestNonzeroFloat32
	}
	for i := range r.Tools {
		r.Tools[i].Function.Parameters = given.Tools[i].Function.Parameters
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Content == "" && m.MultiContent == nil && m.ToolCalls == nil {
			m.Content = " "
		}
	}
	return r, nil
}
