package langchaingo

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/agui"
)

// noOutput stands for the empty result of a tool: servers refuse "".
const noOutput = "(no output)"

// translator turns messages into langchaingo's, in the way that the provider
// takes them.
type translator struct {
	provider
	names  *toolname.Table
	called map[string]string // tool name by call id
	out    []llms.MessageContent
	media  []llms.ContentPart // from tool results, for the message behind them
}

// translate returns the messages to send. What cannot be sent is an error
// that names message and part.
func (t *translator) translate(messages []agui.Message) ([]llms.MessageContent, error) {
	t.called = map[string]string{}
	talked := false
	for i := range messages {
		m := &messages[i]
		if m.Role != agui.RoleTool {
			t.behindResults()
		}
		var err error
		switch m.Role {
		case agui.RoleSystem, agui.RoleDeveloper:
			if err = onlyText(m); err == nil {
				t.instruct(m.Content.Text(), talked)
				continue
			}
		case agui.RoleUser:
			err = t.user(m)
		case agui.RoleAssistant:
			if err = onlyText(m); err == nil {
				t.assistant(m)
			}
		case agui.RoleTool:
			err = t.result(m)
		case agui.RoleActivity, agui.RoleReasoning:
			continue
		default:
			err = roleError(m)
		}
		if err != nil {
			return nil, invalid("message %d (%q): %w", i, m.ID, err)
		}
		talked = true
	}
	t.behindResults()
	return t.out, nil
}

func roleError(m *agui.Message) error { return fmt.Errorf("no model knows the role %q", m.Role) }

// onlyText refuses a message whose role has text alone on every wire.
func onlyText(m *agui.Message) error {
	for i, p := range m.Content.Parts() {
		if p.Type != agui.PartText {
			return partError(i, fmt.Errorf("a part of type %q cannot be sent in a message of the role %q", p.Type, m.Role))
		}
	}
	return nil
}

func (t *translator) say(role llms.ChatMessageType, parts ...llms.ContentPart) {
	t.out = append(t.out, llms.MessageContent{Role: role, Parts: parts})
}

// instruct adds a system message. Where the provider would move it to the
// front, one inside the conversation goes as the user's, for its place counts.
func (t *translator) instruct(s string, talked bool) {
	if !t.leading {
		t.say(llms.ChatMessageTypeSystem, llms.TextContent{Text: s})
		return
	}
	switch n := len(t.out); {
	case s == "":
	case talked:
		t.say(llms.ChatMessageTypeHuman, llms.TextContent{Text: "<system>\n" + s + "\n</system>"})
	case n > 0: // the provider would put them together without a space
		first := t.out[0].Parts[0].(llms.TextContent)
		t.out[0].Parts[0] = llms.TextContent{Text: first.Text + "\n\n" + s}
	default:
		t.say(llms.ChatMessageTypeSystem, llms.TextContent{Text: s})
	}
}

func (t *translator) user(m *agui.Message) error {
	parts, err := t.parts(m.Content)
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		parts = []llms.ContentPart{llms.TextContent{}}
	}
	t.say(llms.ChatMessageTypeHuman, parts...)
	return nil
}

// parts returns the content's parts, its text in one where that is all.
func (t *translator) parts(c agui.Content) ([]llms.ContentPart, error) {
	var out []llms.ContentPart
	var text strings.Builder
	for i, p := range c.Parts() {
		if p.Type == agui.PartText {
			text.WriteString(p.Text)
			if p.Text != "" {
				out = append(out, llms.TextContent{Text: p.Text})
			}
			continue
		}
		part, err := t.medium(p)
		if err != nil {
			return nil, partError(i, err)
		}
		out = append(out, part)
	}
	if text.Len() == 0 || len(out) < 2 {
		return out, nil
	}
	// One text, in front of the media: some providers take no second one.
	whole := []llms.ContentPart{llms.TextContent{Text: text.String()}}
	for _, p := range out {
		if _, ok := p.(llms.TextContent); !ok {
			whole = append(whole, p)
		}
	}
	if t.images == imageURLs {
		if len(whole) == 1 {
			return whole, nil
		}
		return out, nil
	}
	return whole, nil
}

func partError(i int, err error) error { return fmt.Errorf("part %d: %w", i, err) }

