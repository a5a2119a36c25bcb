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
//   - A known index goes on with its call, unless the piece has a name and
//     another id, which opens a call: some servers count every call as 0.
//   - Otherwise a known id goes on with its call, an unknown one or a name
//     opens a call, and a piece with neither goes on with the last.
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
}

var errNameless = errors.New("a tool call without a name")

// add takes a piece and appends to out what can be said now.
func (cs *calls) add(out []chat.ToolCallDelta, p piece) []chat.ToolCallDelta {
	c := cs.route(p)
	if c == nil {
		out = cs.announce(out)
		c = &call{theirs: p.id}
		cs.all = append(cs.all, c)
	}
	if p.indexed {
		c.index, c.indexed = p.index, true
	}
	if c.theirs == "" {
		c.theirs = p.id
	}
	if c.id == "" && p.name != c.name {
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

func (cs *calls) route(p piece) *call {
	find := func(is func(*call) bool) *call {
		for _, c := range slices.Backward(cs.all) {
			if is(c) {
				return c
			}
		}
		return nil
	}
	if p.indexed {
		c := find(func(c *call) bool { return c.indexed && c.index == p.index })
		switch {
		case c == nil:
		case p.name == "" || p.id == "" || c.theirs == "" || p.id == c.theirs:
			// Without an id a new name behind whole arguments is a new call.
			if p.name == "" || p.id != "" || p.arguments == "" || !json.Valid([]byte(c.args.String())) {
				return c
			}
			return nil
		default:
			return nil
		}
	}
	if p.id != "" {
		if c := find(func(c *call) bool { return c.theirs == p.id }); c != nil && (p.name == "" || !p.indexed && p.name == c.name) {
			return c
		}
		return nil
	}
	if len(cs.all) == 0 {
		return nil
	}
	last := cs.all[len(cs.all)-1]
	switch {
	case p.name == "" && !(p.indexed && last.indexed):
		return last
	case p.name != "" && !p.indexed && last.id == "" && last.waiting == "" && cs.names.begins(last.name+p.name):
		return last // its name in pieces
	}
	return nil
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
