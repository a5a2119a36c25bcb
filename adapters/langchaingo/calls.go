package langchaingo

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/middleware/chat"
)

// calls puts the pieces of one answer's tool calls together. Servers differ in
// what a piece carries:
//
//   - A known index goes on with its call, unless the piece begins another:
//     see [calls.opens].
//   - An unknown index, or none, with the id of a known call and no other
//     name goes on with that call, until its arguments are complete.
//   - Otherwise an id or a name opens a call, and a piece with neither goes on
//     with the last.
type calls struct {
	ids   *chat.CallIDs
	names *names
	all   []*call
}

type call struct {
	index   int
	indexed bool
	theirs  string // the provider's id
	id      string // ours, once it has been announced
	name    string
	args    strings.Builder
	waiting string // arguments that wait for the name
	seam    seam
	// next and again are of pieces that may announce another call on the same
	// index: another id alone, the same name alone behind whole arguments.
	next  string
	again bool
}

var errNameless = errors.New("a tool call without a name")

// add takes a piece and appends to out what can be said now.
func (cs *calls) add(out []chat.ToolCallDelta, p piece) []chat.ToolCallDelta {
	if p.id == "" && p.name == "" && p.arguments == "" {
		return out // says nothing
	}
	c, after := cs.route(p)
	if c == nil {
		out = cs.announce(out)
		c = &call{theirs: p.id}
		if after != nil {
			if after.again && p.name == "" {
				p.name = after.name
			}
			if c.theirs == "" {
				c.theirs = after.next
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
	if c.theirs == "" {
		c.theirs = p.id
	}
	if c.id == "" && (p.name != c.name || cs.names.begins(c.name+p.name)) {
		c.name += p.name
	}
	c.args.WriteString(p.arguments)
	said := c.seam.add(p.arguments)
	if c.id == "" {
		c.waiting += said
		if c.name == "" || c.waiting == "" && !cs.names.settled(c.name) {
			return out
		}
		return append(out, cs.first(c))
	}
	if said == "" {
		return out
	}
	return append(out, chat.ToolCallDelta{ID: c.id, Arguments: said})
}

// complete reports whether the arguments are JSON. It is asked only where a
// piece looks like another call's.
func (c *call) complete() bool { return json.Valid([]byte(c.args.String())) }

// foretells notes what may be the first sign of another call.
func (c *call) foretells(p piece) bool {
	if p.arguments != "" {
		c.next, c.again = "", false
		return false
	}
	otherID := p.name == "" && p.id != "" && c.theirs != "" && p.id != c.theirs
	if c.name == "" || !otherID && p.name != c.name || c.args.Len() > 0 && !c.complete() {
		return false
	}
	if otherID {
		c.next = p.id
		return true
	}
	c.again = c.args.Len() > 0
	return c.again
}

// repeats reports whether a piece is the whole call once more.
func (c *call) repeats(p piece) bool {
	return p.id != "" && p.id == c.theirs && p.name == c.name && p.arguments == c.args.String() && c.complete()
}

// full reports whether a piece brings arguments that are not c's any more.
func (c *call) full(p piece) bool {
	return strings.TrimSpace(p.arguments) != "" && c.complete() && !c.repeats(p)
}

// route returns the call that the piece goes on with, nil for a new one, and
// then the call whose place that takes, if any.
func (cs *calls) route(p piece) (on, after *call) {
	find := func(is func(*call) bool) *call {
		for _, c := range slices.Backward(cs.all) {
			if is(c) {
				return c
			}
		}
		return nil
	}
	if p.indexed {
		if c := find(func(c *call) bool { return c.indexed && c.index == p.index }); c != nil {
			if cs.opens(c, p) {
				return nil, c
			}
			return c, nil
		}
	}
	if p.id != "" {
		c := find(func(c *call) bool { return c.theirs == p.id })
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
	case !p.indexed && last.id == "" && last.args.Len() == 0 && (last.name == "" || cs.names.begins(last.name+p.name)):
		return last, nil // a name in pieces, or behind its id
	}
	return nil, nil
}

// opens reports whether a piece with the index of c begins another call: by
// an id and a name, by a name behind an id of its own, by a name or arguments
// behind arguments that are complete, by another tool's name behind a whole
// one. An id that changes on every piece, without a name, does not.
func (cs *calls) opens(c *call, p piece) bool {
	switch {
	case p.name == "":
		return c.again && strings.TrimSpace(p.arguments) != ""
	case p.id != "" && c.theirs != "" && p.id != c.theirs, c.next != "":
		return true
	case c.complete():
		return p.name != c.name || c.full(p)
	}
	return c.id != "" && c.args.Len() == 0 && p.name != c.name && cs.names.begins(p.name)
}

// first is the first delta of a call.
func (cs *calls) first(c *call) chat.ToolCallDelta {
	c.id = cs.ids.New(c.theirs)
	d := chat.ToolCallDelta{ID: c.id, Name: cs.names.ours(c.name), Arguments: c.waiting}
	c.waiting = ""
	return d
}

// announce appends the calls whose names may have been going on until now.
func (cs *calls) announce(out []chat.ToolCallDelta) []chat.ToolCallDelta {
	for _, c := range cs.all {
		if c.id == "" && c.name != "" {
			out = append(out, cs.first(c))
		}
	}
	return out
}

// finish appends what is left at the end of the answer.
func (cs *calls) finish(out []chat.ToolCallDelta) ([]chat.ToolCallDelta, error) {
	out = cs.announce(out)
	for _, c := range cs.all {
		if c.id == "" {
			return out, errNameless
		}
		if rest := c.seam.rest(); rest != "" {
			out = append(out, chat.ToolCallDelta{ID: c.id, Arguments: rest})
		}
	}
	return out, nil
}