func (t *translator) medium(p agui.Part) (llms.ContentPart, error) {
	s := p.Source
	if t.images != imageURLs {
		data, err := bytesOf(p, t.images)
		if err != nil {
			return nil, err
		}
		return llms.BinaryContent{MIMEType: s.MIMEType, Data: data}, nil
	}
	if p.Type != agui.PartImage {
		return nil, fmt.Errorf("langchaingo has no way to send a part of type %q to this provider", p.Type)
	}
	switch {
	case s.Value == "":
		return nil, errors.New("the source has no value")
	case s.Type == agui.SourceURL:
		return llms.ImageURLContent{URL: s.Value}, nil
	case s.Type == agui.SourceData && s.MIMEType == "":
		return nil, errors.New("data without a MIME type")
	case s.Type == agui.SourceData:
		return llms.ImageURLContent{URL: "data:" + s.MIMEType + ";base64," + s.Value}, nil
	}
	return nil, fmt.Errorf("a source of type %q cannot be sent", s.Type)
}

// bytesOf returns what a part holds by value. An address is not fetched: a
// server that fetched what a client names would open its own network to it.
func bytesOf(p agui.Part, form imageForm) ([]byte, error) {
	s := p.Source
	switch {
	case form == noImages, form == imageBytes && p.Type != agui.PartImage:
		return nil, fmt.Errorf("langchaingo has no way to send a part of type %q to this provider", p.Type)
	case s.Type != agui.SourceData:
		return nil, fmt.Errorf("a source of type %q cannot be sent to this provider, only data", s.Type)
	case s.MIMEType == "":
		return nil, errors.New("data without a MIME type")
	}
	data, err := base64.StdEncoding.DecodeString(s.Value)
	if err != nil {
		return nil, fmt.Errorf("the data is not base64: %w", err)
	}
	return data, nil
}

func (t *translator) assistant(m *agui.Message) {
	var parts []llms.ContentPart
	if s := m.Content.Text(); s != "" {
		parts = append(parts, llms.TextContent{Text: s})
	}
	for _, c := range m.ToolCalls {
		t.called[c.ID] = c.Name
		parts = append(parts, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{
			Name: t.names.Theirs(c.Name), Arguments: pastArguments(c.Arguments),
		}})
	}
	if !t.onePart {
		t.say(llms.ChatMessageTypeAI, parts...)
		return
	}
	for _, p := range parts { // the server puts them together again
		t.say(llms.ChatMessageTypeAI, p)
	}
}

// pastArguments returns an earlier call's arguments as a JSON object: servers
// decode them, and refuse the whole conversation for good when they cannot.
// What the model wrote amiss stays visible to it.
func pastArguments(s string) string {
	trimmed := strings.TrimSpace(s)
	switch {
	case trimmed == "", trimmed == "null":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return s
	}
	wrapped, _ := json.Marshal(map[string]string{"invalid_arguments": s}) // text cannot fail
	return string(wrapped)
}

func (t *translator) result(m *agui.Message) error {
	for i, p := range m.Content.Parts() {
		if p.Type == agui.PartText {
			continue
		}
		part, err := t.medium(p)
		if err != nil {
			return partError(i, err)
		}
		if t.media == nil {
			t.media = []llms.ContentPart{llms.TextContent{Text: "Part of the result of tool call " + m.ToolCallID + ":"}}
		}
		t.media = append(t.media, part)
	}
	t.say(llms.ChatMessageTypeTool, llms.ToolCallResponse{
		ToolCallID: m.ToolCallID, Name: t.names.Theirs(t.called[m.ToolCallID]), Content: resultText(m),
	})
	return nil
}

func (t *translator) behindResults() {
	if t.media != nil {
		t.say(llms.ChatMessageTypeHuman, t.media...)
		t.media = nil
	}
}

// resultText is what the model reads of a tool's result.
func resultText(m *agui.Message) string {
	s := m.Content.Text()
	if m.Error != "" && !strings.Contains(s, m.Error) {
		s = strings.TrimSpace("Error: " + m.Error + "\n" + s)
	}
	switch {
	case strings.TrimSpace(s) != "":
		return s
	case onlyText(m) != nil:
		return "(see the next message)"
	}
	return noOutput
}
