package agui

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
	r.spelling(i, "encryptedValue")
	return c
}
