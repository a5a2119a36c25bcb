package standin

import (
	"encoding/json"
	"fmt"
)

// The shapes of a chat-completions request, as far as the stand-in reads them.

type completionRequest struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	Tools               []toolSpec      `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	ResponseFormat      *responseFormat `json:"response_format"`
	N                   *int            `json:"n"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stop                json.RawMessage `json:"stop"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	Seed                *int64          `json:"seed"`

	choice toolChoice // ToolChoice, read
	stop   []string   // Stop, read
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID *string         `json:"tool_call_id"`
	Refusal    *string         `json:"refusal"`

	text string // the text of Content
}

type toolCall struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function *functionCall `json:"function"`
}

type functionCall struct {
	Name      string  `json:"name"`
	Arguments *string `json:"arguments"`
}

type toolSpec struct {
	Type     string        `json:"type"`
	Function *functionSpec `json:"function"`
}

type functionSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`

	schema *object // Parameters, read
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *schemaSpec `json:"json_schema"`
}

type schemaSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Strict      *bool           `json:"strict"`

	schema *object // Schema, read
}

// toolChoice is "none", "auto", "required" or the name of a function.
type toolChoice struct{ mode, function string }

// apiError is an error as the service reports it, and the status it comes with.
type apiError struct {
	status               int
	message, kind, param string
	code                 string
}

func (e *apiError) Error() string { return fmt.Sprintf("%d: %s", e.status, e.message) }

// body is the error's JSON; an absent param or code is null, as on the real wire.
func (e *apiError) body() []byte {
	nullable := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	in := newObject()
	in.set("message", e.message)
	in.set("type", e.kind)
	in.set("param", nullable(e.param))
	in.set("code", nullable(e.code))
	out := newObject()
	out.set("error", in)
	return appendValue(nil, out)
}

// invalid is a 400 about one member of the request.
func invalid(param, code, format string, a ...any) *apiError {
	return &apiError{status: 400, message: fmt.Sprintf(format, a...), kind: "invalid_request_error", param: param, code: code}
}

// call is one tool call of an answer.
type call struct {
	name string
	args string // JSON
}

// reply is a whole answer: text or calls, and why it ended.
type reply struct {
	text    string
	refusal string
	calls   []call
	finish  string
	json    bool // the text is JSON
}

type usage struct{ prompt, completion int }

func (u usage) value() *object {
	o := newObject()
	o.set("prompt_tokens", number(u.prompt))
	o.set("completion_tokens", number(u.completion))
	o.set("total_tokens", number(u.prompt+u.completion))
	return o
}

func number(n int) json.Number { return json.Number(fmt.Sprint(n)) }
