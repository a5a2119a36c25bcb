package agui

import (
	"encoding/json"
	"strings"
)

// knownMembers lists the members that an object of each role has. What is none of
// them is Extra.
var knownMembers = map[Role][]string{
	RoleDeveloper: {"id", "role", "subagentRunId", "metadata", "name", "encryptedValue", "content"},
	RoleSystem:    {"id", "role", "subagentRunId", "metadata", "name", "encryptedValue", "content"},
	RoleAssistant: {"id", "role", "subagentRunId", "metadata", "name", "encryptedValue", "content", "toolCalls"},
	RoleUser:      {"id", "role", "subagentRunId", "metadata", "name", "encryptedValue", "content"},
	RoleTool:      {"id", "role", "subagentRunId", "metadata", "content", "toolCallId", "error", "encryptedValue"},
	RoleActivity:  {"id", "role", "subagentRunId", "metadata", "activityType", "content"},
	RoleReasoning: {"id", "role", "subagentRunId", "metadata", "content", "encryptedValue"},
}

func (w *writer) messages(name string, messages []Message) {
	w.name(name)
	w.enter(name)
	w.open('[')
	for i := range messages {
		w.comma()
		w.element(i)
		w.message(&messages[i])
		w.leave()
	}
	w.close(']')
	w.leave()
}

func (w *writer) message(m *Message) {
	w.open('{')
	w.string("id", m.ID)
	w.string("role", string(m.Role))
	switch m.Role {
	case RoleDeveloper, RoleSystem:
		w.textContent(m, true)
		w.optional("name", m.Name)
	case RoleAssistant:
		w.textContent(m, false)
		w.optional("name", m.Name)
		if m.ToolCalls != nil {
			w.toolCalls(m.ToolCalls)
		}
	case RoleUser:
		w.content("content", m.Content)
		w.optional("name", m.Name)
	case RoleTool:
		w.string("toolCallId", m.ToolCallID)
		w.content("content", m.Content)
		w.optional("error", m.Error)
	case RoleActivity:
		w.string("activityType", m.ActivityType)
		w.activity(m.Activity)
	case RoleReasoning:
		w.textContent(m, true)
	default:
		w.fail("role", "is not a role of the protocol: "+quoted(string(m.Role)))
		return
	}
	if m.Role != RoleActivity {
		w.optional("encryptedValue", m.EncryptedValue)
	}
	w.pointer("subagentRunId", m.SubagentRunID)
	w.metadata(m.Metadata)
	if len(m.Extra) > 0 {
		known := knownMembers[m.Role]
		w.extra(m.Extra, func(name string) bool {
			for _, k := range known {
				if k == name {
					return true
				}
			}
			return false
		})
	}
	w.close('}')
}

// activity writes an activity's content; nothing is {}.
func (w *writer) activity(content []byte) {
	if len(content) == 0 {
		w.name("content")
		w.buf = append(w.buf, "{}"...)
		return
	}
	w.objectJSON("content", content)
}

// textContent writes the content of a role that has text only.
func (w *writer) textContent(m *Message, required bool) {
	switch {
	case m.Content.IsParts():
		w.fail("content", "must be text for the role "+string(m.Role)+", not parts")
	case required || !m.Content.IsZero():
		w.string("content", m.Content.text)
	}
}

// content writes text, or parts; absent content is "".
func (w *writer) content(name string, c Content) {
	if !c.IsParts() {
		w.string(name, c.text)
		return
	}
	w.name(name)
	w.enter(name)
	w.partList(c.parts)
	w.leave()
}

func (w *writer) partList(parts []Part) {
	w.open('[')
	for i := range parts {
		w.comma()
		w.element(i)
		w.part(&parts[i])
		w.leave()
	}
	w.close(']')
}

func (w *writer) part(p *Part) {
	w.open('{')
	w.string("type", string(p.Type))
	w.optional("id", p.ID)
	switch p.Type {
	case PartText:
		w.string("text", p.Text)
	case PartImage, PartAudio, PartVideo, PartDocument:
		w.name("source")
		w.enter("source")
		w.source(&p.Source)
		w.leave()
	default:
		w.fail("type", "is not a part type of the protocol: "+quoted(string(p.Type)))
	}
	w.optionalJSON("metadata", p.Metadata)
	w.close('}')
}

