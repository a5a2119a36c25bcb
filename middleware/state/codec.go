package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// codec turns documents into values of S and back.
type codec[S any] struct {
	fill  filler // nil when S holds no slice and no map
	exact bool   // what S encodes always decodes to the same value
}

// newCodec panics when S cannot be a state, naming the field.
func newCodec[S any]() codec[S] {
	t := reflect.TypeFor[S]()
	if err := schema.Check(t); err != nil {
		panic(fmt.Sprintf("state: %v", err))
	}
	return codec[S]{fill: fillerFor(t), exact: isExact(t, map[reflect.Type]bool{})}
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

// decode returns the value of a document. The error is a [DocumentError]. A
// panic of a type that decodes itself is an error. The value shares no memory
// with doc, also where a type keeps the bytes that it is given to decode.
func (c codec[S]) decode(doc []byte) (*S, error) {
	v, text := new(S), doc
	if !c.exact {
		text = bytes.Clone(doc)
	}
	err := chat.Protect(func() error { return jsonx.Unmarshal(text, v, decoding) })
	if err != nil {
		return nil, documentError(err, doc)
	}
	return v, nil
}

// encode marshals a value, nil slices and maps as empty ones, into room if there
// is enough. It may set them so in v. A panic of a type that marshals itself is an error. The error is one
// with which a run may end.
func (c codec[S]) encode(v *S, room []byte) (out []byte, err error) {
	b := buffers.Get().(*encodeBuffer)
	defer buffers.Put(b)
	b.Reset()
	err = chat.Protect(func() error {
		if c.fill != nil {
			c.fill(reflect.ValueOf(v).Elem(), 0)
		}
		return b.encoder.Encode(v)
	})
	if err != nil {
		b.encoder = nil
		b.init()
		return nil, unwritable(err)
	}
	text := b.Bytes()
	return append(room[:0], text[:len(text)-1]...), nil // Encode ends with a newline
}

// unwritable is the error of a value that is no JSON.
func unwritable(err error) error {
	err = fmt.Errorf("state: %w", err)
	var own *chat.Error // of a type that marshals itself
	if errors.As(err, &own) {
		return err
	}
	return &chat.Error{Code: chat.CodeSerialization, Message: "The state cannot be written as JSON.", Err: err}
}

// settled returns the value that goes on in place of v, whose text is text.
// Where S may decode to another value than was encoded it is that one, so that
// an edit finds the same whether the value comes from an edit before it or from
// the client. The error says that S does not decode what it encodes, or that
// it encodes a document that has a name twice.
func (c codec[S]) settled(v *S, text []byte) (*S, error) {
	// Map keys that are not UTF-8 may have become the same.
	if !c.exact || bytes.Contains(text, replaced) {
		if _, err := jsonpatch.Check(text); err != nil {
			return nil, invalid(err)
		}
	}
	if c.exact {
		return v, nil
	}
	next, err := c.decode(text)
	if err != nil {
		return nil, fmt.Errorf("state: %s does not decode what it encodes: %w", reflect.TypeFor[S](), err)
	}
	return next, nil
}

// replaced is how the encoder writes what is not UTF-8.
var replaced = []byte(`\ufffd`)

// isExact reports whether what a type encodes always decodes to the same
// value, and from memory of its own: no type that marshals itself, nothing of
// a dynamic type, no field that is left out.
func isExact(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	for _, m := range []reflect.Type{jsonMarshaler, textMarshaler, jsonUnmarshaler, textUnmarshaler} {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return t == timeType
		}
	}
	switch t.Kind() {
	case reflect.Interface:
		return false
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return isExact(t.Elem(), seen)
	case reflect.Map:
		return isExact(t.Key(), seen) && isExact(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			promoted := f.Anonymous && f.Type.Kind() == reflect.Struct
			if f.Tag.Get("json") == "-" || !f.IsExported() && !promoted || !isExact(f.Type, seen) {
				return false
			}
		}
	}
	return true
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

// copy returns a value that shares no memory with v and is as it would come
// back from the client.
func (c codec[S]) copy(v *S) (*S, error) {
	var text []byte
	err := chat.Protect(func() (err error) {
		text, err = json.Marshal(v)
		return err
	})
	if err != nil {
		return nil, unwritable(err)
	}
	if _, err := jsonpatch.Check(text); err != nil {
		return nil, invalid(err)
	}
	return c.decode(text)
}
