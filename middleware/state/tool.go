package state

import (
	"cmp"
	"context"
	"errors"
	"reflect"

	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// Tool makes a server tool that edits the state and publishes the change: the
// arguments' schema comes from In, as in [chat.NewTool], and the state from
// the session around the call.
//
// f runs under the session's lock: it must not wait, call a model, or call a
// session. [Of] and [Update] with its context fail with [ErrEditing] instead
// of waiting for each other. Its error or panic undoes the edit, publishes
// nothing and fails the call; [chat.ErrEndLoop] is no failure.
//
// Tool panics when S cannot be a state or In cannot be arguments, naming the
// field.
func Tool[S, In, Out any](name, description string, f func(ctx context.Context, s *S, in In) (Out, error)) chat.Tool {
	if err := schema.Check(reflect.TypeFor[S]()); err != nil {
		panic("state: Tool " + name + ": " + err.Error())
	}
	return chat.NewTool(name, description, func(ctx context.Context, in In) (out Out, err error) {
		s, err := Of[S](ctx)
		if err != nil {
			return out, err
		}
		editing := context.WithValue(ctx, editKey{}, any(s.core))
		var end error
		err = s.Update(func(v *S) (err error) {
			if out, err = f(editing, v, in); errors.Is(err, chat.ErrEndLoop) {
				end, err = err, nil
			}
			return err
		})
		return out, cmp.Or(err, end)
	})
}
