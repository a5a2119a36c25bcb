package openai

import (
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/agui"
)

// message is a message on the wire.
type message struct {
	Role string `json:"role"`
	// Content is text, parts, or nil for an assistant that only calls.
	Content          any             `json:"content"`
	Name             string          `json:"name,omitempty"`
	ToolCalls        []toolCall      `json:"tool_calls,omitempty"`
	ToolCallID       string          `json:"tool_call_id,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

type toolCall struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Function     function        `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL *link  `json:"image_url,omitempty"`
	AudioURL *link  `json:"audio_url,omitempty"`
	VideoURL *link  `json:"video_url,omitempty"`
	Audio    *audio `json:"input_audio,omitempty"`
	File     *file  `json:"file,omitempty"`
}

type link struct {
	URL string `json:"url"`
}

type audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type file struct {
	ID   string `json:"file_id,omitempty"`
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data,omitempty"`
}

// noOutput stands for the empty result of a tool: servers refuse "".
const noOutput = "(no output)"

// translator turns messages into those of the wire.
type translator struct {
	names       *toolname.Table
	instruction agui.Role // the role of system and developer messages
	out         []message
	media       []part // from tool results, for the message behind them
	sdk         bool   // the SDK's request type can say all of it
}

// translate returns the messages of the wire. What cannot be sent is an error
// that names message and part.
func (t *translator) translate(messages []agui.Message) ([]message, error) {
	t.sdk = true
	for i := range messages {
		m := &messages[i]
		if m.Role != agui.RoleTool {
			t.behindResults()
		}
		if err := t.message(m); err != nil {
			return nil, invalid("message %d (%q): %w", i, m.ID, err)
		}
	}
	t.behindResults()
	return t.out, nil
}

func (t *translator) message(m *agui.Message) error {
	w := message{Name: toolname.Valid(m.Name, "")}
	switch m.Role {
	case agui.RoleSystem, agui.RoleDeveloper, agui.RoleAssistant:
		for i, p := range m.Content.Parts() {
			if p.Type != agui.PartText {
				return fmt.Errorf("part %d: a part of type %q cannot be sent in a message of the role %q", i, p.Type, m.Role)
			}
		}
	}
	switch m.Role {
	case agui.RoleSystem, agui.RoleDeveloper:
		w.Role, w.Content = string(t.instruction), m.Content.Text()
	case agui.RoleUser:
		w.Role = "user"
		content, err := t.content(m.Content)
		if err != nil {
			return err
		}
		w.Content = content
	case agui.RoleAssistant:
		w.Role = "assistant"
		if text := m.Content.Text(); text != "" || len(m.ToolCalls) == 0 {
			w.Content = text
		}
		w.ToolCalls = t.calls(m.ToolCalls)
		if raw := []byte(m.EncryptedValue); len(raw) > 0 && raw[0] == '[' && json.Valid(raw) {
			w.ReasoningDetails, t.sdk = raw, false
		}
	case agui.RoleTool:
		w.Role, w.Name, w.ToolCallID = "tool", "", m.ToolCallID
		text, err := t.result(m)
		if err != nil {
			return err
		}
		w.Content = text
	case agui.RoleActivity, agui.RoleReasoning:
		return nil
	default:
		return fmt.Errorf("no model knows the role %q", m.Role)
	}
	t.out = append(t.out, w)
	return nil
}

// content returns text where text is all there is, parts otherwise.
func (t *translator) content(c agui.Content) (any, error) {
	if !c.IsParts() {
		return c.Text(), nil
	}
	parts, media, err := t.parts(c)
	if err != nil {
		return nil, err
	}
	if !media {
		return c.Text(), nil
	}
	return parts, nil
}

func (t *translator) parts(c agui.Content) (parts []part, media bool, err error) {
	for i, p := range c.Parts() {
		if p.Type == agui.PartText {
			if p.Text != "" {
				parts = append(parts, part{Type: "text", Text: p.Text})
			}
			continue
		}
		w, err := t.medium(p)
		if err != nil {
			return nil, false, fmt.Errorf("part %d: %w", i, err)
		}
		parts, media = append(parts, w), true
	}
	return parts, media, nil
}

