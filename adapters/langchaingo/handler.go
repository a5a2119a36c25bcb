package langchaingo

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Handler is a callbacks handler that tells the run of its context what chains
// and tools do: each chain, and each retriever, is a STEP under the handler's
// name, each tool that reports itself a TOOL_CALL; under [NewChain] each
// action of an agent is one, too. It belongs to no run: one handler serves
// all, also at the same time. Outside a run it does nothing. [NewChain] puts
// one into every chain that it can reach; give others one yourself, with a
// name for each chain.
//
// langchaingo's handlers are not told which call they are told about. Steps of
// one name that overlap get numbers (name-2), and what HandleToolEnd reports
// goes to the last tool that started.
type Handler struct {
	// Name of the steps, and of a tool that reports itself; empty is "chain",
	// "retriever" or "tool".
	Name string

	quiet

	mu   sync.Mutex
	runs map[*agui.RunAgentInput]*told // of runs that are not a chain's
}

var _ callbacks.Handler = (*Handler)(nil)

// quiet is what a handler does of which a run is told nothing.
type quiet = callbacks.SimpleHandler

// told is what a handler has told a run and has to end.
type told struct {
	steps []step
	calls []string
}

// step is an open step: its handler's name, and the one it has in the run.
type step struct{ name, shown string }

func (h *Handler) name(otherwise string) string {
	if h.Name != "" {
		return h.Name
	}
	return otherwise
}

// with calls f with what has been told to the run of ctx, under a lock.
func (h *Handler) with(ctx context.Context, f func(t *told)) {
	if r := runFrom(ctx); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		f(&r.told)
		return
	}
	in, _ := chat.InputFrom(ctx)
	if in == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.runs[in]
	if t == nil {
		t = &told{}
		if h.runs == nil {
			h.runs = map[*agui.RunAgentInput]*told{}
		}
		h.runs[in] = t
	}
	if f(t); len(t.steps)+len(t.calls) == 0 {
		delete(h.runs, in)
	}
}

func (h *Handler) tell(ctx context.Context, u *chat.Update) {
	if r := runFrom(ctx); r != nil {
		r.tell(ctx, u)
		return
	}
	// A callback cannot return an error: outside a run there is nobody to
	// tell, and the end of a run ends the chain by its context.
	_ = chat.Emit(ctx, u)
}

func (h *Handler) start(ctx context.Context, name string) {
	shown := ""
	h.with(ctx, func(t *told) {
		shown = name
		taken := func(s step) bool { return s.shown == shown }
		for n := 2; slices.ContainsFunc(t.steps, taken); n++ {
			shown = name + "-" + strconv.Itoa(n)
		}
		t.steps = append(t.steps, step{name, shown})
	})
	if shown != "" {
		h.tell(ctx, &chat.Update{Events: []agui.Event{&agui.StepStarted{StepName: shown}}})
	}
}

func (h *Handler) finish(ctx context.Context, name string) {
	shown := ""
	h.with(ctx, func(t *told) {
		for i, s := range slices.Backward(t.steps) {
			if s.name == name {
				shown = s.shown
				t.steps = slices.Delete(t.steps, i, i+1)
				return
			}
		}
	})
	if shown != "" {
		h.tell(ctx, &chat.Update{Events: []agui.Event{&agui.StepFinished{StepName: shown}}})
	}
}

// HandleChainStart starts a step.
func (h *Handler) HandleChainStart(ctx context.Context, _ map[string]any) {
	h.start(ctx, h.name("chain"))
}

// HandleChainEnd finishes it.
func (h *Handler) HandleChainEnd(ctx context.Context, _ map[string]any) {
	h.finish(ctx, h.name("chain"))
}

// HandleChainError finishes it too: the error ends the run by itself, or is
// dealt with by the chain around.
func (h *Handler) HandleChainError(ctx context.Context, _ error) { h.finish(ctx, h.name("chain")) }

// HandleRetrieverStart starts a step.
func (h *Handler) HandleRetrieverStart(ctx context.Context, _ string) {
	h.start(ctx, h.name("retriever"))
}

// HandleRetrieverEnd finishes it.
func (h *Handler) HandleRetrieverEnd(ctx context.Context, _ string, _ []schema.Document) {
	h.finish(ctx, h.name("retriever"))
}

// HandleAgentAction announces the tool call, if its model has not.
func (h *Handler) HandleAgentAction(ctx context.Context, action schema.AgentAction) {
	if r := runFrom(ctx); r != nil {
		r.act(ctx, action)
	}
}

// HandleAgentFinish answers a call that nobody has answered.
func (h *Handler) HandleAgentFinish(ctx context.Context, _ schema.AgentFinish) {
	if r := runFrom(ctx); r != nil {
		r.settle(ctx, unknownResult)
	}
}

// HandleToolStart announces a call, unless it is an agent's, which is told of
// already.
func (h *Handler) HandleToolStart(ctx context.Context, input string) {
	if ctx.Value(actingKey{}) != nil {
		return
	}
	if _, ok := chat.InvocationFrom(ctx); ok && runFrom(ctx) == nil {
		return // the chain's own call
	}
	id := ""
	h.with(ctx, func(t *told) {
		id = chat.NewCallIDs(nil).New("")
		t.calls = append(t.calls, id)
	})
	if id != "" {
		h.tell(ctx, &chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, Name: h.name("tool"), Arguments: toolArguments(input), Held: true}}})
	}
}

// HandleToolEnd answers it.
func (h *Handler) HandleToolEnd(ctx context.Context, output string) {
	h.answer(ctx, &chat.ToolResult{Content: agui.Text(pieces.Mend(output))})
}

// HandleToolError answers it with a failure.
func (h *Handler) HandleToolError(ctx context.Context, _ error) {
	h.answer(ctx, &chat.ToolResult{Content: agui.Text("Error: the tool failed"), Error: "the tool failed"})
}

func (h *Handler) answer(ctx context.Context, result *chat.ToolResult) {
	if ctx.Value(actingKey{}) != nil {
		return
	}
	h.with(ctx, func(t *told) {
		if n := len(t.calls); n > 0 {
			result.ToolCallID = t.calls[n-1]
			t.calls = t.calls[:n-1]
		}
	})
	if result.ToolCallID != "" {
		h.tell(ctx, &chat.Update{ToolResult: result})
	}
}

// HandleLLMGenerateContentEnd tells the tokens of a model that does not speak
// to the run itself. Give the handler to the provider for that.
func (h *Handler) HandleLLMGenerateContentEnd(ctx context.Context, res *llms.ContentResponse) {
	if res == nil || ctx.Value(callerKey{}) != nil {
		return
	}
	for _, c := range res.Choices {
		if c == nil {
			continue
		}
		if u, ok := usageOf(c.GenerationInfo); ok {
			h.tell(ctx, &chat.Update{Usage: &u})
			return
		}
	}
}

// HandleStreamingFunc passes text on to the run that no model has said to it.
// Only agents, and chains that are called with this handler, call it.
func (h *Handler) HandleStreamingFunc(ctx context.Context, chunk []byte) {
	r := runFrom(ctx)
	if r == nil {
		return
	}
	if err := r.hear(ctx)(ctx, chunk); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failed == nil {
			r.failed = err
		}
	}
}