func (w *writer) source(s *Source) {
	w.open('{')
	w.string("type", string(s.Type))
	w.string("value", s.Value)
	switch s.Type {
	case SourceData:
		w.string("mimeType", s.MIMEType)
	case SourceURL:
		w.optional("mimeType", s.MIMEType)
	case SourceFile:
		w.optional("provider", s.Provider)
		w.optional("mimeType", s.MIMEType)
	default:
		w.fail("type", "is not a source type of the protocol: "+quoted(string(s.Type)))
	}
	w.close('}')
}

func (w *writer) toolCalls(calls []ToolCall) {
	w.name("toolCalls")
	w.enter("toolCalls")
	w.open('[')
	for i := range calls {
		w.comma()
		w.element(i)
		w.toolCall(&calls[i])
		w.leave()
	}
	w.close(']')
	w.leave()
}

func (w *writer) toolCall(c *ToolCall) {
	w.open('{')
	w.string("id", c.ID)
	w.string("type", "function")
	w.name("function")
	w.open('{')
	w.string("name", c.Name)
	w.string("arguments", c.Arguments)
	w.close('}')
	w.optional("encryptedValue", c.EncryptedValue)
	w.metadata(c.Metadata)
	w.close('}')
}

const knownRoles = "developer, system, assistant, user, tool, activity or reasoning"

// messages reads an array of messages that must be there.
func (r *reader) messages(object uint32, name string) []Message {
	i := r.required(object, name)
	if i == 0 {
		return nil
	}
	if r.kind(i) != '[' {
		r.wrongKind(i, "an array")
		return nil
	}
	messages := make([]Message, 0, r.objects(i))
	for e := range r.elements(i) {
		if !r.object(e) {
			return nil
		}
		if m, ok := r.message(e); ok {
			messages = append(messages, m)
		}
	}
	return messages
}

// message reads one message. It is not ok when its role is unknown and is to
// be dropped.
func (r *reader) message(i uint32) (m Message, ok bool) {
	m.Role = Role(r.choice(i, "role"))
	known, ok := knownMembers[m.Role]
	if !ok {
		if !r.client {
			r.unchosen(i, "role", knownRoles)
		}
		return m, false
	}
	m.ID = r.string(i, "id")
	m.SubagentRunID = r.pointer(i, "subagentRunId")
	m.Metadata = r.metadata(i)
	switch m.Role {
	case RoleDeveloper, RoleSystem:
		m.Content = Text(r.string(i, "content"))
		m.Name = r.optional(i, "name")
	case RoleAssistant:
		if c := r.pointer(i, "content"); c != nil {
			m.Content = Text(*c)
		}
		m.Name = r.optional(i, "name")
		m.ToolCalls = r.toolCalls(i)
	case RoleUser:
		m.Content = r.content(i, true)
		m.Name = r.optional(i, "name")
	case RoleTool:
		m.Content = r.content(i, true)
		m.ToolCallID = r.string(i, "toolCallId")
		m.Error = r.optional(i, "error")
	case RoleActivity:
		m.ActivityType = r.string(i, "activityType")
		if c := r.required(i, "content"); c != 0 {
			m.Activity = r.objectJSON(c)
		}
	case RoleReasoning:
		m.Content = Text(r.string(i, "content"))
	}
	if m.Role != RoleActivity {
		m.EncryptedValue = r.optional(i, "encryptedValue")
	}
	m.Extra = r.extra(i, known)
	return m, true
}

// content reads text or parts. With repair, the client repairs what older
// servers write into parts; it does so in messages only.
func (r *reader) content(object uint32, repair bool) Content {
	if i := r.required(object, "content"); i != 0 {
		return r.contentOf(i, repair)
	}
	return Content{}
}

func (r *reader) contentOf(i uint32, repair bool) Content {
	switch r.kind(i) {
	case '"':
		return Text(r.doc.text(i))
	case '[':
		return r.parts(i, repair)
	}
	r.wrongKind(i, "a string or an array of parts")
	return Content{}
}