// medium translates a part that is not text. Images, audio and files by value
// are OpenAI's; audio and video by address are what vLLM and DashScope take.
func (t *translator) medium(p agui.Part) (part, error) {
	s := p.Source
	switch s.Type {
	case agui.SourceData, agui.SourceURL, agui.SourceFile:
	default:
		return part{}, fmt.Errorf("a source of type %q cannot be sent", s.Type)
	}
	if s.Value == "" {
		return part{}, fmt.Errorf("the source has no value")
	}
	if p.Type != agui.PartImage || s.Type == agui.SourceFile {
		t.sdk = false
	}
	if s.Type == agui.SourceFile {
		return part{Type: "file", File: &file{ID: s.Value}}, nil
	}
	url := s.Value
	if s.Type == agui.SourceData {
		if s.MIMEType == "" {
			return part{}, fmt.Errorf("data without a MIME type")
		}
		url = "data:" + s.MIMEType + ";base64," + s.Value
	}
	switch p.Type {
	case agui.PartImage:
		return part{Type: "image_url", ImageURL: &link{url}}, nil
	case agui.PartAudio:
		if format := audioFormat(s); format != "" {
			return part{Type: "input_audio", Audio: &audio{s.Value, format}}, nil
		}
		return part{Type: "audio_url", AudioURL: &link{url}}, nil
	case agui.PartVideo:
		return part{Type: "video_url", VideoURL: &link{url}}, nil
	case agui.PartDocument:
		return part{Type: "file", File: &file{Name: filename(p), Data: url}}, nil
	}
	return part{}, fmt.Errorf("a part of type %q cannot be sent", p.Type)
}

// audioFormat returns the wire's word for audio by value, "" if it has none.
func audioFormat(s agui.Source) string {
	if s.Type != agui.SourceData {
		return ""
	}
	media, _, _ := mime.ParseMediaType(s.MIMEType)
	switch media {
	case "audio/mpeg", "audio/mp3":
		return "mp3"
	case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave":
		return "wav"
	}
	return ""
}

// filename returns the name that the part's metadata gives, or one made of
// its type.
func filename(p agui.Part) string {
	var named struct {
		Filename string `json:"filename"`
		Name     string `json:"name"`
	}
	_ = json.Unmarshal(p.Metadata, &named) // any JSON may stand there
	switch {
	case named.Filename != "":
		return named.Filename
	case named.Name != "":
		return named.Name
	}
	media, _, _ := mime.ParseMediaType(p.Source.MIMEType)
	switch media {
	case "text/plain":
		return "document.txt"
	case "text/markdown":
		return "document.md"
	}
	if _, kind, ok := strings.Cut(media, "/"); ok && kind != "" && !strings.ContainsAny(kind, ".+") {
		return "document." + kind
	}
	return "document"
}

// result returns the text of a tool's result. Its media go into a message
// behind the results, for a tool message takes text only.
func (t *translator) result(m *agui.Message) (string, error) {
	parts, media, err := t.parts(m.Content)
	if err != nil {
		return "", err
	}
	text := m.Content.Text()
	if m.Error != "" && !strings.Contains(text, m.Error) {
		text = strings.TrimSpace("Error: " + m.Error + "\n" + text)
	}
	if media {
		t.media = append(t.media, part{Type: "text", Text: "Part of the result of tool call " + m.ToolCallID + ":"})
		for _, p := range parts {
			if p.Type != "text" {
				t.media = append(t.media, p)
			}
		}
		if text == "" {
			text = "(see the next message)"
		}
	}
	if strings.TrimSpace(text) == "" {
		text = noOutput
	}
	return text, nil
}

func (t *translator) behindResults() {
	if t.media != nil {
		t.out = append(t.out, message{Role: "user", Content: t.media})
		t.media = nil
	}
}

func (t *translator) calls(calls []agui.ToolCall) []toolCall {
	var out []toolCall
	for _, c := range calls {
		w := toolCall{ID: c.ID, Type: "function", Function: function{Name: t.names.Theirs(c.Name), Arguments: arguments(c.Arguments)}}
		if raw := []byte(c.EncryptedValue); len(raw) > 0 && raw[0] == '{' && json.Valid(raw) {
			w.ExtraContent, t.sdk = raw, false
		}
		out = append(out, w)
	}
	return out
}

// arguments returns what a server accepts as the arguments of an earlier
// call: a JSON object. Servers decode them, and refuse the whole conversation
// for good when they cannot; what the model wrote amiss stays visible to it.
func arguments(s string) string {
	c := cursor{b: []byte(s)}
	switch c.peek() {
	case 0:
		return "{}"
	case 'n':
		if c.skip(); c.err == nil && c.end() {
			return "{}"
		}
	case '{':
		if json.Valid([]byte(s)) {
			return s
		}
	}
	wrapped, _ := marshal(map[string]string{"invalid_arguments": s}) // text cannot fail
	return string(wrapped)
}
