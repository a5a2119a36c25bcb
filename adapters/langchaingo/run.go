package langchaingo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// chainRun is what one run of a chain keeps: what has been said in it, and
// which tool calls wait for their results.
type chainRun struct {
	req      *chat.Request
	o        *ChainOptions
	executes bool // the chain is an agent's, which answers its calls

	mu     sync.Mutex
	ids    *chat.CallIDs
	said   strings.Builder
	turn   strings.Builder // said since the last turn ended
	texts  []string        // of the turns that have ended
	open   bool            // something has been said since the last turn ended
	turns  bool            // a turn has ended
	told   told
	calls  []*agentCall
	failed error // of a callback, which cannot return it
	closed bool

	text pieces.Seam // of the models whose text comes through the streaming function
}

// agentCall is a tool call of an agent.
type agentCall struct {
	id, name string
	taken    bool // the agent has begun to act on it
	answered bool
}

type runKey struct{}

func runFrom(ctx context.Context) *chainRun {
	r, _ := ctx.Value(runKey{}).(*chainRun)
	return r
}

func newChainRun(ctx context.Context, c *chainClient, req *chat.Request) *chainRun {
	return &chainRun{req: req, o: &c.o, executes: c.executes, ids: chat.CallIDsFor(ctx, req.Messages)}
}

// newID returns the id for a call that its model names so.
func (r *chainRun) newID(theirs string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids.New(theirs)
}

// emit says an update in the run.
func (r *chainRun) emit(ctx context.Context, u *chat.Update) error {
	r.mu.Lock()
	if u.Text != "" || u.Reasoning != "" || len(u.ToolCalls) > 0 {
		r.open = true
	}
	r.said.WriteString(u.Text)
	r.turn.WriteString(u.Text)
	for _, d := range u.ToolCalls {
		if d.Held && !slices.ContainsFunc(r.calls, func(c *agentCall) bool { return c.id == d.ID }) {
			r.calls = append(r.calls, &agentCall{id: d.ID, name: d.Name})
		}
	}
	if t := u.ToolResult; t != nil {
		for _, c := range r.calls {
			c.answered = c.answered || c.id == t.ToolCallID
		}
	}
	if u.FinishReason != "" {
		if r.open || !r.turns {
			r.turns = true
		}
		r.open = false
		r.texts = append(r.texts, r.turn.String())
		r.turn.Reset()
	}
	r.mu.Unlock()
	return chat.Emit(ctx, u)
}

// tell is emit for callbacks, which cannot return an error.
func (r *chainRun) tell(ctx context.Context, u *chat.Update) {
	if err := r.emit(ctx, u); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failed == nil {
			r.failed = err
		}
	}
}

func (r *chainRun) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// close ends the streaming function: some chains go on in the background
// after they have returned.
func (r *chainRun) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// hear returns the streaming function of the chain, for the models in it that
// do not speak themselves.
func (r *chainRun) hear(ctx context.Context) func(context.Context, []byte) error {
	return func(heard context.Context, data []byte) error {
		if spoken, _ := heard.Value(spokenKey{}).(bool); spoken || r.o.Quiet || len(data) == 0 {
			return nil
		}
		return chat.Protect(func() error {
			r.mu.Lock()
			closed := r.closed
			text := r.text.Add(string(data))
			r.mu.Unlock()
			if closed {
				return errLate
			}
			if text == "" {
				return nil
			}
			return r.emit(ctx, &chat.Update{Text: text})
		})
	}
}

// end says the output, unless it has been said, and ends the last turn.
func (r *chainRun) end(ctx context.Context, output string) error {
	r.settle(ctx, unknownResult)
	r.mu.Lock()
	u := &chat.Update{Text: r.text.Rest()}
	said := r.said.String() + u.Text
	known := r.knows(output, said, r.turn.String()+u.Text)
	silent := !r.open && r.turns
	r.mu.Unlock()
	if !known {
		rest, goesOn := strings.CutPrefix(output, said)
		switch {
		case silent:
			rest = strings.TrimLeft(rest, " \n")
		case !goesOn:
			// Something else was said: the output is a message of its own.
			u.FinishReason = chat.FinishStop
			if err := r.emit(ctx, u); err != nil {
				return err
			}
			u = &chat.Update{}
		}
		u.Text += pieces.Mend(rest)
		silent = false
	}
	if silent && u.Text == "" {
		return nil
	}
	u.FinishReason = chat.FinishStop
	return r.emit(ctx, u)
}

