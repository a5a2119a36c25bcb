package aguiclient

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/flow"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// Options are the settings of [New]. The zero value is ready; nil means the
// same.
type Options struct {
	// Input is called with each input before it is sent, to change it. Its
	// error ends the run, and nothing is sent. The agent's deltas apply to the
	// state that is sent; inside state.Share, also to the chain's document.
	Input func(ctx context.Context, in *agui.RunAgentInput) error
	// SkipVerify takes events that break the order rules of AG-UI, instead of
	// ending the run with an [*agui.OrderError].
	SkipVerify bool
	// OnError is told of what does not end a run: a STATE_DELTA that does not
	// apply, as an [*ApplyError]. Nor does a panic in it: that is logged.
	OnError func(ctx context.Context, err error)
}

// New returns the chat client whose model is an AG-UI agent: it sits at the
// end of a chain as any model does, also behind an endpoint of our own.
//
// What is asked: the request's messages without activities, its live messages
// behind them, and its tools; of the run's input ([chat.InputFrom]) the thread,
// the state, the context, the forwarded properties and the answers to
// interrupts that no layer has taken. Inside state.Share the state is the
// chain's document as it is by now, with what tools and layers of ours have
// changed; what the agent tells is a change of that. Without an input in the
// context the thread is new, and the state that of a Share, or {}. A response
// format is asked for in words. A tool choice of none sends no tools; the other
// choices, and the request's Options, have no place in an input: use
// [Options].Input. Calls and results are sent as they are, not repaired: an
// agent may be waiting for the answer to a call.
//
// What comes: text and reasoning of the agent, its tool calls, their results,
// usage, interrupts and the result are the fields of the updates; everything
// else rides in Events, in its place: state, activities, messages, steps,
// custom, raw and unknown events, whatever carries a subagent's tag, and
// messages that have a name or another role than assistant. Each event of the
// agent is the Raw of the updates that it becomes. When one run of ours asks
// the agent again, it is sent the state that it told last, unless the chain
// shares one, and no answer that a run of it has finished with.
//
// A MESSAGES_SNAPSHOT is the agent's view of what it was sent. It rides as one
// of the run's own conversation, that of the input: messages that layers of
// this chain added are left out, prompts that they changed are as they were, and
// what they did not send stays in its place. What this run has made counts as
// its conversation too: assistant, tool and reasoning messages behind the last
// one of the input, and results of the input's calls.
//
// Fields have no brackets of their own, so a little is told in another way: a
// message that something else interrupts goes on in a message of its own, and
// the opaque form of reasoning goes to the message that the reasoning leads to.
// Ids of messages and calls that the conversation has already become new ones,
// and so do those of messages, calls and subagents that another answer in the
// same run of ours has used.
// A call of a tool that the request did not offer is Held: the agent answers it
// itself, and a [chat.InvokeFunctions] around the client leaves it alone. A
// STATE_DELTA that does not apply to the state as the agent has told it is left
// out, told to OnError, and ends nothing.
//
// What the agent or the way to it does wrong is a [*chat.Error]. When the agent
// said it, there is a [*PeerError] in it, with the code and message that it has
// too; otherwise it was concluded here, and the cause is in it.
func New(t Transport, o *Options) chat.Client {
	if t == nil {
		panic("aguiclient: New with a nil transport")
	}
	c := &client{transport: t}
	if o != nil {
		c.o = *o
	}
	return c
}

type client struct {
	transport Transport
	o         Options
}

