package openai

import (
	"strconv"
	"strings"
)

// maxName is the longest name that the wire allows.
const maxName = 64

// names translates tool names to what the wire allows (letters, digits, _ and
// -, at most 64) and back. A name that is allowed stays as it is.
type names struct {
	wire map[string]string // ours to theirs
	own  map[string]string // theirs to ours
}

// newNames knows the names of the tools that are offered.
func newNames(tools []string) *names {
	n := &names{wire: map[string]string{}, own: map[string]string{}}
	for _, name := range tools { // names that stay have the first claim
		if name != "" && valid(name) == name {
			n.wire[name], n.own[name] = name, name
		}
	}
	for _, name := range tools {
		n.theirs(name)
	}
	return n
}

// theirs returns the name on the wire, and remembers a new one.
func (n *names) theirs(name string) string {
	if w, ok := n.wire[name]; ok {
		return w
	}
	w := valid(name)
	for k := 2; n.own[w] != ""; k++ {
		suffix := "_" + strconv.Itoa(k)
		w = valid(name)
		w = w[:min(len(w), maxName-len(suffix))] + suffix
	}
	n.wire[name], n.own[w] = w, name
	return w
}

// ours returns the name behind a name of the wire.
func (n *names) ours(wire string) string {
	if name, ok := n.own[wire]; ok {
		return name
	}
	return wire
}

// settled reports whether a piece of a name is a whole name that no other
// offered name goes on from.
func (n *names) settled(piece string) bool {
	if n.own[piece] == "" {
		return false
	}
	for name := range n.own {
		if len(name) > len(piece) && strings.HasPrefix(name, piece) {
			return false
		}
	}
	return true
}

// begins reports whether an offered name begins so.
func (n *names) begins(piece string) bool {
	for name := range n.own {
		if strings.HasPrefix(name, piece) {
			return true
		}
	}
	return false
}

// valid returns the name with every character that the wire refuses replaced
// by _, cut to its longest length.
func valid(name string) string {
	ok := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
	}
	name = strings.Map(func(r rune) rune {
		if ok(r) {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		name = "_"
	}
	return name[:min(len(name), maxName)]
}
