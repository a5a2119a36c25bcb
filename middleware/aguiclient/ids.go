package aguiclient

// idSet is a set of ids in the order in which they were added.
type idSet struct {
	ids []string // also those that were removed
	at  map[string]int
}

func newIDSet(ids []string) idSet {
	var s idSet
	for _, id := range ids {
		s.add(id)
	}
	return s
}

func (s *idSet) has(id string) bool {
	_, ok := s.at[id]
	return ok
}

func (s *idSet) add(id string) {
	if s.has(id) {
		return
	}
	if s.at == nil {
		s.at = map[string]int{}
	}
	s.at[id] = len(s.ids)
	s.ids = append(s.ids, id)
}

func (s *idSet) len() int { return len(s.at) }

func (s *idSet) remove(id string) { delete(s.at, id) }

// list returns the ids in a new slice; nil when there are none.
func (s *idSet) list() []string {
	var out []string
	for i, id := range s.ids {
		if at, ok := s.at[id]; ok && at == i {
			out = append(out, id)
		}
	}
	return out
}
