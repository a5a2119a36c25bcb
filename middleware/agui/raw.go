package agui

import "bytes"

// appendJSON appends a JSON text that somebody else wrote, without the space
// between its tokens: so no line break is left that could end a frame. The
// reason is "" unless src is no JSON text; dst then ends as it began.
func appendJSON(dst, src []byte) (_ []byte, reason string) {
	p := parser{data: src, maxDepth: maxEventDepth}
	if !p.document() {
		return dst, p.reason
	}
	if !p.spaced {
		return append(dst, src...), ""
	}
	start, quoted := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			dst = append(dst, src[start:i]...)
			start = i + 1
		}
	}
	return append(dst, src[start:]...), ""
}

// jsonKind is the first byte that is not space, or 0.
func jsonKind(src []byte) byte {
	for _, c := range src {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// isAbsent reports whether an any-JSON member that cannot be null is left
// out: nothing, or null.
func isAbsent(src []byte) bool {
	src = bytes.Trim(src, " \t\r\n")
	return len(src) == 0 || string(src) == "null"
}
