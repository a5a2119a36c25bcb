package openai

import (
	"errors"
	"slices"

	"github.com/aguistate/aguistate/middleware/chat"
)

// errNameless says that a model called nothing by name.
var errNameless = errors.New("a tool call without a name")

// calls puts the pieces of tool calls together. Servers differ in what a
// piece carries, so a piece is told by its index, its id and its name, in
// this order:
//
//   - A known index goes on with its call, unless the piece names another
//     tool call: by an id of its own, or by a name after arguments that are
//     complete. An id that changes on every piece, without a name, does not.
//   - An unknown index, or none, with the id of a known call and no other
//     name goes on with that call.
//   - Otherwise a piece with an id or a name opens a call, and one with
//     neither goes on with the last.
type calls struct {
	ids   *chat.CallIDs
	names *names
	all   []*call
}

// call is one tool call as it comes in.
type call struct {
	index    int64
	indexed  bool
	provider string // the provider's id
	id       string // ours
	name     string
	named    bool   // the name has been sent
	pending  string // arguments that wait for the name
	extra    string // what else waits for it
	text     seam
	shape    shape
}

// add takes a piece and appends to out what can be said now.
func (cs *calls) add(out []chat.ToolCallDelta, p callPiece) []chat.ToolCallDelta {
	c := cs.route(p)
	if c == nil {
		if p.id == "" && p.name == "" && p.arguments == "" {
			return out // says nothing
		}
		// Whatever was waiting for the rest of its name has it now.
		out = cs.settle(out)
		c = &call{provider: p.id}
		cs.all = append(cs.all, c)
	}
	if p.indexed {
		c.index, c.indexed = p.index, true
	}
	if c.provider == "" {
		c.provider = p.id
	}
	if !c.named && !cs.repeats(c, p.name) {
		c.name += p.name
	}
	follow(&c.shape, p.arguments)
	arguments := c.text.add(p.arguments)
	if !c.named {
		c.pending += arguments
		if p.extra != nil {
			c.extra = mend(string(p.extra))
		}
		if c.name == "" || c.pending == "" && c.extra == "" && !cs.names.settled(c.name) {
			return out
		}
		return append(out, cs.first(c))
	}
	if arguments == "" && p.extra == nil {
		return out
	}
	return append(out, chat.ToolCallDelta{ID: c.id, Arguments: arguments, EncryptedReasoning: mend(string(p.extra))})
}

// repeats reports whether a piece of a name is the whole name once more.
func (cs *calls) repeats(c *call, name string) bool {
	return name == c.name && !cs.names.begins(c.name+name)
}

// first is the first delta of a call, with its whole name.
func (cs *calls) first(c *call) chat.ToolCallDelta {
	c.named = true
	c.id, c.name = cs.ids.New(c.provider), mend(c.name)
	d := chat.ToolCallDelta{ID: c.id, Name: cs.names.ours(c.name), Arguments: c.pending, EncryptedReasoning: c.extra}
	c.pending, c.extra = "", ""
	return d
}

// settle appends the first deltas of the calls whose names were waiting.
func (cs *calls) settle(out []chat.ToolCallDelta) []chat.ToolCallDelta {
	for _, c := range cs.all {
		if !c.named && c.name != "" {
			out = append(out, cs.first(c))
		}
	}
	return out
}

// finish appends what is left at the end of the turn.
func (cs *calls) finish(out []chat.ToolCallDelta) ([]chat.ToolCallDelta, error) {
	out = cs.settle(out)
	for _, c := range cs.all {
		if !c.named {
			return out, errNameless
		}
		if rest := c.text.rest(); rest != "" {
			out = append(out, chat.ToolCallDelta{ID: c.id, Arguments: rest})
		}
	}
	return out, nil
}

// route returns the call that the piece goes on with, nil for a new one.
func (cs *calls) route(p callPiece) *call {
	if p.indexed {
		if c := cs.find(func(c *call) bool { return c.indexed && c.index == p.index }); c != nil {
			if cs.opens(c, p) {
				return nil
			}
			return c
		}
	}
	if p.id != "" {
		c := cs.find(func(c *call) bool { return c.provider == p.id })
		if c != nil && (p.name == "" || !p.indexed && p.name == c.name) {
			return c
		}
		return nil
	}
	if p.name == "" {
		if len(cs.all) == 0 {
			return nil
		}
		return cs.all[len(cs.all)-1]
	}
	if !p.indexed && len(cs.all) > 0 {
		// A name in pieces, without index and id.
		if c := cs.all[len(cs.all)-1]; !c.named && !c.shape.begun() && cs.names.begins(c.name+p.name) {
			return c
		}
	}
	return nil
}

// opens reports whether a piece with the index of c begins another call.
func (cs *calls) opens(c *call, p callPiece) bool {
	if p.name == "" {
		return false
	}
	if p.id != "" && c.provider != "" {
		return p.id != c.provider
	}
	return c.shape.complete() && p.arguments != ""
}

// find returns the newest call that is so.
func (cs *calls) find(is func(*call) bool) *call {
	for _, c := range slices.Backward(cs.all) {
		if is(c) {
			return c
		}
	}
	return nil
}
