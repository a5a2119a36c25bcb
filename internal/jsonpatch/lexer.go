package jsonpatch

import (
	"encoding/binary"
	"math/bits"
)

// lexer finds the brackets and commas of a text that are outside strings, 64
// bytes at a time and, unlike a loop over bytes, without a branch that depends
// on them: short strings and numbers make such branches unpredictable, and
// then they are what scanning costs.
type lexer struct {
	text     []byte
	next     int    // offset of the next block
	inString uint64 // all ones when the next block begins inside a string
	escaped  uint64 // 1 when its first byte is escaped
}

// block is what the lexer finds in 64 bytes: bit i is about text[at+i].
type block struct {
	at               int
	brackets, commas uint64
}

// opening reports whether a bracket opens: '{' and '[' lack the bit that '}'
// and ']' have.
func opening(bracket byte) bool { return bracket&4 == 0 }

// read returns the next block; ok is false at the end.
func (l *lexer) read() (bl block, ok bool) {
	rest := l.text[min(l.next, len(l.text)):]
	if len(rest) == 0 {
		return bl, false
	}
	var p *[64]byte
	if len(rest) >= 64 {
		p = (*[64]byte)(rest)
	} else {
		p = new([64]byte)
		copy(p[:], rest)
	}
	// Over the eight words these gather a bit for each byte that is not the
	// one looked for: bit k of byte j is about byte j of word k.
	var quotes, brackets, commas, slashes uint64
	for i := 0; i < 64; i += 16 {
		x := (*[16]byte)(p[i:])
		w := binary.LittleEndian.Uint64(x[:])
		quotes = quotes>>1 | nonzero(w^ones*'"')
		brackets = brackets>>1 | nonzero((w|ones*0x20)&(ones*0xf9)^ones*0x79)
		commas = commas>>1 | nonzero(w^ones*',')
		slashes |= zeroBytes(w ^ ones*'\\')
		w = binary.LittleEndian.Uint64(x[8:])
		quotes = quotes>>1 | nonzero(w^ones*'"')
		brackets = brackets>>1 | nonzero((w|ones*0x20)&(ones*0xf9)^ones*0x79)
		commas = commas>>1 | nonzero(w^ones*',')
		slashes |= zeroBytes(w ^ ones*'\\')
	}
	quotes = transpose(^quotes)
	if slashes|l.escaped != 0 {
		quotes &^= l.escapes(p)
	}
	// Each quote flips what follows: a running exclusive or.
	inside := quotes
	inside ^= inside << 1
	inside ^= inside << 2
	inside ^= inside << 4
	inside ^= inside << 8
	inside ^= inside << 16
	inside ^= inside << 32
	inside ^= l.inString
	l.inString = uint64(int64(inside) >> 63)
	bl = block{l.next, transpose(^brackets) &^ inside, transpose(^commas) &^ inside}
	l.next += 64
	return bl, true
}

// escapes returns the bytes of a block that a backslash escapes.
func (l *lexer) escapes(p *[64]byte) uint64 {
	e := l.escaped
	l.escaped = 0
	for i, c := range p {
		if c == '\\' && e>>i&1 == 0 {
			if i == 63 {
				l.escaped = 1
			} else {
				e |= 1 << (i + 1)
			}
		}
	}
	return e
}

const low7 = 0x7f7f7f7f7f7f7f7f

// nonzero has the high bit of each byte of x that is not zero. (The brackets,
// and outside strings nothing else, become zero as they are looked for: they
// differ from each other in three bits only.)
func nonzero(x uint64) uint64 { return (x&low7 + low7 | x) & highs }

// transpose turns an 8 by 8 matrix of bits.
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00AA00AA00AA00AA
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000CCCC0000CCCC
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000F0F0F0F0
	return x ^ t ^ t<<28
}

// skipOut returns the offset past the bracket that closes depth levels, seen
// from b[i], which is outside strings.
func skipOut(b []byte, i, depth int) int {
	// What is short ends before the lexer is worth it.
	for end := min(len(b), i+48); i < end; i++ {
		switch classes[b[i]] {
		case quote:
			i = skipString(b, i+1) - 1
		case opens:
			depth++
		case shuts:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	l := lexer{text: b, next: i}
	for {
		bl, ok := l.read()
		if !ok {
			return len(b)
		}
		for m := bl.brackets; m != 0; m &= m - 1 {
			k := bl.at + bits.TrailingZeros64(m)
			if opening(b[k]) {
				depth++
			} else if depth--; depth == 0 {
				return k + 1
			}
		}
	}
}

// elements appends the spans of the comma-separated values of compact b[i:end].
func elements(dst []span, b []byte, i, end int) []span {
	if i >= end {
		return dst
	}
	l := lexer{text: b[:end], next: i}
	depth := 0
	for {
		bl, ok := l.read()
		if !ok {
			return append(dst, span{i, end})
		}
		for m := bl.brackets; ; m &= m - 1 {
			k := bits.TrailingZeros64(m) // 64 after the last
			if depth == 0 {
				for c := bl.commas & (1<<k - 1); c != 0; c &= c - 1 {
					at := bl.at + bits.TrailingZeros64(c)
					dst = append(dst, span{i, at})
					i = at + 1
				}
			}
			if m == 0 {
				break
			}
			bl.commas &= ^uint64(0) << k
			if opening(b[bl.at+k]) {
				depth++
			} else {
				depth--
			}
		}
	}
}
