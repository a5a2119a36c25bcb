package chat

// idSet is a set of ids. Most runs have one, and a long one has many.
type idSet struct {
	first string
	more  map[string]bool
}

func (s *idSet) has(id string) bool { return id == s.first && id != "" || s.more[id] }

func (s *idSet) add(id string) {
	switch {
	case s.has(id):
	case s.first == "":
		s.first = id
	case s.more == nil:
		s.more = map[string]bool{id: true}
	default:
		s.more[id] = true
	}
}
