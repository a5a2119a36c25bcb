package pieces

// Shape follows JSON text, piece by piece, just far enough to know whether
// the value that it begins with is complete. The zero value is ready.
type Shape struct {
	First           byte // the first byte that is not space, 0 if there is none yet
	depth           int
	quoted, escaped bool
}

// Follow goes on with a piece.
func Follow[T string | []byte](s *Shape, text T) {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if s.First == 0 && b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			s.First = b
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

// Begun reports whether there is anything yet, Complete whether nothing is
// open.
func (s *Shape) Begun() bool    { return s.First != 0 }
func (s *Shape) Complete() bool { return s.Begun() && s.depth <= 0 && !s.quoted }
