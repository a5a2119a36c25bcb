package chat

import (
	"context"
	"encoding/json"

	"github.com/aguistate/aguistate/middleware/agui"
)

// Tool is something that the model can call.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments, an object; nil is an
	// object without members.
	Parameters json.RawMessage
	// Invoke runs the tool. Nil: the client runs it. The arguments are a JSON
	// object. The context carries the run, the session and [Emit]; it ends
	// when the run does.
	Invoke func(ctx context.Context, arguments json.RawMessage) (agui.Content, error)
	// Question, if set, is put to a person before each call.
	Question *Question
	// Metadata rides on the tool for layers that know it.
	Metadata agui.Metadata
}
