package agui

// register keeps what is known by an id. The zero value is empty. A run has a
// few ids and asks nearly always for the one that it asked for last, so the
// entries lie in a slice; only many get an index.
type register[V any] struct {
	entries []entry[V]
	last    int            // the entry that was asked for last
	index   map[string]int // of more than fewEntries, else nil
}

type entry[V any] struct {
	id    string
	value V
}

const fewEntries = 8

// get returns the value of an id, nil when there is none. The pointer is valid
// until the next put.
func (r *register[V]) get(id string) *V {
	if r.last < len(r.entries) && r.entries[r.last].id == id {
		return &r.entries[r.last].value
	}
	if r.index != nil {
		i, ok := r.index[id]
		if !ok {
			return nil
		}
		r.last = i
		return &r.entries[i].value
	}
	for i := range r.entries {
		if r.entries[i].id == id {
			r.last = i
			return &r.entries[i].value
		}
	}
	return nil
}

// put sets the value of an id.
func (r *register[V]) put(id string, v V) {
	if p := r.get(id); p != nil {
		*p = v
		return
	}
	r.last = len(r.entries)
	r.entries = append(r.entries, entry[V]{id, v})
	switch {
	case r.index != nil:
		r.index[id] = r.last
	case len(r.entries) > fewEntries:
		r.index = make(map[string]int, 2*fewEntries)
		for i := range r.entries {
			r.index[r.entries[i].id] = i
		}
	}
}
