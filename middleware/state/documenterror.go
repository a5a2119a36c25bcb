package state

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"strings"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// DocumentError says that a document does not fit the state's type, or is no
// acceptable JSON.
type DocumentError struct {
	// Pointer names the place (RFC 6901); "" is the whole document.
	Pointer string
	// Reason may be shown to a client.
	Reason string
	Err    error
}

// Error names the place and the reason.
func (e *DocumentError) Error() string {
	at := e.Pointer
	if at == "" {
		at = "the document"
	}
	return at + ": " + e.Reason
}

// Unwrap returns the cause.
func (e *DocumentError) Unwrap() error { return e.Err }

// documentError says why doc could not be decoded.
func documentError(err error, doc []byte) *DocumentError {
	var s *jsonx.SemanticError
	if errors.As(err, &s) {
		reason := semanticReason(s)
		if isName(doc, s.ByteOffset) {
			reason = nameReason(s)
		}
		return &DocumentError{Pointer: string(s.JSONPointer), Reason: reason, Err: err}
	}
	var x *jsontext.SyntacticError
	if errors.As(err, &x) {
		return &DocumentError{Pointer: string(x.JSONPointer), Reason: x.Err.Error(), Err: err}
	}
	return &DocumentError{Reason: "does not fit the state's type", Err: err}
}

// semanticReason says what is there and what is wanted, in JSON's words.
func semanticReason(s *jsonx.SemanticError) string {
	var has string
	switch s.JSONKind {
	case 'n':
		has = "null"
	case 't', 'f':
		has = "a boolean"
	case '"':
		has = "a string"
	case '0':
		has = "a number"
	case '[', ']':
		has = "an array"
	case '{', '}':
		has = "an object"
	default:
		return "does not fit the state's type"
	}
	wants := jsonKind(s.GoType)
	switch {
	case wants == "":
		return has + " that does not fit the state's type"
	case wants != has && bytes.ContainsAny(s.JSONValue, ".eE") && has == "a number":
	case wants == has || has == "a number" && strings.HasSuffix(wants, "number"):
		return has + " that is out of range"
	}
	return "has " + has + " where " + wants + " is wanted"
}

// isName reports whether what stands there is the name of a member: a map's
// key, of which the pointer says the same as of its value.
func isName(doc []byte, at int64) bool {
	if at < 0 || at >= int64(len(doc)) || doc[at] != '"' {
		return false
	}
	d := jsontext.NewDecoder(bytes.NewReader(doc[at:]))
	if d.SkipValue() != nil {
		return false
	}
	return bytes.HasPrefix(bytes.TrimLeft(doc[at+d.InputOffset():], " \t\r\n"), []byte(":"))
}

// nameReason says what is wanted of a map's key.
func nameReason(s *jsonx.SemanticError) string {
	wants := jsonKind(s.GoType)
	switch {
	case errors.Is(s.Err, strconv.ErrRange):
		return "is a key that is out of range"
	case strings.HasSuffix(wants, "number"):
		return "is a key, which has to be " + wants
	}
	return "is a key that does not fit the state's type"
}

// jsonKind is what JSON calls the values of a type.
func jsonKind(t reflect.Type) string {
	if t == nil {
		return ""
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "a non-negative whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return ""
}
