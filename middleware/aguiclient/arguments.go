package aguiclient

import (
	"encoding/json"
	"strings"
)

// arguments are those of a call, which come in pieces. They are followed as
// they come, so that to ask whether they are whole costs no look at what was
// there before.
type arguments struct {
	text    strings.Builder
	depth   int
	quoted  bool
	escaped bool // behind a backslash in a string
	over    bool // the object has ended
	broken  bool // what is there cannot become an object any more
}

// add puts a piece behind the others.
func (a *arguments) add(piece string) {
	a.text.WriteString(piece)
	for i := 0; i < len(piece) && !a.broken; i++ {
		a.step(piece[i])
	}
}

func (a *arguments) step(c byte) {
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

// whole reports whether they are a JSON object: the next call then ends this
// one.
func (a *arguments) whole() bool { return a.over && !a.broken }
