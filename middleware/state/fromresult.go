package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Becomes says how a tool's result becomes the state: it gets the current
// document and the result's text, and returns the next document.
type Becomes func(doc json.RawMessage, result string) (json.RawMessage, error)

// Whole takes the result as the whole document.
func Whole(_ json.RawMessage, result string) (json.RawMessage, error) {
	return json.RawMessage(result), nil
}

// At takes the result as the value at a JSON Pointer and keeps the rest of the
// document. What the pointer goes through must be there; its last member need
// not. At panics when the pointer is none.
func At(pointer string) Becomes {
	mustBePointer("At", pointer)
	return func(doc json.RawMessage, result string) (json.RawMessage, error) {
		return jsonpatch.Apply(doc, agui.Patch{{Op: agui.OpAdd, Path: pointer, Value: json.RawMessage(result)}})
	}
}

// Patch takes the result as a JSON Patch (RFC 6902) on the document.
func Patch(doc json.RawMessage, result string) (json.RawMessage, error) {
	var patch agui.Patch
	if err := json.Unmarshal([]byte(result), &patch); err != nil {
		return nil, fmt.Errorf("the result is no JSON Patch: %w", err)
	}
	return jsonpatch.Apply(doc, patch)
}

// FromResult makes the result of a tool that knows nothing of a state into
// one: the tool runs as before, then its result becomes the document, which is
// published when it changed. A result that cannot become the state, because it
// is no JSON or does not fit S, changes nothing and fails the call.
//
// S need not be named again: the session's own is used. The tool must be a
// server tool.
func FromResult(tool chat.Tool, becomes Becomes) chat.Tool {
	if becomes == nil {
		panic(fmt.Sprintf("state: FromResult: nothing says what the result of %q becomes", tool.Name))
	}
	if tool.Invoke == nil {
		panic(fmt.Sprintf("state: FromResult: the tool %q runs at the client", tool.Name))
	}
	invoke := tool.Invoke
	tool.Invoke = func(ctx context.Context, arguments json.RawMessage) (agui.Content, error) {
		content, end := invoke(ctx, arguments)
		if end != nil && !errors.Is(end, chat.ErrEndLoop) {
			return content, end
		}
		v, ok := ctx.Value(sessionKey{}).(documents)
		if !ok {
			return content, ErrNoSession
		}
		result := content.Text()
		err := v.become(ctx, func(doc json.RawMessage) (json.RawMessage, error) { return becomes(doc, result) })
		if err != nil {
			return agui.Content{}, fmt.Errorf("state: the result of %q: %w", tool.Name, err)
		}
		return content, end
	}
	return tool
}

// documents is a session whose type the caller does not know.
type documents interface {
	become(ctx context.Context, f func(json.RawMessage) (json.RawMessage, error)) error
}

// become replaces the document and publishes the change.
func (c *core[S]) become(ctx context.Context, f func(json.RawMessage) (json.RawMessage, error)) error {
	s, err := Of[S](ctx)
	if err != nil {
		return err
	}
	return s.publish(false, func(c *core[S]) error {
		c.settleFor()
		var next json.RawMessage
		err := calling(func() (err error) {
			next, err = f(slices.Clone(c.doc))
			return err
		})
		if err != nil {
			return err
		}
		return c.replace(next)
	})
}
