package jsonpatch

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote appends what the quoted string says. An escaped surrogate without
// its other half, which UTF-8 cannot express, is written as the three bytes
// that UTF-8 would give it: only so are two such strings told apart.
func unquote(dst, quoted []byte) []byte {
	s := quoted
	if len(s) > 0 && s[0] == '"' {
		s = s[1:]
	}
	if len(s) > 0 && s[len(s)-1] == '"' {
		s = s[:len(s)-1]
	}
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
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
			r, ok := hex4(s)
			if !ok {
				continue
			}
			s = s[4:]
			if utf16.IsSurrogate(r) {
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					if r2, ok := hex4(s[2:]); ok {
						if full := utf16.DecodeRune(r, r2); full != utf8.RuneError {
							dst = utf8.AppendRune(dst, full)
							s = s[6:]
							continue
						}
					}
				}
				dst = append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
				continue
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// plain returns what the quoted string says, without a copy where it has no
// escape.
func plain(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return unquote(nil, quoted)
	}
	if len(quoted) < 2 {
		return nil
	}
	return quoted[1 : len(quoted)-1]
}

// sameString reports whether two quoted strings say the same.
func sameString(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return false
	}
	return bytes.Equal(plain(a), plain(b))
}

// appendToken appends "/" and the name as a reference token (RFC 6901 §3).
func appendToken[T string | []byte](path []byte, name T) []byte {
	path = append(path, '/')
	for i := range len(name) {
		switch c := name[i]; c {
		case '~':
			path = append(path, '~', '0')
		case '/':
			path = append(path, '~', '1')
		default:
			path = append(path, c)
		}
	}
	return path
}

func appendIndex(path []byte, i int) []byte {
	return strconv.AppendInt(append(path, '/'), int64(i), 10)
}

// escapedLen is the length of s inside quotes, with the escapes that JSON
// demands (RFC 8259 §7) in their shortest form.
func escapedLen[T string | []byte](s T) int {
	n := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			n++
		case c < 0x20:
			switch c {
			case '\b', '\f', '\n', '\r', '\t':
				n++
			default:
				n += 5
			}
		}
	}
	return n
}

// notPlainASCII has a bit set where a byte of w is a quote, a backslash, a
// control or not ASCII.
func notPlainASCII(w uint64) uint64 {
	return zeroBytes(w^ones*'"') | zeroBytes(w^ones*'\\') | (w-ones*0x20)&^w&highs | w&highs
}

// plainRun returns the length of the longest prefix of b that a string may
// hold as it is and that is ASCII, found in steps of eight.
func plainRun(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if m := notPlainASCII(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] >= 0x20 && b[i] < 0x80 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// appendQuoted appends s as a JSON string with the shortest escapes. Bytes
// that are not UTF-8 become U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}
