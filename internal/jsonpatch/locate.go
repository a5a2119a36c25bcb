package jsonpatch

import "math/bits"

// frame is a container that is open at some offset of a text.
type frame struct {
	start int // of its bracket
	item  int // of the element or member that is being read
	index int // of that item
}

// openAt appends the containers that are open at offset p of compact a. It
// reads a[:p] once.
func openAt(frames []frame, a []byte, p int) []frame {
	var top frame
	base, depth := len(frames), 0
	l := lexer{text: a[:p]}
	for {
		bl, ok := l.read()
		if !ok {
			break
		}
		for m := bl.brackets; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			top.pass(bl.at, bl.commas&(1<<k-1))
			bl.commas &= ^uint64(0) << k
			if i := bl.at + k; opening(a[i]) {
				if depth > 0 {
					frames = append(frames, top)
				}
				depth++
				top = frame{start: i, item: i + 1}
				continue
			}
			if depth--; depth <= 0 {
				return frames[:base]
			}
			top = frames[len(frames)-1]
			frames = frames[:len(frames)-1]
		}
		top.pass(bl.at, bl.commas)
	}
	if depth > 0 {
		frames = append(frames, top)
	}
	return frames
}

// pass counts the commas of a block that are the container's own.
func (f *frame) pass(at int, commas uint64) {
	if commas != 0 {
		f.index += bits.OnesCount64(commas)
		f.item = at + bits.Len64(commas)
	}
}

// sweep is what reading a text from one offset to another tells.
type sweep struct {
	low, depth int  // the least depth met, and the one at the end, both from 0
	stop       int  // where reading stopped: at the end, or past the string that spans it
	inString   bool // the end lies inside a string
	escaped    bool // and just after a backslash that escapes
}

func sweepOver(b []byte, from, to int) (s sweep) {
	l := lexer{text: b[:to], next: from}
	for {
		bl, ok := l.read()
		if !ok {
			break
		}
		for m := bl.brackets; m != 0; m &= m - 1 {
			if opening(b[bl.at+bits.TrailingZeros64(m)]) {
				s.depth++
			} else {
				s.depth--
				s.low = min(s.low, s.depth)
			}
		}
	}
	s.stop = to
	if s.inString = l.inString != 0; s.inString {
		for k := to; k > from && b[k-1] == '\\'; k-- {
			s.escaped = !s.escaped
		}
		if s.stop = to; s.escaped {
			s.stop++
		}
		s.stop = skipString(b, s.stop)
	}
	return s
}

// itemEnd returns the offset of the comma or bracket that ends the item in
// which b[i] lies, levels levels further out.
func itemEnd(b []byte, i, levels int) int {
	for i < len(b) {
		switch classes[b[i]] {
		case quote:
			i = skipString(b, i+1)
			continue
		case opens:
			levels++
		case shuts:
			if levels == 0 {
				return i
			}
			levels--
		case comma:
			if levels == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}

// place is where two containers differ: the containers that hold every
// difference, outermost first, and in the last of them the items of each text
// that are not all the same. Before old.from both texts are equal, and so are
// they after old.to and new.to.
type place struct {
	frames   []frame
	old, new span
}

// narrow finds the innermost container that holds every difference between
// two compact containers of the same kind with different texts. It compares
// bytes from both ends, reads one text up to the first difference, and both
// over what differs.
func narrow(frames []frame, a, b []byte) place {
	p := commonPrefix(a, b)
	s := commonSuffix(a[p:], b[p:])
	frames = openAt(frames, a, p)
	if len(frames) == 0 { // not two containers
		return place{}
	}
	from := frames[len(frames)-1].item
	x, y := sweepOver(a, from, len(a)-s), sweepOver(b, from, len(b)-s)
	if x.inString != y.inString || x.escaped != y.escaped || x.depth != y.depth {
		// The equal ends do not mean the same: the root's items it is.
		f := frames[0]
		return place{frames[:1], span{f.item, len(a) - 1}, span{f.item, len(b) - 1}}
	}
	low := max(min(x.low, y.low), 1-len(frames))
	frames = frames[:len(frames)+low]
	end := itemEnd(a, x.stop, x.depth-low)
	return place{
		frames: frames,
		old:    span{frames[len(frames)-1].item, end},
		new:    span{frames[len(frames)-1].item, len(b) - (len(a) - end)},
	}
}
