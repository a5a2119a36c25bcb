package agui

import "slices"

// lane is what one agent writes in chunks.
type lane struct {
	owner owner
	kind  kind // textKind, toolCallKind or reasoningMessageKind
	id    string
	// tag is what the opener carried, for the events that follow from it.
	tag    Tag
	role   Role
	name   string
	parent *string
	ended  bool // and only keeps its place
}

// lanes are the open lanes of a stream, in the order in which they were
// opened. No two have one owner, and no two one kind and id. The zero value is
// empty. A run has a few, which are looked at one after the other; only many
// get an index.
type lanes struct {
	list  []lane
	index *laneIndex // of more than fewLanes, else nil
}

// laneIndex has the places of lanes in their list. As long as there is one,
// the lanes that end keep theirs, so that no other moves.
type laneIndex struct {
	owners map[owner]int
	ids    map[laneID]int
	many   [kinds]int // how many are open of a kind
	places [kinds]int // the sum of their places: with one, its place
	ended  int
}

type laneID struct {
	kind kind
	id   string
}

const fewLanes = 8

func (s *lanes) reset() { s.list, s.index = s.list[:0], nil }

// of returns the place of an owner's lane, -1 when there is none.
func (s *lanes) of(o owner) int {
	if s.index != nil {
		return place(s.index.owners, o)
	}
	for i := range s.list {
		if s.list[i].owner == o {
			return i
		}
	}
	return -1
}

// with returns the place of the lane that has a message or call.
func (s *lanes) with(k kind, id string) int {
	if s.index != nil {
		return place(s.index.ids, laneID{k, id})
	}
	for i := range s.list {
		if l := &s.list[i]; l.kind == k && l.id == id {
			return i
		}
	}
	return -1
}

func place[K comparable](places map[K]int, key K) int {
	if i, ok := places[key]; ok {
		return i
	}
	return -1
}

// only returns whose lane of a kind is meant when nobody is named: the parent's
// own, or the only one there is, or the parent's that is not there yet. It is
// not ok when there are several.
func (s *lanes) only(k kind) (o owner, ok bool) {
	if i := s.of(owner{}); i >= 0 && s.list[i].kind == k {
		return owner{}, true
	}
	many, at := 0, 0
	if s.index != nil {
		many, at = s.index.many[k], s.index.places[k]
	} else {
		for i := range s.list {
			if s.list[i].kind == k {
				many, at = many+1, i
			}
		}
	}
	switch many {
	case 0:
		return owner{}, true
	case 1:
		return s.list[at].owner, true
	}
	return owner{}, false
}

// open adds a lane and returns its place.
func (s *lanes) open(l lane) int {
	i := len(s.list)
	s.list = append(s.list, l)
	switch {
	case s.index != nil:
		s.index.add(i, &l)
	case len(s.list) > fewLanes:
		s.reindex()
	}
	return i
}

func (s *lanes) reindex() {
	s.index = &laneIndex{owners: map[owner]int{}, ids: map[laneID]int{}}
	for i := range s.list {
		s.index.add(i, &s.list[i])
	}
}

// close takes a lane out.
func (s *lanes) close(i int) {
	if s.index == nil {
		s.list = slices.Delete(s.list, i, i+1)
		return
	}
	s.index.remove(i, &s.list[i])
	s.list[i] = lane{ended: true}
	if 2*s.index.ended < len(s.list) {
		return
	}
	// Half are over: to move the others costs no more than to open them did.
	s.list = slices.DeleteFunc(s.list, func(l lane) bool { return l.ended })
	s.index = nil
	if len(s.list) > fewLanes {
		s.reindex()
	}
}

func (x *laneIndex) add(i int, l *lane) {
	x.owners[l.owner] = i
	x.ids[laneID{l.kind, l.id}] = i
	x.many[l.kind]++
	x.places[l.kind] += i
}

func (x *laneIndex) remove(i int, l *lane) {
	delete(x.owners, l.owner)
	delete(x.ids, laneID{l.kind, l.id})
	x.many[l.kind]--
	x.places[l.kind] -= i
	x.ended++
}
