package agui

import "unicode/utf8"

// plain tells which bytes of a string are written as they are, without a
// closer look.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string, as JSON.stringify writes it: only
// the quote, the backslash and control characters are escaped. A byte that is
// not UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
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
