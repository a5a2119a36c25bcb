package chat

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
)

// Map is the middleware that passes every update through f: what it returns
// goes on in its place, nothing included. f must not change the update that it
// is given. Its error ends the run.
func Map(f func(ctx context.Context, u *Update) ([]*Update, error)) Middleware {
	return func(next Client) Client {
		return &mapping{Delegating: Delegating{next}, start: func() mapFunc { return f }}
	}
}

// MapCall is the middleware that adds events to every whole tool call: f is
// called when the next call begins, the call's result comes or the turn ends,
// and its events go out right there.
func MapCall(f func(ctx context.Context, call agui.ToolCall) []agui.Event) Middleware {
	return func(next Client) Client {
		return &mapping{Delegating: Delegating{next}, start: func() mapFunc { return (&callMapper{f: f}).update }}
	}
}

// MapResult is the middleware that adds events behind every tool result.
func MapResult(f func(ctx context.Context, r *ToolResult) []agui.Event) Middleware {
	return Map(func(ctx context.Context, u *Update) ([]*Update, error) {
		if u.ToolResult == nil {
			return []*Update{u}, nil
		}
		events := f(ctx, u.ToolResult)
		if len(events) == 0 {
			return []*Update{u}, nil
		}
		next := *u
		next.Events = slices.Concat(events, u.Events)
		return []*Update{&next}, nil
	})
}

// MapText is the middleware that replaces every piece of the answer's text. A
// piece that becomes empty is left out.
func MapText(f func(ctx context.Context, piece string) string) Middleware {
	return Map(func(ctx context.Context, u *Update) ([]*Update, error) {
		if u.Text == "" {
			return []*Update{u}, nil
		}
		next := *u
		next.Text = f(ctx, u.Text)
		return []*Update{&next}, nil
	})
}

// MapInterrupt is the middleware that replaces every interrupt: to add a
// message in the person's language, say. Its ID must stay.
func MapInterrupt(f func(ctx context.Context, i agui.Interrupt) agui.Interrupt) Middleware {
	return Map(func(ctx context.Context, u *Update) ([]*Update, error) {
		if len(u.Interrupts) == 0 {
			return []*Update{u}, nil
		}
		next := *u
		next.Interrupts = make([]agui.Interrupt, len(u.Interrupts))
		for i, in := range u.Interrupts {
			next.Interrupts[i] = f(ctx, in)
		}
		return []*Update{&next}, nil
	})
}

// Step is the middleware that puts STEP_STARTED and STEP_FINISHED around all
// that comes from inside it. A step whose run fails is finished all the same.
func Step(name string) Middleware {
	return func(next Client) Client { return &step{Delegating{next}, name} }
}

type step struct {
	Delegating
	name string
}

// Stream passes the answer inside the step.
func (s *step) Stream(ctx context.Context, req *Request) iter.Seq2[*Update, error] {
	return func(yield func(*Update, error) bool) {
		if !yield(&Update{Events: []agui.Event{&agui.StepStarted{StepName: s.name}}}, nil) {
			return
		}
		finished := &Update{Events: []agui.Event{&agui.StepFinished{StepName: s.name}}}
		for u, err := range s.Client.Stream(ctx, req) {
			if err != nil {
				_ = yield(finished, nil) && yield(nil, err)
				return
			}
			if !yield(u, nil) {
				return
			}
		}
		yield(finished, nil)
	}
}

type mapFunc func(ctx context.Context, u *Update) ([]*Update, error)

// mapping passes updates through a function made anew for each answer.
type mapping struct {
	Delegating
	start func() mapFunc
}

// Stream maps the answer.
func (m *mapping) Stream(ctx context.Context, req *Request) iter.Seq2[*Update, error] {
	return func(yield func(*Update, error) bool) {
		f := m.start()
		for u, err := range m.Client.Stream(ctx, req) {
			if err != nil {
				yield(nil, err)
				return
			}
			if u == nil {
				continue
			}
			out, err := f(ctx, u)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, u := range out {
				if !yield(u, nil) {
					return
				}
			}
		}
	}
}

// callMapper gathers calls until they are whole.
type callMapper struct {
	f    func(context.Context, agui.ToolCall) []agui.Event
	open []*callLine
}

func (c *callMapper) update(ctx context.Context, u *Update) ([]*Update, error) {
	var before, after []agui.Event
	fresh := map[string]bool{} // begun in this update: their events come behind it
	// end maps the calls that match.
	end := func(match func(l *callLine) bool) {
		before = append(before, c.end(ctx, func(l *callLine) bool { return !fresh[l.call.ID] && match(l) })...)
		after = append(after, c.end(ctx, match)...)
	}
	for _, d := range u.ToolCalls {
		i := slices.IndexFunc(c.open, func(l *callLine) bool { return l.call.ID == d.ID })
		if i < 0 {
			// Calls may be interleaved: only one whose arguments are whole ends here.
			end(func(l *callLine) bool { return whole(l.args.String()) })
			c.open = append(c.open, &callLine{call: agui.ToolCall{ID: d.ID, Name: d.Name}})
			i = len(c.open) - 1
			fresh[d.ID] = true
		}
		c.open[i].args.WriteString(d.Arguments)
	}
	if r := u.ToolResult; r != nil {
		end(func(l *callLine) bool { return l.call.ID == r.ToolCallID })
	}
	var out []*Update
	if len(before) > 0 {
		out = append(out, &Update{Events: before})
	}
	out = append(out, u)
	if u.FinishReason != "" {
		after = append(after, c.end(ctx, func(*callLine) bool { return true })...)
	}
	if len(after) > 0 {
		out = append(out, &Update{Events: after})
	}
	return out, nil
}

// end maps the open calls that match, in order.
func (c *callMapper) end(ctx context.Context, match func(*callLine) bool) []agui.Event {
	var events []agui.Event
	c.open = slices.DeleteFunc(c.open, func(l *callLine) bool {
		if !match(l) {
			return false
		}
		l.call.Arguments = l.args.String()
		events = append(events, c.f(ctx, l.call)...)
		return true
	})
	return events
}

// whole reports whether arguments are whole.
func whole(arguments string) bool {
	_, err := objectArguments(arguments)
	return err == nil && strings.TrimSpace(arguments) != ""
}
