package aguiclient

import (
	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// Messages returns the conversation, in a new slice.
func (m *Mirror) Messages() []agui.Message {
	out := make([]agui.Message, 0, m.talk.n)
	for n := range m.talk.all() {
		out = append(out, n.message())
	}
	return out
}

// SetMessages makes the messages the conversation.
func (m *Mirror) SetMessages(messages []agui.Message) {
	m.talk = conversation{}
	for _, msg := range messages {
		m.talk.add(newEntry(msg))
	}
}

// AddMessages puts messages of the client's own behind the conversation. A
// result answers a call that is pending.
func (m *Mirror) AddMessages(messages ...agui.Message) {
	for _, msg := range messages {
		m.add(msg)
	}
}

func (m *Mirror) add(msg agui.Message) *entry {
	n := newEntry(msg)
	m.talk.add(n)
	m.answer(msg)
	return n
}

func (m *Mirror) startText(t agui.EventType, msg agui.Message, meta agui.Metadata) error {
	n := m.talk.byID[msg.ID]
	if n == nil {
		n = m.add(msg)
		n.streamed = true
	} else if n.msg.Role == agui.RoleActivity {
		return notText(t, msg.ID)
	}
	n.metadata.merge(meta)
	return nil
}

func (m *Mirror) appendText(t agui.EventType, id, delta string, meta agui.Metadata) error {
	n := m.talk.byID[id]
	if n == nil {
		return &ApplyError{Type: t, ID: id, Reason: "there is no such message"}
	}
	if n.msg.Role == agui.RoleActivity {
		return notText(t, id)
	}
	if !n.streamed {
		n.streamed = true
		if !n.msg.Content.IsParts() {
			n.text.WriteString(n.msg.Content.Text())
		}
	}
	n.text.WriteString(delta)
	if meta != nil {
		n.metadata.merge(meta)
	}
	return nil
}

func (m *Mirror) endText(t agui.EventType, id string, meta agui.Metadata) error {
	n := m.talk.byID[id]
	if n == nil {
		return &ApplyError{Type: t, ID: id, Reason: "there is no such message"}
	}
	if n.msg.Role == agui.RoleActivity {
		return notText(t, id)
	}
	n.metadata.merge(meta)
	return nil
}

func notText(t agui.EventType, id string) error {
	return &ApplyError{Type: t, ID: id, Reason: "the message is an activity, which has no text"}
}

func (m *Mirror) encrypt(e *agui.ReasoningEncryptedValue) {
	if e.Subtype == agui.EncryptedToolCall {
		if c := m.talk.call(e.EntityID); c != nil {
			c.call.EncryptedValue = e.EncryptedValue
		}
	} else if n := m.talk.byID[e.EntityID]; n != nil && n.msg.Role != agui.RoleActivity {
		n.msg.EncryptedValue = e.EncryptedValue
	}
}

func (m *Mirror) startCall(e *agui.ToolCallStart) (err error) {
	again := m.started.has(e.ToolCallID)
	m.started.add(e.ToolCallID)
	if c := m.talk.call(e.ToolCallID); c != nil {
		if !again {
			c.again, c.from = true, c.args.Len()
		}
		if c.call.Name != e.ToolCallName {
			err = &ApplyError{Type: e.Type(), ID: e.ToolCallID, Reason: "the call is known by another name, which it loses"}
			c.call.Name = e.ToolCallName
		}
		c.metadata.merge(e.Metadata)
		return err
	}
	parent := e.ParentMessageID
	n := m.talk.byID[parent]
	switch {
	case parent == "":
		parent, n = e.ToolCallID, nil
	case n != nil && n.msg.Role != agui.RoleAssistant:
		err = &ApplyError{Type: e.Type(), ID: e.ToolCallID, Reason: "its parent message is not the assistant's: it gets one of its own"}
		parent, n = e.ToolCallID, nil
	}
	if n == nil {
		n = m.add(agui.Message{ID: parent, Role: agui.RoleAssistant, SubagentRunID: e.SubagentRunID})
	}
	c := &callEntry{owner: n, call: agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName}, metadata: metadata{values: e.Metadata}}
	n.calls = append(n.calls, c)
	m.talk.noteCall(c)
	return err
}

func (m *Mirror) appendArguments(e *agui.ToolCallArgs) error {
	c := m.talk.call(e.ToolCallID)
	if c == nil {
		return &ApplyError{Type: e.Type(), ID: e.ToolCallID, Reason: "there is no such call"}
	}
	c.args.WriteString(e.Delta)
	if e.Metadata != nil {
		c.metadata.merge(e.Metadata)
	}
	return nil
}

// addResult puts a result behind the message of its call and the results that
// are there, or at the end.
func (m *Mirror) addResult(e *agui.ToolCallResult) {
	m.addBehind(m.talk.call(e.ToolCallID), agui.Message{
		ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: orEmpty(e.Content),
		SubagentRunID: e.SubagentRunID, Metadata: e.Metadata,
	})
}

// addBehind adds the result of a call, which may be nil.
func (m *Mirror) addBehind(c *callEntry, msg agui.Message) {
	if c == nil {
		m.add(msg)
		return
	}
	m.talk.addBehind(c.owner, newEntry(msg))
	m.answer(msg)
}

// answer notes that a call has a result, if the message is one.
func (m *Mirror) answer(msg agui.Message) {
	if msg.Role == agui.RoleTool {
		m.started.remove(msg.ToolCallID)
		m.pending.remove(msg.ToolCallID)
	}
}

func orEmpty(c agui.Content) agui.Content {
	if c.IsZero() {
		return agui.Text("")
	}
	return c
}

func (m *Mirror) setActivity(e *agui.ActivitySnapshot) {
	content := e.Content
	if content == nil {
		content = []byte("{}")
	}
	n := m.talk.byID[e.MessageID]
	msg := agui.Message{ID: e.MessageID, Role: agui.RoleActivity, ActivityType: e.ActivityType, Activity: content, SubagentRunID: e.SubagentRunID}
	switch {
	case n == nil:
		n = m.add(msg)
	case e.Replace != nil && !*e.Replace:
		if n.msg.Role != agui.RoleActivity {
			return
		}
	case n.msg.Role == agui.RoleActivity:
		n.msg.ActivityType, n.msg.Activity = e.ActivityType, content
	default:
		m.talk.become(n, msg)
	}
	n.metadata.merge(e.Metadata)
}

func (m *Mirror) patchActivity(e *agui.ActivityDelta) error {
	n := m.talk.byID[e.MessageID]
	if n == nil {
		return nil
	}
	if n.msg.Role != agui.RoleActivity {
		return &ApplyError{Type: e.Type(), ID: e.MessageID, Reason: "the message is no activity"}
	}
	n.metadata.merge(e.Metadata)
	next, err := jsonpatch.Apply(n.msg.Activity, e.Patch)
	if err == nil && !isObject(next) {
		return &ApplyError{Type: e.Type(), ID: e.MessageID, Reason: "the patch makes the content no object, it stays as it was"}
	}
	if err != nil {
		return &ApplyError{Type: e.Type(), ID: e.MessageID, Reason: "the patch does not apply, the content stays as it was", Err: err}
	}
	n.msg.Activity, n.msg.ActivityType = next, e.ActivityType
	return nil
}

func isObject(doc []byte) bool {
	for _, c := range doc {
		switch c {
		case ' ', '\t', '\n', '\r':
			continue
		}
		return c == '{'
	}
	return false
}
