package langchaingo

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// outgoing is a request as langchaingo takes it.
type outgoing struct {
	messages []llms.MessageContent
	options  llms.CallOptions
	wants    *wants
	// beyond names what only the tap can send; "" is nothing.
	beyond string
	// tapped says that the tap is expected to see the request.
	tapped bool
}

// encode turns a request into what the model is called with.
func (c *client) encode(ctx context.Context, req *chat.Request, tapped bool) (*outgoing, error) {
	messages, err := req.Outgoing(ctx)
	if err != nil {
		return nil, err
	}
	p := c.provider
	o := req.Options.Or(c.o.Defaults)
	for _, name := range slices.Sorted(maps.Keys(o.Extra)) {
		if _, err := marshal(o.Extra[name]); err != nil {
			return nil, invalid("the extra member %q is not JSON: %v", name, err)
		}
	}
	w := &wants{options: o, choice: req.ToolChoice, tools: req.Tools, names: toolname.New(req.Tools)}
	out := &outgoing{options: c.base, wants: w, tapped: tapped}
	if tapped {
		p.noTools, p.noChoice, p.quiet, p.noReason = false, false, false, false
	}
	if err := out.offer(req, p); err != nil {
		return nil, err
	}
	if f := req.ResponseFormat; f != nil {
		if f.Schema != nil && !object(f.Schema) {
			return nil, invalid("the schema of the response format %q is not a JSON object", f.Name)
		}
		inPrompt := c.o.SchemaInPrompt || !tapped || p.wire == &anthropicWire
		if !inPrompt {
			w.format = f
		}
		if inPrompt || f.Schema == nil && p.wire == &openaiWire && !mentionJSON(messages) {
			messages = append(messages, chat.SchemaPrompt(f))
		}
		if inPrompt && !p.noJSON && c.provider.name != "" && !c.o.SchemaInPrompt {
			out.options.JSONMode = true
		}
	}
	if must := out.must(req, p); must != "" {
		messages = append(messages, agui.SystemMessage(must))
	}
	w.messages = messages
	t := translator{provider: p, names: w.names}
	if tapped && p.wire == &ollamaWire {
		// The tap writes the messages: the provider refuses some of them.
		out.messages = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "")}
	} else if out.messages, err = t.translate(messages); err != nil {
		return nil, err
	}
	out.set(o, p)
	if one := o.ParallelToolCalls; tapped && p.wire == &ollamaWire && one != nil && !*one && len(out.options.Tools) > 0 {
		return nil, invalid("Ollama cannot be told to call one tool at a time (Options.ParallelToolCalls)")
	}
	return out, nil
}

// offer puts the tools into the options.
func (out *outgoing) offer(req *chat.Request, p provider) error {
	seen := map[string]int{}
	for i, t := range req.Tools {
		if t.Name == "" {
			return invalid("tool %d has no name", i)
		}
		if k, ok := seen[t.Name]; ok {
			return invalid("tool %d has the name %q of tool %d", i, t.Name, k)
		}
		seen[t.Name] = i
		if !object(schemaOf(t)) {
			return invalid("the parameters of tool %q are not a JSON object", t.Name)
		}
	}
	named := func(t chat.Tool) bool { return t.Name == req.ToolChoice.Name }
	tools := req.Tools
	switch req.ToolChoice.Mode {
	case chat.ToolsAuto:
	case chat.ToolsNone:
		// Where the choice cannot be told the tools are not either.
		if p.noChoice || p.noNone || p.name == "" {
			tools = nil
		}
	case chat.ToolsRequired:
		if len(tools) == 0 {
			return invalid("a tool call is required and no tool is offered")
		}
	case chat.ToolsNamed:
		if !slices.ContainsFunc(tools, named) {
			return invalid("the tool choice names %q, which is not offered", req.ToolChoice.Name)
		}
		if p.noChoice {
			tools = slices.DeleteFunc(slices.Clone(tools), func(t chat.Tool) bool { return !named(t) })
		}
	default:
		return invalid("the tool mode %q is not known", req.ToolChoice.Mode)
	}
	if len(tools) == 0 {
		return nil
	}
	if p.noTools {
		return invalid("langchaingo's %s provider drops tools: build its model with langchaingo.HTTPClient", p.name)
	}
	for _, t := range tools {
		var parameters any = schemaOf(t)
		if p.images == mediaBytes { // the Google providers take a map
			m := map[string]any{}
			if err := json.Unmarshal(schemaOf(t), &m); err != nil {
				return invalid("the parameters of tool %q: %v", t.Name, err)
			}
			parameters = m
		}
		out.options.Tools = append(slices.Clip(out.options.Tools), llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: out.wants.names.Theirs(t.Name), Description: t.Description, Parameters: parameters,
		}})
	}
	if req.ToolChoice.Mode != chat.ToolsAuto && !p.noChoice {
		out.options.ToolChoice = openaiChoice(req.ToolChoice, out.wants.names)
	}
	return nil
}

