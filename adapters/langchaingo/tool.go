package langchaingo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// toolInput is the one argument of a tool of langchaingo.
const toolInput = "input"

// NewTool returns a tool of langchaingo as a tool of a chain. Its arguments
// are an object with the text "input". It panics when t is nil.
func NewTool(t tools.Tool) chat.Tool {
	if t == nil {
		panic("langchaingo: NewTool of a nil tool")
	}
	return chat.Tool{
		Name: t.Name(), Description: t.Description(),
		Parameters: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`),
		Invoke: func(ctx context.Context, arguments json.RawMessage) (agui.Content, error) {
			var in struct{ Input *string }
			if err := json.Unmarshal(arguments, &in); err != nil {
				return agui.Content{}, &chat.ArgumentsError{Err: err}
			}
			if in.Input == nil {
				return agui.Content{}, &chat.ArgumentsError{Err: errors.New(`the member "input" is missing`)}
			}
			out, err := t.Call(ctx, *in.Input)
			return agui.Text(pieces.Mend(out)), err
		},
	}
}

// NewAgentTool returns a tool of a chain as one of langchaingo, for its
// agents. Those give a tool one text: a JSON object is taken as the arguments,
// any other text as the one argument of a tool that takes one text. As with
// [chat.InvokeFunctions], input that does not fit and a tool that fails are
// told to the model, in place of ending the agent: what an [chat.Error] or an
// [chat.ArgumentsError] says, and no more than that it failed otherwise. Only
// the end of the context is an error.
//
// It panics when the tool has no Invoke, for no agent can run a client's tool,
// and when it has a Question, for no agent can wait for an answer.
func NewAgentTool(t chat.Tool) tools.Tool {
	if t.Name == "" || t.Invoke == nil {
		panic(fmt.Sprintf("langchaingo: NewAgentTool: the tool %q needs a name and Invoke", t.Name))
	}
	if t.Question != nil {
		panic(fmt.Sprintf("langchaingo: NewAgentTool: the tool %q asks a person first, and an agent of langchaingo cannot wait", t.Name))
	}
	a := &agentTool{tool: t}
	var s struct {
		Properties map[string]struct{ Type any }
		Required   []string
	}
	if json.Unmarshal(schemaOf(t), &s) == nil {
		a.none = len(s.Properties) == 0
		for name, p := range s.Properties {
			if p.Type == "string" && (len(s.Properties) == 1 || len(s.Required) == 1 && s.Required[0] == name) {
				a.only = name
			}
		}
	}
	return a
}

type agentTool struct {
	tool chat.Tool
	only string // the one argument that a plain text can be
	none bool   // it takes none
}

// Name returns the tool's name.
func (a *agentTool) Name() string { return a.tool.Name }

// Description returns the tool's description and, where a plain text will not
// do, what its input is.
func (a *agentTool) Description() string {
	if a.only != "" || a.none {
		return a.tool.Description
	}
	return strings.TrimSpace(a.tool.Description + " The input is a JSON object that is valid against this schema: " + string(schemaOf(a.tool)))
}

// Call runs the tool.
func (a *agentTool) Call(ctx context.Context, input string) (string, error) {
	arguments, err := a.arguments(input)
	var content agui.Content
	if err == nil {
		err = chat.Protect(func() (err error) {
			content, err = a.tool.Invoke(ctx, arguments)
			return err
		})
	}
	if gone := ended(ctx, err); gone != nil {
		return "", gone
	}
	if err == nil || errors.Is(err, chat.ErrEndLoop) {
		return content.Text(), nil
	}
	var says *chat.ArgumentsError
	var shows *chat.Error
	switch {
	case errors.Is(err, ErrInterrupted):
		return "", err
	case errors.As(err, &says):
		return "Error: " + says.Error(), nil
	case errors.As(err, &shows) && shows.Message != "":
		return "Error: " + shows.Message, nil
	}
	return "Error: the tool failed", nil
}

func (a *agentTool) arguments(input string) (json.RawMessage, error) {
	text := strings.TrimSpace(input)
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	switch {
	case a.none:
		return json.RawMessage("{}"), nil
	case a.only != "":
		return marshal(map[string]string{a.only: pieces.Mend(input)})
	}
	return nil, &chat.ArgumentsError{Err: errors.New("the input must be a JSON object")}
}
