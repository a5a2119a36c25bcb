package agui

// register keeps what is known by an id. The zero value is empty, and small:
// a run has several, and most stay empty for as long as it lasts.
type register[V any] struct{ held *table[V] }

// table is what a register has once it holds something. A run has a few ids and
// asks nearly always for the one that it asked for last, so the entries lie in
// a slice; only many get an index.
type table[V any] struct {
	entries []entry[V]
	last    int            // the entry that was asked for last
	index   map[string]int // of more than fewEntries, else nil
	room    [1]entry[V]    // of the first
}

type entry[V any] struct {
	id    string
	value V
}

const fewEntries = 8

// all returns the entries.
func (r *register[V]) all() []entry[V] {
	if r.held == nil {
		return nil
	}
	return r.held.entries
}

// get returns the value of an id, nil when there is none. The pointer is valid
// until the next put.
func (r *register[V]) get(id string) *V {
	t := r.held
	if t == nil {
		return nil
	}
	if last := &t.entries[t.last]; last.id == id {
		return &last.value
	}
	if t.index != nil {
		i, ok := t.index[id]
		if !ok {
			return nil
		}
		t.last = i
		return &t.entries[i].value
	}
	for i := range t.entries {
		if t.entries[i].id == id {
			t.last = i
			return &t.entries[i].value
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
	if r.held == nil {
		r.held = &table[V]{}
		r.held.entries = r.held.room[:0]
	}
	t := r.held
	t.last = len(t.entries)
	t.entries = append(t.entries, entry[V]{id, v})
	switch {
	case t.index != nil:
		t.index[id] = t.last
	case len(t.entries) > fewEntries:
		t.index = make(map[string]int, 2*fewEntries)
		for i := range t.entries {
			t.index[t.entries[i].id] = i
		}
	}
}
