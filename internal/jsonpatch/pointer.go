package jsonpatch

import (
	"errors"
	"strings"
)

// maxTokens bounds the reference tokens of a pointer that [Apply] follows.
const maxTokens = 1000

// parsePointer splits a JSON Pointer into its tokens (RFC 6901 §3, §4).
func parsePointer(dst []string, p string) ([]string, error) {
	if p == "" {
		return dst, nil
	}
	if p[0] != '/' {
		return dst, errors.New("a pointer that is not empty starts with a slash")
	}
	if strings.Count(p, "/") > maxTokens {
		return dst, errors.New("a pointer with too many tokens")
	}
	for p != "" {
		token := p[1:]
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token = token[:i]
		}
		p = p[1+len(token):]
		if strings.IndexByte(token, '~') >= 0 {
			for i := 0; i < len(token); i++ {
				if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
					return dst, errors.New("a tilde in a pointer is followed by 0 or 1")
				}
			}
			token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		}
		dst = append(dst, token)
	}
	return dst, nil
}

// parseIndex reads an array index: digits without leading zeros. ok is false
// for anything else; what does not fit is past the end of any array.
func parseIndex(token string) (i int, ok bool) {
	if token == "" || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	for k := range len(token) {
		c := token[k]
		if c < '0' || c > '9' {
			return 0, false
		}
		if i < 1<<50 {
			i = i*10 + int(c-'0')
		}
	}
	return i, true
}
