package openai

import (
	"errors"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/middleware/chat"
)

// errNameless says that a model called nothing by name.
var errNameless = errors.New("a tool call without a name")

// calls puts the pieces of tool calls together. Servers differ in what a
// piece carries, so a piece is told by its index, its id and its name, in
// this order:
//
//   - A known index goes on with its call, unless the piece begins another:
//     see [calls.opens].
//   - An unknown index, or none, with the id of a known call and no other
//     name goes on with that call, until its arguments are complete.
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
	args     strings.Builder
	text     seam
	shape    shape
	// next and again are of pieces that may announce another call on the same
	// index: another id alone, the same name alone behind whole arguments.
	next  string
	again bool
}

// add takes a piece and appends to out what can be said now.
func (cs *calls) add(out []chat.ToolCallDelta, p callPiece) []chat.ToolCallDelta {
	if p.id == "" && p.name == "" && p.arguments == "" && p.extra == nil {
		return out // says nothing
	}
	c, after := cs.route(p)
	if c == nil {
		// Whatever was waiting for the rest of its name has it now.
		out = cs.settle(out)
		c = &call{provider: p.id}
		if after != nil {
			if after.again && p.name == "" {
				p.name = after.name
			}
			if c.provider == "" {
				c.provider = after.next
			}
			after.next, after.again = "", false
		}
		cs.all = append(cs.all, c)
	} else if c.foretells(p) {
		return out
	} else if c.repeats(p) {
		p.arguments = ""
	}
	if p.indexed {
		c.index, c.indexed = p.index, true
	}
	if c.provider == "" {
		c.provider = p.id
	}
	if !c.named && !cs.wholeAgain(c, p.name) {
		c.name += p.name
	}
	follow(&c.shape, p.arguments)
	c.args.WriteString(p.arguments)
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

// foretells notes what may be the first sign of another call.
func (c *call) foretells(p callPiece) bool {
	if p.arguments != "" || p.extra != nil || c.name == "" || c.shape.begun() && !c.shape.complete() {
		c.next, c.again = "", false
		return false
	}
	if p.name == "" && p.id != "" && c.provider != "" && p.id != c.provider {
		c.next = p.id
		return true
	}
	c.again = p.name == c.name && c.shape.complete()
	return c.again
}

// repeats reports whether a piece is the whole call once more.
func (c *call) repeats(p callPiece) bool {
	return p.id != "" && p.id == c.provider && p.name == c.name && c.shape.complete() && p.arguments == c.args.String()
}

// wholeAgain reports whether a piece of a name is the whole name once more.
func (cs *calls) wholeAgain(c *call, name string) bool {
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

// route returns the call that the piece goes on with, nil for a new one, and
// then the call whose index that takes over, if any.
func (cs *calls) route(p callPiece) (on, after *call) {
	if p.indexed {
		if c := cs.find(func(c *call) bool { return c.indexed && c.index == p.index }); c != nil {
			if cs.opens(c, p) {
				return nil, c
			}
			return c, nil
		}
	}
	if p.id != "" {
		c := cs.find(func(c *call) bool { return c.provider == p.id })
		if c != nil && (p.name == "" || !p.indexed && p.name == c.name && !c.full(p)) {
			return c, nil
		}
		return nil, nil
	}
	if len(cs.all) == 0 {
		return nil, nil
	}
	last := cs.all[len(cs.all)-1]
	switch {
	case p.name == "" && last.again && strings.TrimSpace(p.arguments) != "":
		return nil, last
	case p.name == "":
		return last, nil
	case !p.indexed && !last.named && !last.shape.begun() && (last.name == "" || cs.names.begins(last.name+p.name)):
		return last, nil // a name in pieces, or behind its id
	}
	return nil, nil
}

// opens reports whether a piece with the index of c begins another call: by
// an id and a name, by a name behind an id of its own, by a name or arguments
// behind arguments that are complete, by another tool's name behind a whole
// one. An id that changes on every piece, without a name, does not.
func (cs *calls) opens(c *call, p callPiece) bool {
	switch {
	case p.name == "":
		return c.again && strings.TrimSpace(p.arguments) != ""
	case p.id != "" && c.provider != "" && p.id != c.provider, c.next != "":
		return true
	case c.shape.complete():
		return p.name != c.name || c.full(p)
	}
	return c.named && !c.shape.begun() && p.name != c.name && cs.names.begins(p.name)
}

// full reports whether a piece brings arguments that are not c's any more.
func (c *call) full(p callPiece) bool {
	return c.shape.complete() && strings.TrimSpace(p.arguments) != "" && !c.repeats(p)
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
