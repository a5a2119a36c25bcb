package agui

import "strconv"

// spelling refuses a member of an object that is one of the protocol's names in
// snake case, as tool_calls is for toolCalls: kept as a member that nobody
// knows, what it says would be lost in silence. It is refused beside the right
// name too, for the two may say different things. A client leaves what a server
// says alone.
func (r *reader) spelling(object uint32, names ...string) {
	if r.client {
		return
	}
	for key := range r.members(object) {
		r.spelled(key, names)
	}
}

// spelled does it for one member. It reports whether the name may stand.
func (r *reader) spelled(key uint32, names []string) bool {
	for _, name := range names {
		if isSnake(r.doc.inside(key), name) {
			r.fail(key+1, "is not a name of the protocol: write "+strconv.Quote(name))
			return false
		}
	}
	return true
}

// isSnake reports whether a name is the snake case of another, which is not the
// other itself.
func isSnake(name []byte, camel string) bool {
	i := 0
	for _, c := range []byte(camel) {
		if c >= 'A' && c <= 'Z' {
			if i == len(name) || name[i] != '_' {
				return false
			}
			i++
			c += 'a' - 'A'
		}
		if i == len(name) || name[i] != c {
			return false
		}
		i++
	}
	return i == len(name) && i > len(camel)
}