// must is what to tell the model where it cannot be made to call a tool.
func (out *outgoing) must(req *chat.Request, p provider) string {
	if !p.noChoice {
		return ""
	}
	switch req.ToolChoice.Mode {
	case chat.ToolsRequired:
		return "Answer by calling at least one of the tools."
	case chat.ToolsNamed:
		return "Answer by calling the tool " + out.wants.names.Theirs(req.ToolChoice.Name) + "."
	}
	return ""
}

// set puts the settings into the options, and notes which only the tap sends.
func (out *outgoing) set(o chat.Options, p provider) {
	c := &out.options
	if o.Model != "" {
		c.Model = o.Model
	}
	if o.Temperature != nil {
		c.Temperature = *o.Temperature
	}
	if c.Temperature != 0 && o.Temperature == nil {
		out.wants.options.Temperature = new(c.Temperature) // a call option's
	}
	if o.TopP != nil {
		c.TopP = *o.TopP
	}
	if o.MaxTokens != 0 {
		c.MaxTokens = o.MaxTokens
	}
	if o.Stop != nil {
		c.StopWords = o.Stop
	}
	if o.Seed != nil {
		c.Seed = int(*o.Seed)
	}
	// Alternatives would be mixed into one text.
	c.N, c.CandidateCount = 0, 0
	c.Metadata = maps.Clone(c.Metadata)
	if len(o.Extra) > 0 && !out.tapped { // langchaingo's own way for what it has no option for
		if c.Metadata == nil {
			c.Metadata = map[string]any{}
		}
		maps.Copy(c.Metadata, o.Extra)
	}
	switch {
	case o.ParallelToolCalls != nil && len(c.Tools) > 0:
		out.beyond = "Options.ParallelToolCalls"
	case o.TopP != nil && p.wire == &openaiWire:
		out.beyond = "Options.TopP"
	}
}

// offered are the tools that the model may know of.
func offered(w *wants) []chat.Tool {
	switch w.choice.Mode {
	case chat.ToolsNone:
		return nil
	case chat.ToolsNamed:
		for _, t := range w.tools {
			if t.Name == w.choice.Name {
				return []chat.Tool{t}
			}
		}
	}
	return w.tools
}

// schemaOf returns the schema of a tool's arguments: servers refuse null.
func schemaOf(t chat.Tool) json.RawMessage {
	if s := string(bytes.TrimSpace(t.Parameters)); s == "" || s == "null" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}

func object(raw json.RawMessage) bool {
	return json.Valid(raw) && strings.HasPrefix(strings.TrimSpace(string(raw)), "{")
}

func mentionJSON(messages []agui.Message) bool {
	return slices.ContainsFunc(messages, func(m agui.Message) bool {
		return strings.Contains(strings.ToLower(m.Content.Text()), "json")
	})
}
