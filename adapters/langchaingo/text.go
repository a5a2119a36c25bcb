package langchaingo

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
)

// text is a JSON string of a provider, read leniently: null and what is no
// string are "", an array of parts is the text in them. Its bytes may be half
// a code point, which encoding/json would replace for good: see [pieces.Seam].
type text string

// UnmarshalJSON never fails: the syntax has been checked.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = ""
	switch b[0] {
	case '"':
		*t = text(unquote(b[1 : len(b)-1]))
	case '[':
		var parts []struct{ Text text }
		if json.Unmarshal(b, &parts) == nil {
			for _, p := range parts {
				*t += p.Text
			}
		}
	}
	return nil
}

// label is a JSON string, or a number as its digits. Anything else is "".
type label string

// UnmarshalJSON never fails.
func (l *label) UnmarshalJSON(b []byte) error {
	*l = ""
	switch {
	case b[0] == '"':
		*l = label(unquote(b[1 : len(b)-1]))
	case b[0] == '-' || '0' <= b[0] && b[0] <= '9':
		*l = label(b)
	}
	return nil
}

// count is a whole number, in whatever way it is written. Anything else is 0.
type count int64

// UnmarshalJSON never fails.
func (n *count) UnmarshalJSON(b []byte) error {
	*n = 0
	if f, err := strconv.ParseFloat(string(b), 64); err == nil && math.Abs(f) < 1<<53 {
		*n = count(f)
	}
	return nil
}

// unquote decodes what stands between the quotes of a JSON string whose syntax
// is known to be right.
func unquote(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out, _ := pieces.Unescape(b)
	return string(out)
}
