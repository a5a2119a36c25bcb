package aguiclient

import (
	"maps"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// entry is one message of a mirror. Its text grows in place.
type entry struct {
	msg      agui.Message
	text     strings.Builder // the content, once any was streamed
	streamed bool
	metadata metadata
	calls    []*callEntry
}

type callEntry struct {
	owner    *entry
	call     agui.ToolCall
	args     strings.Builder
	again    bool // an older call, begun again: its new arguments are from from
	from     int
	metadata metadata
}

// metadata is merged key by key, and copied before: events share theirs.
type metadata struct {
	values agui.Metadata
	own    bool
}

func (m *metadata) merge(more agui.Metadata) {
	switch {
	case more == nil:
	case m.values == nil:
		m.values, m.own = more, false
	default:
		if !m.own {
			m.values, m.own = maps.Clone(m.values), true
		}
		maps.Copy(m.values, more)
	}
}

// get returns the values, which are then not changed any more.
func (m *metadata) get() agui.Metadata {
	m.own = false
	return m.values
}

func newEntry(msg agui.Message) *entry {
	n := &entry{msg: msg, metadata: metadata{values: msg.Metadata}}
	for _, call := range msg.ToolCalls {
		c := &callEntry{owner: n, call: call, metadata: metadata{values: call.Metadata}}
		c.args.WriteString(call.Arguments)
		n.calls = append(n.calls, c)
	}
	return n
}

// message returns the entry's message as it is now. Later events do not
// change it.
func (n *entry) message() agui.Message {
	msg := n.msg
	msg.Metadata = n.metadata.get()
	if n.streamed {
		msg.Content = agui.Text(n.text.String())
	}
	if n.calls != nil {
		msg.ToolCalls = make([]agui.ToolCall, len(n.calls))
		for i, c := range n.calls {
			msg.ToolCalls[i] = c.call
			msg.ToolCalls[i].Arguments = c.args.String()
			msg.ToolCalls[i].Metadata = c.metadata.get()
		}
	}
	return msg
}

// Messages returns the conversation, in a new slice.
func (m *Mirror) Messages() []agui.Message {
	out := make([]agui.Message, len(m.entries))
	for i, n := range m.entries {
		out[i] = n.message()
	}
	return out
}

// SetMessages makes the messages the conversation.
func (m *Mirror) SetMessages(messages []agui.Message) {
	m.entries = make([]*entry, len(messages))
	for i, msg := range messages {
		m.entries[i] = newEntry(msg)
	}
	m.index()
}

// AddMessages puts messages of the client's own behind the conversation.
func (m *Mirror) AddMessages(messages ...agui.Message) {
	for _, msg := range messages {
		m.add(newEntry(msg), len(m.entries))
	}
}

// index finds entries and calls by id; of several the first counts.
func (m *Mirror) index() {
	m.byID, m.calls = map[string]*entry{}, map[string]*callEntry{}
	for _, n := range m.entries {
		m.note(n)
	}
}

func (m *Mirror) note(n *entry) {
	if m.byID == nil {
		m.byID, m.calls = map[string]*entry{}, map[string]*callEntry{}
	}
	if m.byID[n.msg.ID] == nil {
		m.byID[n.msg.ID] = n
	}
	for _, c := range n.calls {
		if m.calls[c.call.ID] == nil {
			m.calls[c.call.ID] = c
		}
	}
}

// add puts an entry at a place. A result answers a call that is pending.
func (m *Mirror) add(n *entry, at int) {
	if n.msg.Role == agui.RoleTool {
		m.pending = slices.DeleteFunc(m.pending, func(id string) bool { return id == n.msg.ToolCallID })
	}
	twice := m.byID[n.msg.ID] != nil
	m.entries = slices.Insert(m.entries, at, n)
	if twice && at < len(m.entries)-1 {
		m.index()
		return
	}
	m.note(n)
}

func (m *Mirror) startText(t agui.EventType, msg agui.Message, meta agui.Metadata) error {
	n := m.byID[msg.ID]
	if n == nil {
		n = newEntry(msg)
		n.streamed = true
		m.add(n, len(m.entries))
	} else if n.msg.Role == agui.RoleActivity {
		return notText(t, msg.ID)
	}
	n.metadata.merge(meta)
	return nil
}

func (m *Mirror) appendText(t agui.EventType, id, delta string, meta agui.Metadata) error {
	n := m.byID[id]
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
	n := m.byID[id]
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
		if c := m.calls[e.EntityID]; c != nil {
			c.call.EncryptedValue = e.EncryptedValue
		}
	} else if n := m.byID[e.EntityID]; n != nil && n.msg.Role != agui.RoleActivity {
		n.msg.EncryptedValue = e.EncryptedValue
	}
}

func (m *Mirror) startCall(e *agui.ToolCallStart) (err error) {
	again := slices.Contains(m.started, e.ToolCallID)
	if !again {
		m.started = append(m.started, e.ToolCallID)
	}
	if c := m.calls[e.ToolCallID]; c != nil {
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
	n := m.byID[parent]
	switch {
	case parent == "":
		parent, n = e.ToolCallID, nil
	case n != nil && n.msg.Role != agui.RoleAssistant:
		err = &ApplyError{Type: e.Type(), ID: e.ToolCallID, Reason: "its parent message is not the assistant's: it gets one of its own"}
		parent, n = e.ToolCallID, nil
	}
	if n == nil {
		n = newEntry(agui.Message{ID: parent, Role: agui.RoleAssistant, SubagentRunID: e.SubagentRunID})
		m.add(n, len(m.entries))
	}
	c := &callEntry{owner: n, call: agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName}, metadata: metadata{values: e.Metadata}}
	n.calls = append(n.calls, c)
	m.note(n)
	return err
}

func (m *Mirror) appendArguments(e *agui.ToolCallArgs) error {
	c := m.calls[e.ToolCallID]
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
	m.started = slices.DeleteFunc(m.started, func(id string) bool { return id == e.ToolCallID })
	owner := -1
	if c := m.calls[e.ToolCallID]; c != nil {
		owner = slices.Index(m.entries, c.owner)
	}
	m.addToolMessage(agui.Message{
		ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: orEmpty(e.Content),
		SubagentRunID: e.SubagentRunID, Metadata: e.Metadata,
	}, owner)
}

// addToolMessage puts a result behind the message at owner; -1 is the end.
func (m *Mirror) addToolMessage(msg agui.Message, owner int) {
	at := len(m.entries)
	if owner >= 0 {
		for at = owner + 1; at < len(m.entries) && m.entries[at].msg.Role == agui.RoleTool; at++ {
		}
	}
	m.add(newEntry(msg), at)
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
	n := m.byID[e.MessageID]
	msg := agui.Message{ID: e.MessageID, Role: agui.RoleActivity, ActivityType: e.ActivityType, Activity: content, SubagentRunID: e.SubagentRunID}
	switch {
	case n == nil:
		n = newEntry(msg)
		m.add(n, len(m.entries))
	case e.Replace != nil && !*e.Replace:
		if n.msg.Role != agui.RoleActivity {
			return
		}
	case n.msg.Role == agui.RoleActivity:
		n.msg.ActivityType, n.msg.Activity = e.ActivityType, content
	default:
		*n = *newEntry(msg)
		m.index()
	}
	n.metadata.merge(e.Metadata)
}

func (m *Mirror) patchActivity(e *agui.ActivityDelta) error {
	n := m.byID[e.MessageID]
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