func (r *reader) parts(array uint32, repair bool) Content {
	c := Content{kind: contentParts, parts: make([]Part, 0, r.objects(array))}
	for e := range r.elements(array) {
		if !r.object(e) {
			return c
		}
		if p, ok := r.part(e, repair); ok {
			c.parts = append(c.parts, p)
		}
	}
	return c
}

// part reads one part. It is not ok when its type or source is unknown and it
// is to be dropped.
func (r *reader) part(i uint32, repair bool) (p Part, ok bool) {
	p.Type = PartType(r.choice(i, "type"))
	switch p.Type {
	case PartText:
		p.Text = r.string(i, "text")
		p.Metadata = r.optionalJSON(i, "metadata")
	case PartImage, PartAudio, PartVideo, PartDocument:
		s := r.required(i, "source")
		if s == 0 || !r.object(s) {
			return p, false
		}
		if p.Source, ok = r.source(s); !ok {
			return p, false
		}
		if repair {
			p.Metadata = r.repairedJSON(i, "metadata")
		} else {
			p.Metadata = r.optionalJSON(i, "metadata")
		}
	case "binary":
		if r.client && repair || r.legacy {
			return r.binaryPart(i)
		}
		fallthrough
	default:
		if !r.client {
			r.unchosen(i, "type", "text, image, audio, video or document")
		}
		return p, false
	}
	p.ID = r.optional(i, "id")
	return p, true
}

func (r *reader) source(i uint32) (s Source, ok bool) {
	s.Type = SourceType(r.choice(i, "type"))
	switch s.Type {
	case SourceData:
		s.MIMEType = r.string(i, "mimeType")
	case SourceURL:
		s.MIMEType = r.optional(i, "mimeType")
	case SourceFile:
		s.MIMEType = r.optional(i, "mimeType")
		s.Provider = r.optional(i, "provider")
	default:
		if !r.client {
			r.unchosen(i, "type", "data, url or file")
		}
		return s, false
	}
	s.Value = r.string(i, "value")
	return s, true
}

// binaryPart translates the one part type that 1.0 removed, as the reference
// client does: the MIME type says which part it becomes, data goes before url.
// What has neither can be read by nobody.
func (r *reader) binaryPart(i uint32) (p Part, ok bool) {
	mime := r.string(i, "mimeType")
	switch {
	case strings.HasPrefix(mime, "image/"):
		p.Type = PartImage
	case strings.HasPrefix(mime, "audio/"):
		p.Type = PartAudio
	case strings.HasPrefix(mime, "video/"):
		p.Type = PartVideo
	default:
		p.Type = PartDocument
	}
	p.Source.MIMEType = mime
	if data := r.optional(i, "data"); data != "" {
		p.Source.Type, p.Source.Value = SourceData, data
	} else if url := r.optional(i, "url"); url != "" {
		p.Source.Type, p.Source.Value = SourceURL, url
	} else {
		if !r.client {
			r.fail(i, "is a binary part with neither data nor url")
		}
		return p, false
	}
	if name := r.optional(i, "filename"); name != "" {
		p.Metadata = json.RawMessage(append(appendString([]byte(`{"filename":`), name), '}'))
	}
	return p, true
}

// toolCalls reads an array that may be absent, which is nil.
func (r *reader) toolCalls(object uint32) []ToolCall {
	array, ok := r.array(object, "toolCalls")
	if !ok {
		return nil
	}
	calls := make([]ToolCall, 0, r.objects(array))
	for e := range r.elements(array) {
		if !r.object(e) {
			return nil
		}
		calls = append(calls, r.toolCall(e))
	}
	return calls
}

func (r *reader) toolCall(i uint32) (c ToolCall) {
	c.ID = r.string(i, "id")
	if r.choice(i, "type") != "function" {
		r.unchosen(i, "type", "function")
	}
	if f := r.required(i, "function"); f != 0 && r.object(f) {
		c.Name = r.string(f, "name")
		c.Arguments = r.string(f, "arguments")
	}
	c.EncryptedValue = r.optional(i, "encryptedValue")
	c.Metadata = r.metadata(i)
	return c
}
