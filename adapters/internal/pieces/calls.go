package pieces

import (
	"errors"
	"strings"

	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/chat"
)

// ErrNameless says that a model called nothing by name.
var ErrNameless = errors.New("a tool call without a name")

// Piece is a piece of a tool call, in the server's words. What it does not say
// is empty. Name and Arguments may be cut inside characters.
type Piece struct {
	Index     int64
	Indexed   bool
	ID        string
	Name      string
	Arguments string
	// EncryptedReasoning is as that of a [chat.ToolCallDelta].
	EncryptedReasoning string
}

// Calls puts the tool calls of one answer together. Servers differ in what a
// piece carries, so a piece is told by its index, its id and its name, in
// this order:
//
//   - A known index goes on with its call, unless the piece begins another:
//     see [Calls.opens].
//   - An unknown index, or none, with the id of a known call and no other
//     name goes on with that call, until its arguments are complete.
//   - Otherwise a piece with an id or a name opens a call, and one with
//     neither goes on with the last.
//
// A piece that says nothing is no call. What it returns obeys the laws of a
// client's stream: an id is unique in the conversation, and the first delta of
// a call has its whole name, so a call waits until its name is known to be
// whole. It is for one goroutine at a time.
type Calls struct {
	IDs   *chat.CallIDs
	Names *toolname.Table
	all   []*Call
}

// Call is one tool call as it comes in.
type Call struct {
	// Name is the name on the wire, so far.
	Name string

	index    int64
	indexed  bool
	provider string // the provider's id
	id       string // ours
	named    bool   // the name has been said
	pending  string // arguments that wait for the name
	extra    string // encrypted reasoning that waits for it
	args     strings.Builder
	text     Seam
	shape    Shape
	// next and again are of pieces that may announce another call on the same
	// index: another id alone, the same name alone behind whole arguments.
	next  string
	again bool
}

// Begun reports whether arguments have come, Complete whether they are whole.
func (c *Call) Begun() bool    { return c.shape.Begun() }
func (c *Call) Complete() bool { return c.shape.Complete() }

// All returns the calls so far, in the order in which they began.
func (cs *Calls) All() []*Call { return cs.all }

// Add takes a piece and appends to out what can be said now.
func (cs *Calls) Add(out []chat.ToolCallDelta, p Piece) []chat.ToolCallDelta {
	if p.ID == "" && p.Name == "" && p.Arguments == "" && p.EncryptedReasoning == "" {
		return out // says nothing
	}
	c, after := cs.route(p)
	if c == nil {
		// Whatever was waiting for the rest of its name has it now.
		out = cs.settle(out)
		c = cs.open(&p, after)
	} else if c.foretells(p) {
		return out
	} else if c.repeats(p) {
		p.Arguments = ""
	}
	if p.Indexed {
		c.index, c.indexed = p.Index, true
	}
	if c.provider == "" {
		c.provider = p.ID
	}
	if !c.named && !cs.wholeAgain(c, p.Name) {
		c.Name += p.Name
	}
	Follow(&c.shape, p.Arguments)
	c.args.WriteString(p.Arguments)
	arguments := c.text.Add(p.Arguments)
	if !c.named {
		c.pending += arguments
		if p.EncryptedReasoning != "" {
			c.extra = Mend(p.EncryptedReasoning)
		}
		if c.Name == "" || c.pending == "" && c.extra == "" && !cs.Names.Settled(c.Name) {
			return out
		}
		return append(out, cs.first(c))
	}
	if arguments == "" && p.EncryptedReasoning == "" {
		return out
	}
	return append(out, chat.ToolCallDelta{ID: c.id, Arguments: arguments, EncryptedReasoning: Mend(p.EncryptedReasoning)})
}

// Finish appends what is left at the end of the answer. Its error is
// [ErrNameless].
func (cs *Calls) Finish(out []chat.ToolCallDelta) ([]chat.ToolCallDelta, error) {
	out = cs.settle(out)
	for _, c := range cs.all {
		if !c.named {
			return out, ErrNameless
		}
		if rest := c.text.Rest(); rest != "" {
			out = append(out, chat.ToolCallDelta{ID: c.id, Arguments: rest})
		}
	}
	return out, nil
}

// open begins a call. What pieces before this one have foretold of it, on the
// index of the call after which it comes, is its own.
func (cs *Calls) open(p *Piece, after *Call) *Call {
	c := &Call{provider: p.ID}
	if after != nil {
		if after.again && p.Name == "" {
			p.Name = after.Name
		}
		if c.provider == "" {
			c.provider = after.next
		}
		after.next, after.again = "", false
	}
	cs.all = append(cs.all, c)
	return c
}

// wholeAgain reports whether a piece of a name is the whole name once more.
func (cs *Calls) wholeAgain(c *Call, name string) bool {
	return name == c.Name && !cs.Names.Begins(c.Name+name)
}

// first is the first delta of a call, with its whole name.
func (cs *Calls) first(c *Call) chat.ToolCallDelta {
	c.named = true
	c.id, c.Name = cs.IDs.New(c.provider), Mend(c.Name)
	d := chat.ToolCallDelta{ID: c.id, Name: cs.Names.Ours(c.Name), Arguments: c.pending, EncryptedReasoning: c.extra}
	c.pending, c.extra = "", ""
	return d
}

// settle appends the first deltas of the calls whose names were waiting.
func (cs *Calls) settle(out []chat.ToolCallDelta) []chat.ToolCallDelta {
	for _, c := range cs.all {
		if !c.named && c.Name != "" {
			out = append(out, cs.first(c))
		}
	}
	return out
}
