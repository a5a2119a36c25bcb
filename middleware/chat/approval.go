package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// The reasons of the interrupts that [InvokeFunctions] makes.
const (
	ReasonApproval = "tool_approval"
	ReasonInput    = "input_required"
)

// Question makes every call of a tool wait for a person: the run ends with an
// interrupt, and the next run's resume entry is the answer. See
// [RequireApproval] and [NewQuestion].
type Question struct {
	// Reason of the interrupt.
	Reason string
	// Message is what the person reads; nil leaves it to the client.
	Message func(call agui.ToolCall) string
	// Schema is the JSON Schema of the answer's payload.
	Schema json.RawMessage
	// Expires is how long the answer is taken; 0 is for ever.
	Expires time.Duration

	approval  bool
	resolved  *jsonschema.Resolved // of the payload
	arguments *jsonschema.Resolved // of the call: what does not fit is not asked
}

// Approval is the payload that answers a call of a [RequireApproval] tool.
type Approval struct {
	Approved bool `json:"approved"`
	// Arguments replace the call's, when the person edited them.
	Arguments map[string]any `json:"arguments,omitempty"`
	// Reason is told to the model when the call is denied.
	Reason string `json:"reason,omitempty"`
}

// RequireApproval returns the tool with a question before every call: may it
// run? The person approves, approves with edited arguments, or denies. Message
// is what they read; nil leaves it to the client. Expires bounds the time for
// an answer; 0 is for ever.
//
// [InvokeFunctions] must be given a Key for the answer to be taken by another
// process than the one that asked.
func RequireApproval(t Tool, message func(call agui.ToolCall) string, expires time.Duration) Tool {
	if t.Invoke == nil {
		panic(fmt.Sprintf("chat: RequireApproval: the tool %q runs at the client", t.Name))
	}
	t.Question = newQuestion(t, ReasonApproval, reflect.TypeFor[Approval](), message, expires)
	t.Question.approval = true
	return t
}

// NewQuestion makes a tool by which the model asks the person at the client
// for something: the run ends with an interrupt, and the answer, an Answer, is
// the result of the call. Its arguments are an In, as in [NewTool].
func NewQuestion[In, Answer any](name, description string, message func(In) string) Tool {
	t := NewTool[In, string](name, description, func(context.Context, In) (string, error) { return "", nil })
	t.Invoke = answered
	t.Question = newQuestion(t, ReasonInput, reflect.TypeFor[Answer](), func(call agui.ToolCall) string {
		var in In
		if message == nil || json.Unmarshal([]byte(call.Arguments), &in) != nil {
			return ""
		}
		return message(in)
	}, 0)
	return t
}

func newQuestion(t Tool, reason string, answer reflect.Type, message func(agui.ToolCall) string, expires time.Duration) *Question {
	s, err := schema.For(answer)
	if err != nil {
		panic("chat: the answer: " + err.Error())
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic("chat: the answer: " + err.Error())
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic("chat: the answer: " + err.Error())
	}
	q := &Question{Reason: reason, Message: message, Schema: text, Expires: expires, resolved: resolved}
	var parameters jsonschema.Schema
	if len(t.Parameters) > 0 && json.Unmarshal(t.Parameters, &parameters) == nil {
		q.arguments, _ = parameters.Resolve(nil) // a schema that we cannot read asks about everything
	}
	return q
}

// fits reports why the arguments of a call cannot be asked about.
func (q *Question) fits(arguments json.RawMessage) error {
	if q.arguments == nil {
		return nil
	}
	v, err := schema.Decode(arguments)
	if err == nil {
		err = schema.Validate(q.arguments, v)
	}
	if err != nil {
		return &ArgumentsError{err}
	}
	return nil
}

// answered is the Invoke of a question: its arguments are the answer.
func answered(_ context.Context, answer json.RawMessage) (agui.Content, error) {
	return agui.Text(string(answer)), nil
}
