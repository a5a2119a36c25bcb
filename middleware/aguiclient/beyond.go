package aguiclient

import (
	"context"
	"path"
	"reflect"
	"slices"
	"strings"
)

// beyond is a context as the other side of a wire in this process has it. It
// ends with the one here and has the values of the application, a trace, a user
// or the request that came in; but it knows nothing of the run of ours that it
// comes from: neither its input and its state, nor where it emits.
type beyond struct{ context.Context }

// module is this one's path; runs are the packages in it whose keys are those
// of a run.
var (
	module = path.Dir(path.Dir(reflect.TypeFor[beyond]().PkgPath()))
	runs   = []string{module + "/middleware/chat", module + "/middleware/state", module + "/middleware/internal/", module + "/adapters/"}
)

// Value returns a value that is not of a run of ours.
func (c beyond) Value(key any) any {
	if t := reflect.TypeOf(key); t != nil && slices.ContainsFunc(runs, func(of string) bool { return strings.HasPrefix(t.PkgPath(), of) }) {
		return nil
	}
	return c.Context.Value(key)
}
