package agui

import (
	"math/bits"
	"unicode/utf8"
)

// plain tells which bytes of a string are written as they are, without a
// closer look.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// special looks at eight bytes at once, the first of them lowest. It counts
// those before the first that is a quote, a backslash, a control character, or
// beyond ASCII; with ^0 for allow, what is beyond ASCII may pass.
func special(w, allow uint64) int {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	// Each term sets a byte's high bit when the byte is meant. A byte that is
	// meant may borrow from the next, so only the lowest says the truth.
	found := ((w - 0x20*ones) | ((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones) | w) & high &^ (w & allow)
	return bits.TrailingZeros64(found) / 8
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string, as JSON.stringify writes it: only
// the quote, the backslash and control characters are escaped. A byte that is
// not UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if len(s)-i >= 8 {
			w := s[i : i+8]
			n := special(uint64(w[0])|uint64(w[1])<<8|uint64(w[2])<<16|uint64(w[3])<<24|
				uint64(w[4])<<32|uint64(w[5])<<40|uint64(w[6])<<48|uint64(w[7])<<56, 0)
			if n == 8 {
				i += 8 // a constant: the next look need not wait for this one
				continue
			}
			i += n
		}
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendUnescaped appends what the inside of a valid JSON string says. Half a
// surrogate pair, which UTF-8 cannot hold, becomes U+FFFD.
func appendUnescaped(dst, in []byte) []byte {
	for i := 0; i < len(in); {
		c := in[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		switch c = in[i+1]; c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hexRune(in[i+2:])
			i += 6
			if r >= 0xd800 && r < 0xdc00 && len(in) >= i+6 && in[i] == '\\' && in[i+1] == 'u' {
				if low := hexRune(in[i+2:]); low >= 0xdc00 && low < 0xe000 {
					r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r) // writes U+FFFD for a lone surrogate
			continue
		}
		dst = append(dst, c)
		i += 2
	}
	return dst
}

// hexRune reads four hexadecimal digits.
func hexRune(in []byte) (r rune) {
	for _, c := range in[:4] {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		r = r<<4 | rune(c)
	}
	return r
}
