package aguiclient

import (
	"maps"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
)

// entry is one message of a mirror. Its text grows in place.
type entry struct {
	msg      agui.Message
	text     strings.Builder // the content, once any was streamed
	streamed bool
	metadata metadata
	calls    []*callEntry
	place    place
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
