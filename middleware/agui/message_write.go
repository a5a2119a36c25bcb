package agui

// known lists the members that an object of each role has. What is none of
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
	w.open('[')
	for i := range c.parts {
		w.comma()
		w.element(i)
		w.part(&c.parts[i])
		w.leave()
	}
	w.close(']')
	w.leave()
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
		if s.MIMEType == "" {
			w.fail("mimeType", "is required for a data source")
		}
	case SourceURL:
	case SourceFile:
		w.optional("provider", s.Provider)
	default:
		w.fail("type", "is not a source type of the protocol: "+quoted(string(s.Type)))
	}
	w.optional("mimeType", s.MIMEType)
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
