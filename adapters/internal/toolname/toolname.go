// Package toolname translates the names of tools to those that models'
// servers take, and back.
package toolname

import (
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/middleware/chat"
)

// longest is the length of the longest name that servers take.
const longest = 64

// Table knows the names of one request: ours, and theirs on the wire, which
// are of letters, digits, _ and -, at most 64. A name that is fine stays as it
// is.
type Table struct {
	wire map[string]string // ours to theirs
	own  map[string]string // theirs to ours
}

// New returns the table of the tools that are offered.
func New(offered []chat.Tool) *Table {
	t := &Table{wire: map[string]string{}, own: map[string]string{}}
	for _, tool := range offered { // names that stay have the first claim
		if name := tool.Name; name != "" && Valid(name, "") == name {
			t.wire[name], t.own[name] = name, name
		}
	}
	for _, tool := range offered {
		t.Theirs(tool.Name)
	}
	return t
}

// Theirs returns the name on the wire, and remembers a new one.
func (t *Table) Theirs(name string) string {
	if w, ok := t.wire[name]; ok {
		return w
	}
	w := Valid(name, "_")
	for k := 2; t.own[w] != ""; k++ {
		suffix := "_" + strconv.Itoa(k)
		w = Valid(name, "_")
		w = w[:min(len(w), longest-len(suffix))] + suffix
	}
	t.wire[name], t.own[w] = w, name
	return w
}

// Ours returns the name behind a name of the wire. One that is not known is
// returned as it is.
func (t *Table) Ours(wire string) string {
	if name, ok := t.own[wire]; ok {
		return name
	}
	return wire
}

// Settled reports whether a piece of a name is a whole name that no other
// known name goes on from.
func (t *Table) Settled(piece string) bool {
	if t.own[piece] == "" {
		return false
	}
	for name := range t.own {
		if len(name) > len(piece) && strings.HasPrefix(name, piece) {
			return false
		}
	}
	return true
}

// Begins reports whether a known name begins so, or is so.
func (t *Table) Begins(piece string) bool {
	for name := range t.own {
		if strings.HasPrefix(name, piece) {
			return true
		}
	}
	return false
}

// Valid returns the name with every character that servers refuse replaced by
// _, cut to the longest length, and empty in place of an empty one.
func Valid(name, empty string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return empty
	}
	return name[:min(len(name), longest)]
}
