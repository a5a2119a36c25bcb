package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/aguistate/aguistate/middleware/internal/schema"
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

// codec turns documents into values of S and back.
type codec[S any] struct {
	fill filler // nil when S holds no slice and no map
}

// newCodec panics when S cannot be a state, naming the field.
func newCodec[S any]() codec[S] {
	t := reflect.TypeFor[S]()
	if err := schema.Check(t); err != nil {
		panic(fmt.Sprintf("state: %v", err))
	}
	return codec[S]{fill: fillerFor(t)}
}

// decoding is encoding/json's way of decoding, except that member names match
// exactly: a member that differs in case is another one.
var decoding = jsonx.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonx.MatchCaseInsensitiveNames(false),
	jsonv1.ReportErrorsWithLegacySemantics(false),
	jsonx.WithUnmarshalers(jsonx.UnmarshalFromFunc(decodeNumber)),
)

// decodeNumber decodes encoding/json's Number, which the decoder does not
// know.
func decodeNumber(d *jsontext.Decoder, n *json.Number) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	return json.Unmarshal(v, n)
}

// decode returns the value of a document. The error is a [DocumentError].
func (c codec[S]) decode(doc []byte) (*S, error) {
	v := new(S)
	if err := jsonx.Unmarshal(doc, v, decoding); err != nil {
		return nil, documentError(err)
	}
	return v, nil
}

// encode marshals a value, nil slices and maps as empty ones. It may set them
// so in v.
func (c codec[S]) encode(v *S) (_ []byte, err error) {
	if c.fill != nil {
		c.fill(reflect.ValueOf(v).Elem())
	}
	b := buffers.Get().(*encodeBuffer)
	defer buffers.Put(b)
	b.Reset()
	if err := b.encoder.Encode(v); err != nil {
		b.encoder = nil
		b.init()
		return nil, fmt.Errorf("state: %w", err)
	}
	out := b.Bytes()
	return bytes.Clone(out[:len(out)-1]), nil // Encode ends with a newline
}

type encodeBuffer struct {
	bytes.Buffer
	encoder *json.Encoder
}

func (b *encodeBuffer) init() {
	b.encoder = json.NewEncoder(&b.Buffer)
	b.encoder.SetEscapeHTML(false)
}

var buffers = sync.Pool{New: func() any {
	b := &encodeBuffer{}
	b.init()
	return b
}}

func documentError(err error) *DocumentError {
	var s *jsonx.SemanticError
	if errors.As(err, &s) {
		return &DocumentError{Pointer: string(s.JSONPointer), Reason: semanticReason(s), Err: err}
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
	wants := wanted(s.GoType)
	switch {
	case wants == "":
		return has + " that does not fit the state's type"
	case wants == has || has == "a number" && strings.HasSuffix(wants, "number"):
		return has + " that is out of range"
	}
	return "has " + has + " where " + wants + " is wanted"
}

func wanted(t reflect.Type) string {
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

// copy returns a value that shares no memory with v and is as it would come
// back from the client.
func (c codec[S]) copy(v *S) (*S, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	return c.decode(text)
}
