package langchaingo

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// requestOf turns what a model is called with into a request.
func requestOf(messages []llms.MessageContent, o *llms.CallOptions) (*chat.Request, error) {
	req := &chat.Request{}
	if err := setTools(req, o); err != nil {
		return nil, err
	}
	for i, m := range messages {
		if err := appendMessage(req, m); err != nil {
			return nil, invalid("message %d (%s): %w", i, m.Role, err)
		}
	}
	if o.JSONMode || o.ResponseMIMEType == "application/json" {
		req.ResponseFormat = &chat.ResponseFormat{}
	}
	r := &req.Options
	r.Model, r.MaxTokens, r.Stop = o.Model, o.MaxTokens, o.StopWords
	if o.Temperature != 0 {
		r.Temperature = new(o.Temperature)
	}
	if o.TopP != 0 {
		r.TopP = new(o.TopP)
	}
	if o.Seed != 0 {
		r.Seed = new(int64(o.Seed))
	}
	extra := map[string]any{}
	if o.TopK != 0 {
		extra["top_k"] = o.TopK
	}
	for name, v := range map[string]float64{
		"repetition_penalty": o.RepetitionPenalty, "frequency_penalty": o.FrequencyPenalty, "presence_penalty": o.PresencePenalty,
	} {
		if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
			extra[name] = v
		}
	}
	if len(extra) > 0 {
		r.Extra = extra
	}
	return req, nil
}

func setTools(req *chat.Request, o *llms.CallOptions) error {
	add := func(f *llms.FunctionDefinition) error {
		if f == nil {
			return invalid("tool %d has no function", len(req.Tools))
		}
		t := chat.Tool{Name: f.Name, Description: f.Description}
		if f.Parameters != nil {
			b, err := json.Marshal(f.Parameters)
			if err != nil {
				return invalid("the parameters of tool %q: %w", f.Name, err)
			}
			if string(b) != "null" {
				t.Parameters = b
			}
		}
		req.Tools = append(req.Tools, t)
		return nil
	}
	for _, f := range o.Functions {
		if err := add(&f); err != nil {
			return err
		}
	}
	for _, t := range o.Tools {
		if err := add(t.Function); err != nil {
			return err
		}
	}
	choice := o.ToolChoice
	if choice == nil && o.FunctionCallBehavior != "" {
		choice = string(o.FunctionCallBehavior)
	}
	var err error
	req.ToolChoice, err = choiceOf(choice)
	return err
}

// choiceOf reads a tool choice in any of the forms that langchaingo's
// providers take.
func choiceOf(v any) (chat.ToolChoice, error) {
	if v == nil {
		return chat.ToolChoice{}, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return chat.ToolChoice{}, invalid("the tool choice: %w", err)
	}
	var word string
	if json.Unmarshal(b, &word) == nil {
		switch word {
		case "", "auto":
			return chat.ToolChoice{}, nil
		case "none":
			return chat.ToolChoice{Mode: chat.ToolsNone}, nil
		case "required", "any":
			return chat.ToolChoice{Mode: chat.ToolsRequired}, nil
		}
		if !strings.HasPrefix(strings.TrimSpace(word), "{") {
			return chat.ToolChoice{}, invalid("the tool choice %q is not known", word)
		}
		b = []byte(word) // {"name": …}, of old
	}
	var named struct {
		Type, Name string
		Function   struct{ Name string }
	}
	if err := json.Unmarshal(b, &named); err != nil {
		return chat.ToolChoice{}, invalid("the tool choice %s is not known", b)
	}
	name := named.Function.Name + named.Name
	switch {
	case name != "":
		return chat.ToolChoice{Mode: chat.ToolsNamed, Name: name}, nil
	case named.Type != "" && named.Type != "function":
		return choiceOf(named.Type)
	}
	return chat.ToolChoice{}, invalid("the tool choice %s names no tool", b)
}

var roles = map[llms.ChatMessageType]agui.Role{
	llms.ChatMessageTypeSystem:  agui.RoleSystem,
	llms.ChatMessageTypeHuman:   agui.RoleUser,
	llms.ChatMessageTypeGeneric: agui.RoleUser,
	llms.ChatMessageTypeAI:      agui.RoleAssistant,
}

