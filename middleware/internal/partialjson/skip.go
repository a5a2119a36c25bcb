package partialjson

import "bytes"

// These read compact JSON. On other text they stop somewhere in it, past where
// they began.

// skipString returns the offset past the string that begins at b[i].
func skipString(b []byte, i int) int {
	i++
	for from := i; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		i += n
		slash := i
		for slash > from && b[slash-1] == '\\' {
			slash--
		}
		if (i-slash)%2 == 0 {
			return i + 1
		}
	}
	return len(b)
}

// skip returns the offset past the value that begins at b[i].
func skip(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i++
			if depth == 0 {
				for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' {
					i++
				}
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return len(b)
}

// colonAfter returns the offset past the colon behind the name that begins at
// b[i].
func colonAfter(b []byte, i int) int { return min(skipString(b, i)+1, len(b)) }
