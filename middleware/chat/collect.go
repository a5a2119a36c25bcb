package chat

import (
	"encoding/json"
	"iter"
	"maps"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
)

// Response is a whole answer: what the updates of a stream add up to.
type Response struct {
	// Messages in the order in which they began: assistant messages with
	// their calls, and tool messages.
	Messages []agui.Message
	// Events are those that rode in the updates, in order.
	Events       []agui.Event
	Interrupts   []agui.Interrupt
	Usage        []agui.TokenUsage
	FinishReason FinishReason
	Result       json.RawMessage
	// Reasoning is all visible reasoning.
	Reasoning string
	Model     string
}

// Text returns the text of all assistant messages, one after the other.
func (r *Response) Text() string {
	var b strings.Builder
	for _, m := range r.Messages {
		if m.Role == agui.RoleAssistant {
			b.WriteString(m.Content.Text())
		}
	}
	return b.String()
}

// Collect ranges over a stream and returns what it adds up to. Nothing is
// dropped: what has no field in a message is in Events. With an error it also
// returns what came before.
func Collect(seq iter.Seq2[*Update, error]) (*Response, error) {
	var c collector
	for u, err := range seq {
		if err != nil {
			return c.response(), err
		}
		if u != nil {
			c.add(u)
		}
	}
	return c.response(), nil
}

// collector gathers updates into messages.
type collector struct {
	res   Response
	open  map[string]*gathered // by message id
	order []*gathered
	turn  *gathered // the message that updates without an id continue
	calls map[string]*gatheredCall
}

type gathered struct {
	msg   agui.Message
	text  strings.Builder
	said  bool
	calls []*gatheredCall
}

type gatheredCall struct {
	call agui.ToolCall
	args strings.Builder
}

func (c *collector) message(u *Update) *gathered {
	if u.MessageID == "" && c.turn != nil {
		return c.turn
	}
	if u.MessageID != "" {
		if g := c.open[u.MessageID]; g != nil {
			c.turn = g
			return g
		}
		// A turn that began without an id gets the one that comes later.
		if c.turn != nil && c.turn.msg.ID == "" {
			c.turn.msg.ID = u.MessageID
			c.open[u.MessageID] = c.turn
			return c.turn
		}
	}
	role := u.Role
	if role == "" {
		role = agui.RoleAssistant
	}
	g := &gathered{msg: agui.Message{ID: u.MessageID, Role: role}}
	if c.open == nil {
		c.open = map[string]*gathered{}
	}
	if u.MessageID != "" {
		c.open[u.MessageID] = g
	}
	c.order = append(c.order, g)
	c.turn = g
	return g
}

func (c *collector) add(u *Update) {
	if u.Model != "" {
		c.res.Model = u.Model
	}
	c.res.Reasoning += u.Reasoning
	if u.Text != "" || len(u.ToolCalls) > 0 || u.EncryptedReasoning != "" || len(u.Metadata) > 0 {
		g := c.message(u)
		if u.EncryptedReasoning != "" {
			g.msg.EncryptedValue = u.EncryptedReasoning
		}
		if len(u.Metadata) > 0 {
			if g.msg.Metadata == nil {
				g.msg.Metadata = agui.Metadata{}
			}
			maps.Copy(g.msg.Metadata, u.Metadata)
		}
		if u.Text != "" {
			g.said = true
			g.text.WriteString(u.Text)
		}
		for _, d := range u.ToolCalls {
			c.addCall(g, d)
		}
	}
	if r := u.ToolResult; r != nil {
		id := r.MessageID
		if id == "" {
			id = agui.NewID()
		}
		c.order = append(c.order, &gathered{msg: agui.Message{
			ID: id, Role: agui.RoleTool, ToolCallID: r.ToolCallID, Content: r.Content, Error: r.Error, Metadata: r.Metadata,
		}})
	}
	c.res.Events = append(c.res.Events, u.Events...)
	c.res.Interrupts = append(c.res.Interrupts, u.Interrupts...)
	if u.Usage != nil {
		c.res.Usage = AddUsage(c.res.Usage, *u.Usage)
	}
	if u.FinishReason != "" {
		c.res.FinishReason = u.FinishReason
		c.turn = nil
	}
	if u.Result != nil {
		c.res.Result = u.Result
	}
}

func (c *collector) addCall(g *gathered, d ToolCallDelta) {
	call := c.calls[d.ID]
	if call == nil {
		call = &gatheredCall{call: agui.ToolCall{ID: d.ID}}
		if c.calls == nil {
			c.calls = map[string]*gatheredCall{}
		}
		c.calls[d.ID] = call
		g.calls = append(g.calls, call)
	}
	if d.Name != "" {
		call.call.Name = d.Name
	}
	if d.EncryptedReasoning != "" {
		call.call.EncryptedValue = d.EncryptedReasoning
	}
	call.args.WriteString(d.Arguments)
}

func (c *collector) response() *Response {
	for _, g := range c.order {
		m := g.msg
		if m.ID == "" {
			m.ID = agui.NewID()
		}
		if g.said {
			m.Content = agui.Text(g.text.String())
		}
		for _, call := range g.calls {
			call.call.Arguments = call.args.String()
			m.ToolCalls = append(m.ToolCalls, call.call)
		}
		c.res.Messages = append(c.res.Messages, m)
	}
	c.order = nil
	return &c.res
}
