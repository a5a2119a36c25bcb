package partialjson

import "encoding/json"

// Extract returns the one JSON object in a finished answer, compact, as a
// [Reader] with Prose leaves it: the answer may be the object, hold it in a
// fence or among sentences, and begin with a byte order mark. The error, a
// [*SyntaxError], says why there is none: no object, an array in its place,
// several, malformed, or cut (then it wraps io.ErrUnexpectedEOF).
func Extract(text string) (json.RawMessage, error) {
	r := Reader{Prose: true}
	if _, err := r.WriteString(text); err != nil {
		return nil, err
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	object, _ := r.Value()
	return object, nil
}
