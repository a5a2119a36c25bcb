// Package arguments follows the arguments of a tool call as they come in pieces.
package arguments

import (
	"encoding/json"
	"strings"
)

// Text is the arguments of a call so far. The zero value is empty. It is
// followed as it comes, so that to ask whether it is whole costs no look at
// what was there before.
type Text struct {
	text    strings.Builder
	depth   int
	quoted  bool
	escaped bool // behind a backslash in a string
	over    bool // the object has ended
	broken  bool // what is there cannot become an object any more
}

// Add puts a piece behind the others.
func (a *Text) Add(piece string) {
	a.text.WriteString(piece)
	for i := 0; i < len(piece) && !a.broken; i++ {
		a.step(piece[i])
	}
}

func (a *Text) step(c byte) {
	switch {
	case a.escaped:
		a.escaped = false
	case a.quoted:
		a.escaped, a.quoted = c == '\\', c != '"'
	case c == ' ', c == '\t', c == '\n', c == '\r':
	case a.over, a.depth == 0 && c != '{':
		a.broken = true
	case c == '"':
		a.quoted = true
	case c == '{', c == '[':
		a.depth++
	case c == '}', c == ']':
		a.depth--
		a.over = a.depth == 0
		a.broken = a.over && !json.Valid([]byte(a.text.String()))
	}
}

// Whole reports whether the text is a JSON object: the next call then ends this
// one.
func (a *Text) Whole() bool { return a.over && !a.broken }

// String returns the text.
func (a *Text) String() string { return a.text.String() }