// knows reports whether the output has been said: as a turn of its own, or as
// all there is. A chain's own output may also be the end of what its models
// have said, for which the marks between the steps may be missing.
func (r *chainRun) knows(output, said, turn string) bool {
	output, said = strings.TrimSpace(output), strings.TrimSpace(said)
	same := func(text string) bool { return strings.TrimSpace(text) == output }
	return output == "" || said == output || same(turn) || slices.ContainsFunc(r.texts, same) ||
		r.o.Output == nil && strings.HasSuffix(said, output)
}

const unknownResult = "(the result is not known here)"

// act notes that an agent acts on a call, and announces the call if its model
// has not.
func (r *chainRun) act(ctx context.Context, action schema.AgentAction) {
	// An executor acts on nothing else before it has a result; if no tool told
	// of that, there was no tool.
	if c := r.acting(); c != nil {
		r.settle(ctx, fmt.Sprintf("%s is not a valid tool, try another one", c.name))
	}
	r.mu.Lock()
	for _, c := range r.calls {
		if c.id == action.ToolID && !c.taken {
			c.taken = true
			r.mu.Unlock()
			return
		}
	}
	id := r.ids.New(action.ToolID)
	r.calls = append(r.calls, &agentCall{id: id, name: action.Tool, taken: true})
	r.mu.Unlock()
	input := strings.TrimSpace(strings.TrimSuffix(action.ToolInput, "\nObservation:"))
	r.tell(ctx, &chat.Update{
		ToolCalls:    []chat.ToolCallDelta{{ID: id, Name: action.Tool, Arguments: toolArguments(input), Held: true}},
		FinishReason: chat.FinishToolCalls,
	})
}

// toolArguments writes a tool's input as JSON.
func toolArguments(input string) string {
	if strings.HasPrefix(input, "{") && json.Valid([]byte(input)) {
		return input
	}
	b, _ := marshal(map[string]string{toolInput: pieces.Mend(input)}) // text cannot fail
	return string(b)
}

// settle answers the call that the agent acts on, if nobody has.
func (r *chainRun) settle(ctx context.Context, text string) {
	if c := r.acting(); c != nil {
		r.tell(ctx, &chat.Update{ToolResult: &chat.ToolResult{ToolCallID: c.id, Content: agui.Text(pieces.Mend(text))}})
	}
}

// acting returns the call that the agent acts on, nil if there is none.
func (r *chainRun) acting() *agentCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range slices.Backward(r.calls) {
		if c.taken && !c.answered {
			return c
		}
	}
	return nil
}

// heardAgent is an agent whose tools tell the run of their results.
type heardAgent struct{ agents.Agent }

// Plan tells the run of the result that the agent has and no tool has told.
func (a heardAgent) Plan(ctx context.Context, steps []schema.AgentStep, inputs map[string]string, options ...chains.ChainCallOption) ([]schema.AgentAction, *schema.AgentFinish, error) {
	if run := runFrom(ctx); run != nil && len(steps) > 0 {
		run.settle(ctx, steps[len(steps)-1].Observation)
	}
	return a.Agent.Plan(ctx, steps, inputs, options...)
}

// GetTools returns the tools, each of which tells the run.
func (a heardAgent) GetTools() []tools.Tool {
	list := slices.Clone(a.Agent.GetTools())
	for i, t := range list {
		list[i] = heardTool{t}
	}
	return list
}

type heardTool struct{ tools.Tool }

type actingKey struct{}

// Call calls the tool and tells the run what came of it.
func (t heardTool) Call(ctx context.Context, input string) (string, error) {
	run := runFrom(ctx)
	if run == nil {
		return t.Tool.Call(ctx, input)
	}
	call := run.acting()
	out, err := t.Tool.Call(context.WithValue(ctx, actingKey{}, true), input)
	if call == nil || ctx.Err() != nil {
		return out, err
	}
	result := &chat.ToolResult{ToolCallID: call.id, Content: agui.Text(pieces.Mend(out))}
	if err != nil {
		result.Error = "the tool failed"
		result.Content = agui.Text("Error: the tool failed")
	}
	if told := run.emit(ctx, &chat.Update{ToolResult: result}); told != nil && err == nil {
		err = told
	}
	return out, err
}
