package agui

import (
	"encoding/json"
	"strings"
)

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
	messages := make([]Message, 0, r.length(i))
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
	i := r.required(object, "content")
	if i == 0 {
		return Content{}
	}
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
	c := Content{kind: contentParts, parts: make([]Part, 0, r.length(array))}
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
	calls := make([]ToolCall, 0, r.length(array))
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
