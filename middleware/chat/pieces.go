package chat

import "github.com/aguistate/aguistate/middleware/agui"

// pieces makes the events that carry pieces, which are nearly all events of a
// run. Unless they are kept, those of one update serve again for the next.
type pieces struct {
	keep      bool
	text      recycled[agui.TextMessageContent]
	reasoning recycled[agui.ReasoningMessageContent]
	args      recycled[agui.ToolCallArgs]
}

// reuse says that the events made so far are no longer needed.
func (p *pieces) reuse() { p.text.used, p.reasoning.used, p.args.used = 0, 0, 0 }

// recycled holds values of which the first used are in use.
type recycled[T any] struct {
	all  []*T
	used int
}

// next returns a value of which all that is ever set is to be set: a new one
// when it is to be kept.
func (r *recycled[T]) next(keep bool) *T {
	if keep {
		return new(T)
	}
	if r.used == len(r.all) {
		r.all = append(r.all, new(T))
	}
	r.used++
	return r.all[r.used-1]
}
