package openai

// shape follows JSON text, piece by piece, just far enough to know whether
// the value that it begins with is complete. The zero value is ready.
type shape struct {
	first           byte // the first byte that is not space
	depth           int
	quoted, escaped bool
}

// follow goes on with a piece.
func follow[T string | []byte](s *shape, text T) {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if s.first == 0 && b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			s.first = b
		}
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped, s.quoted = b == '\\', b != '"'
		case b == '"':
			s.quoted = true
		case b == '{' || b == '[':
			s.depth++
		case b == '}' || b == ']':
			s.depth--
		}
	}
}

// begun reports whether there is anything yet, complete whether nothing is
// open.
func (s *shape) begun() bool    { return s.first != 0 }
func (s *shape) complete() bool { return s.begun() && s.depth <= 0 && !s.quoted }