// Stream asks the agent.
func (c *client) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		if ctx.Err() != nil {
			yield(nil, stopped(ctx))
			return
		}
		known := recallOf(ctx, c)
		q, err := c.ask(ctx, req, known)
		if err != nil {
			yield(nil, err)
			return
		}
		tr := newTranslator(ctx, req, q, func(err error) {
			if c.o.OnError == nil {
				return
			}
			if p := chat.Protect(func() error { c.o.OnError(ctx, err); return nil }); p != nil {
				runlog.Log(ctx, nil, slog.LevelError, "OnError failed", slog.Any("error", p))
			}
		})
		for e, err := range run(ctx, c.transport, q.in, c.o.SkipVerify) {
			if err != nil {
				if ctx.Err() != nil {
					err = stopped(ctx)
				} else {
					err = failed(err)
				}
				yield(nil, err)
				return
			}
			if _, ok := e.(*agui.RunFinished); ok {
				known.took(q.in.Resume)
			}
			updates, err := tr.translate(e)
			for _, u := range updates {
				if !yield(u, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if tr.stateMoved {
				tr.stateMoved = false
				known.told(tr.state)
			}
		}
	}
}

// Restore asks the agent for what it tells without a question: its state.
func (c *client) Restore(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return c.Stream(ctx, req)
}

// TakesResume says that answers to the agent's interrupts are the agent's: see
// [chat.Resumer].
func (c *client) TakesResume() {}

// stopped is the error of a context that has ended.
func stopped(ctx context.Context) error {
	return fmt.Errorf("aguiclient: the run was stopped: %w", context.Cause(ctx))
}

// query is what was asked.
type query struct {
	in *agui.RunAgentInput
	// talk is the run's own conversation, before our layers: that of its input.
	talk []agui.Message
	// added are the ids of messages that were added here.
	added map[string]bool
}

// ask makes the input.
func (c *client) ask(ctx context.Context, req *chat.Request, known *recall) (*query, error) {
	q := &query{talk: req.Messages, added: map[string]bool{}, in: &agui.RunAgentInput{
		ThreadID: agui.NewID(), RunID: agui.NewID(), ProtocolVersion: agui.ProtocolVersion,
		State: json.RawMessage("{}"), Messages: []agui.Message{},
		Tools: []agui.Tool{}, Context: []agui.Context{}, ForwardedProps: json.RawMessage("{}"),
	}}
	in := q.in
	var resume []agui.ResumeEntry
	if outer, ok := chat.InputFrom(ctx); ok {
		q.talk = outer.Messages
		if outer.ThreadID != "" {
			in.ThreadID = outer.ThreadID
		}
		if !isNull(outer.State) {
			in.State = outer.State
		}
		if outer.Context != nil {
			in.Context = outer.Context
		}
		if !isNull(outer.ForwardedProps) {
			in.ForwardedProps = outer.ForwardedProps
		}
		resume = outer.Resume
	}
	known.put(ctx, in, resume)
	shared, err := flow.DocumentFrom(ctx)
	if err != nil {
		return nil, fmt.Errorf("aguiclient: the state of the chain: %w", err)
	}
	if shared != nil {
		in.State = shared
	}
	for _, m := range req.Messages {
		if m.Role != agui.RoleActivity {
			if m.ID == "" {
				m.ID = agui.NewID() // the agent would give it one that we do not know
			}
			in.Messages = append(in.Messages, m)
		}
	}
	add := func(m agui.Message) {
		if m.ID == "" {
			m.ID = agui.NewID()
		}
		q.added[m.ID] = true
		in.Messages = append(in.Messages, m)
	}
	for _, live := range req.Live {
		m, err := live(ctx)
		if err != nil {
			return nil, fmt.Errorf("aguiclient: live message: %w", err)
		}
		add(m)
	}
	if req.ResponseFormat != nil {
		add(chat.SchemaPrompt(req.ResponseFormat))
	}
	if req.ToolChoice.Mode != chat.ToolsNone {
		for _, t := range req.Tools {
			in.Tools = append(in.Tools, agui.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Metadata: t.Metadata})
		}
	}
	if c.o.Input != nil {
		if err := c.o.Input(ctx, in); err != nil {
			return nil, fmt.Errorf("aguiclient: the input: %w", err)
		}
	}
	return q, nil
}
