package pieces

import (
	"slices"
	"strings"
)

// route returns the call that the piece goes on with, nil for a new one, and
// then the call whose index that takes over, if any.
func (cs *Calls) route(p Piece) (on, after *Call) {
	if p.Indexed {
		if c := cs.find(func(c *Call) bool { return c.indexed && c.index == p.Index }); c != nil {
			if cs.opens(c, p) {
				return nil, c
			}
			return c, nil
		}
	}
	if p.ID != "" {
		c := cs.find(func(c *Call) bool { return c.provider == p.ID })
		if c != nil && (p.Name == "" || !p.Indexed && p.Name == c.Name && !c.full(p)) {
			return c, nil
		}
		return nil, nil
	}
	if len(cs.all) == 0 {
		return nil, nil
	}
	last := cs.all[len(cs.all)-1]
	switch {
	case p.Name == "" && last.again && !blank(p.Arguments):
		return nil, last
	case p.Name == "":
		return last, nil
	case !p.Indexed && !last.named && !last.Begun() && (last.Name == "" || cs.Names.Begins(last.Name+p.Name)):
		return last, nil // a name in pieces, or behind its id
	}
	return nil, nil
}

// opens reports whether a piece with the index of c begins another call: by
// an id and a name, by a name behind an id of its own, by a name or arguments
// behind arguments that are complete, by another tool's name behind a whole
// one. An id that changes on every piece, without a name, does not.
func (cs *Calls) opens(c *Call, p Piece) bool {
	switch {
	case p.Name == "":
		return c.again && !blank(p.Arguments)
	case p.ID != "" && c.provider != "" && p.ID != c.provider, c.next != "":
		return true
	case c.Complete():
		return p.Name != c.Name || c.full(p)
	}
	return c.named && !c.Begun() && p.Name != c.Name && cs.Names.Begins(p.Name)
}

// find returns the newest call that is so.
func (cs *Calls) find(is func(*Call) bool) *Call {
	for _, c := range slices.Backward(cs.all) {
		if is(c) {
			return c
		}
	}
	return nil
}

// foretells notes what may be the first sign of another call.
func (c *Call) foretells(p Piece) bool {
	if p.Arguments != "" || p.EncryptedReasoning != "" || c.Name == "" || c.Begun() && !c.Complete() {
		c.next, c.again = "", false
		return false
	}
	if p.Name == "" && p.ID != "" && c.provider != "" && p.ID != c.provider {
		c.next = p.ID
		return true
	}
	c.again = p.Name == c.Name && c.Complete()
	return c.again
}

// repeats reports whether a piece is the whole call once more.
func (c *Call) repeats(p Piece) bool {
	return p.ID != "" && p.ID == c.provider && p.Name == c.Name && c.Complete() && p.Arguments == c.args.String()
}

// full reports whether a piece brings arguments that are not c's any more.
func (c *Call) full(p Piece) bool {
	return c.Complete() && !blank(p.Arguments) && !c.repeats(p)
}

// blank reports whether arguments are space, which ends nothing and begins
// nothing.
func blank(arguments string) bool { return strings.TrimSpace(arguments) == "" }
