package chat

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// NewTool makes a server tool from a function. The schema of its arguments
// comes from In, a struct or a map: member names from the json tags, a
// description from a `jsonschema` tag, the values of a string from an
// `enum:"a,b"` tag; a member without omitempty is required.
//
// Arguments that do not fit the schema never reach f: the model is told what
// is wrong, and the run goes on. The result is told to the model as it is when
// it is a string, [agui.Content] or [json.RawMessage], as nothing when it is
// nil, and as JSON otherwise.
//
// NewTool panics when In cannot be the arguments of a tool, or Out no JSON,
// naming the field.
func NewTool[In, Out any](name, description string, f func(ctx context.Context, in In) (Out, error)) Tool {
	if name == "" || f == nil {
		panic("chat: NewTool needs a name and a function")
	}
	in := reflect.TypeFor[In]()
	if err := schema.Check(reflect.TypeFor[Out]()); err != nil && reflect.TypeFor[Out]() != reflect.TypeFor[agui.Content]() {
		panic(fmt.Sprintf("chat: NewTool %q: result %v", name, err))
	}
	s, err := schema.For(in)
	if err != nil {
		panic(fmt.Sprintf("chat: NewTool %q: arguments %v", name, err))
	}
	if s.Type != "object" {
		panic(fmt.Sprintf("chat: NewTool %q: the arguments %s are no JSON object", name, in))
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("chat: NewTool %q: %v", name, err))
	}
	parameters, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("chat: NewTool %q: %v", name, err))
	}
	return Tool{
		Name: name, Description: description, Parameters: parameters,
		Invoke: func(ctx context.Context, arguments json.RawMessage) (agui.Content, error) {
			var in In
			if err := decodeArguments(arguments, resolved, &in); err != nil {
				return agui.Content{}, err
			}
			out, err := f(ctx, in)
			content, contentErr := resultContent(out)
			if err == nil {
				err = contentErr
			}
			return content, err
		},
	}
}

// ArgumentsError says that a call's arguments do not fit its tool. Its text is
// for the model, which wrote them.
type ArgumentsError struct{ Err error }

// Error says what does not fit.
func (e *ArgumentsError) Error() string { return "the arguments do not fit: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ArgumentsError) Unwrap() error { return e.Err }

func decodeArguments(arguments json.RawMessage, resolved *jsonschema.Resolved, in any) error {
	instance, err := schema.Decode(arguments)
	if err != nil {
		return &ArgumentsError{err}
	}
	if err := schema.Validate(resolved, instance); err != nil {
		return &ArgumentsError{err}
	}
	if err := json.Unmarshal(arguments, in); err != nil {
		// In JSON's words: the model does not know our types.
		var t *json.UnmarshalTypeError
		if errors.As(err, &t) {
			err = fmt.Errorf("%s: %s does not fit", t.Field, t.Value)
		}
		return &ArgumentsError{err}
	}
	return nil
}

// objectArguments makes a JSON object of what a model wrote as arguments:
// nothing and null are the empty object.
func objectArguments(text string) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace([]byte(text))
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid(trimmed) {
		return nil, &ArgumentsError{fmt.Errorf("not valid JSON")}
	}
	if trimmed[0] != '{' {
		return nil, &ArgumentsError{fmt.Errorf("not a JSON object")}
	}
	return trimmed, nil
}

func resultContent(out any) (agui.Content, error) {
	switch out := out.(type) {
	case nil:
		return agui.Text(""), nil
	case string:
		return agui.Text(out), nil
	case agui.Content:
		return out, nil
	case json.RawMessage:
		return agui.Text(string(out)), nil
	}
	v := reflect.ValueOf(out)
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return agui.Text(""), nil
		}
		if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.String {
			v = v.Elem()
		}
	}
	// A string type that has no JSON of its own is a string as it is.
	if _, marshals := out.(json.Marshaler); v.Kind() == reflect.String && !marshals {
		if _, marshals := out.(encoding.TextMarshaler); !marshals {
			return agui.Text(v.String()), nil
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return agui.Content{}, fmt.Errorf("the result is no JSON: %w", err)
	}
	return agui.Text(string(bytes.TrimRight(b.Bytes(), "\n"))), nil
}