// appendMessage adds a message of langchaingo: one of a tool may hold several
// results, which are messages of their own here.
func appendMessage(req *chat.Request, in llms.MessageContent) error {
	m := agui.Message{ID: agui.NewID(), Role: roles[in.Role]}
	tool := in.Role == llms.ChatMessageTypeTool || in.Role == llms.ChatMessageTypeFunction
	if m.Role == "" && !tool {
		return fmt.Errorf("the role is not known")
	}
	var parts []agui.Part
	var text strings.Builder
	for i, part := range in.Parts {
		switch p := plainPart(part).(type) {
		case llms.ToolCallResponse:
			if !tool {
				return partError(i, fmt.Errorf("a tool's result does not belong here"))
			}
			id := p.ToolCallID
			if id == "" {
				id = lastCall(req, p.Name)
			}
			req.Messages = append(req.Messages, agui.ToolMessage(id, p.Content))
		case llms.ToolCall:
			if m.Role != agui.RoleAssistant || p.FunctionCall == nil {
				return partError(i, fmt.Errorf("a tool call without a function, or in a message that is not the model's"))
			}
			m.ToolCalls = append(m.ToolCalls, agui.ToolCall{
				ID: p.ID, Name: p.FunctionCall.Name, Arguments: agentArguments(req, p.FunctionCall),
			})
		case llms.TextContent:
			text.WriteString(p.Text)
			parts = append(parts, agui.Part{Type: agui.PartText, Text: p.Text})
		case llms.ImageURLContent:
			parts = append(parts, imagePart(p.URL))
		case llms.BinaryContent:
			parts = append(parts, binaryPart(p))
		default:
			return partError(i, fmt.Errorf("a %T cannot be sent", part))
		}
	}
	if tool {
		if len(parts) > 0 {
			return fmt.Errorf("it holds something that is no tool's result")
		}
		return nil
	}
	m.Content = agui.Text(text.String())
	for _, p := range parts {
		if p.Type != agui.PartText {
			m.Content = agui.Parts(parts...)
		}
	}
	req.Messages = append(req.Messages, m)
	return nil
}

// plainPart returns what a part is in the end: providers of langchaingo drop
// pointers and cache hints without a word.
func plainPart(p llms.ContentPart) any {
	for {
		if c, ok := p.(llms.CachedContent); ok {
			p = c.ContentPart
			continue
		}
		v := reflect.ValueOf(p)
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return p
		}
		inner, ok := v.Elem().Interface().(llms.ContentPart)
		if !ok {
			return p
		}
		p = inner
	}
}

// lastCall returns the id of the last call of a function: results in the old
// form have a name only.
func lastCall(req *chat.Request, name string) string {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		for _, c := range req.Messages[i].ToolCalls {
			if c.Name == name {
				return c.ID
			}
		}
	}
	return ""
}

// agentArguments returns a call's arguments. langchaingo's agent for functions
// takes the one argument out of its object, and sends it back bare: a JSON
// object is made of it again.
func agentArguments(req *chat.Request, f *llms.FunctionCall) string {
	args := strings.TrimSpace(f.Arguments)
	if args == "" || args[0] == '{' && json.Valid([]byte(args)) {
		return f.Arguments
	}
	for _, t := range req.Tools {
		if t.Name == f.Name && strings.Contains(string(t.Parameters), `"`+agentArgument+`"`) {
			b, _ := json.Marshal(map[string]string{agentArgument: f.Arguments}) // text cannot fail
			return string(b)
		}
	}
	return f.Arguments
}

// agentArgument is the one argument of every tool of langchaingo's agent for
// functions.
const agentArgument = "__arg1"

func imagePart(url string) agui.Part {
	if data, ok := strings.CutPrefix(url, "data:"); ok {
		if media, value, ok := strings.Cut(data, ";base64,"); ok {
			return agui.Part{Type: agui.PartImage, Source: agui.Source{Type: agui.SourceData, MIMEType: media, Value: value}}
		}
	}
	return agui.Part{Type: agui.PartImage, Source: agui.Source{Type: agui.SourceURL, Value: url}}
}

func binaryPart(p llms.BinaryContent) agui.Part {
	kind := agui.PartDocument
	switch media, _, _ := strings.Cut(p.MIMEType, "/"); media {
	case "image":
		kind = agui.PartImage
	case "audio":
		kind = agui.PartAudio
	case "video":
		kind = agui.PartVideo
	}
	return agui.Part{Type: kind, Source: agui.Source{
		Type: agui.SourceData, MIMEType: p.MIMEType, Value: base64.StdEncoding.EncodeToString(p.Data),
	}}
}
