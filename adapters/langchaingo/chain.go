package langchaingo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"

	"github.com/aguistate/aguistate/adapters/internal/mask"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// ChainOptions are the settings of [NewChain]. The zero value, and nil, is
// ready for a chain with one input.
type ChainOptions struct {
	// Name of the chain's step; empty is its type's.
	Name string
	// Input makes the chain's inputs of a request. Nil gives the text of the
	// last user message to the one input that no memory fills.
	Input func(ctx context.Context, req *chat.Request) (map[string]any, error)
	// Output makes of the chain's outputs what the user reads, and puts what
	// belongs there into the state (state.Update works in it). Nil takes the
	// first output: text as it is, anything else as JSON. A text that a model
	// has said already, as the whole of its answer, is not said again.
	Output func(ctx context.Context, outputs map[string]any) (string, error)
	// Quiet holds back what the models write: only the output is said. For
	// chains whose steps are not for the user, and for those that call models
	// at the same time.
	Quiet bool
	// KeepMemory leaves the chain's memories as they are. They are shared by
	// all runs then.
	KeepMemory bool
	// CallOptions are given to the chain at each call. A streaming function
	// among them is not called: the run has its own in its place. Listen with
	// a callbacks handler, or to what the client yields.
	CallOptions []chains.ChainCallOption
}

// NewChain returns a chain or agent of langchaingo as a client, as it is: the
// chain itself is not changed, and need not know of any of this.
//
// Each range calls the chain once, in a [chat.Run], with the range's context:
// what its tools, prompts and callbacks do with package state, or with
// [chat.Emit], goes into the stream. The models in it are read as [New] reads
// them and speak while they write; each chain is a STEP, each use of a tool by
// an agent a TOOL_CALL with its result. Text of an agent that thinks aloud (of
// the kinds OneShotZero and Conversational) is reasoning up to its answer.
// What the chain returns is said if no model has said it.
//
// langchaingo's conversation memories read the request's history in place of
// their own, and keep nothing: runs share nothing.
//
// Models, callbacks and memories are found in the exported fields of
// langchaingo's own chains and agents. In chains that hide their parts
// (SequentialChain), and in others, the parts stay as they are: their text
// comes through the streaming function, without the marks between the steps.
// Build such a chain's models with [NewModel], and give its steps a [Handler].
// A model that needs [Options] is put into the chain as
// NewModel(New(model, options)).
//
// NewChain panics when chain is nil. A chain that fails ends the run with an
// error that wraps its own.
func NewChain(chain chains.Chain, o *ChainOptions) chat.Client {
	if chain == nil {
		panic("langchaingo: NewChain of a nil chain")
	}
	c := &chainClient{}
	if o != nil {
		c.o = *o
	}
	a := adopter{keepMemory: c.o.KeepMemory}
	c.chain = a.chain(chain)
	_, c.executes = c.chain.(*agents.Executor)
	if !a.handles || c.o.Name != "" {
		name := c.o.Name
		if name == "" {
			name = typeName(chain)
		}
		c.chain = namedStep{c.chain, &Handler{Name: name}}
	}
	return c
}

type chainClient struct {
	chain    chains.Chain
	o        ChainOptions
	executes bool
}

// namedStep is a chain that has no callbacks of its own, or another name.
type namedStep struct {
	chains.Chain
	handler callbacks.Handler
}

func (s namedStep) GetCallbackHandler() callbacks.Handler { return s.handler }

// Stream runs the chain.
func (c *chainClient) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	if req == nil {
		req = &chat.Request{}
	}
	return obedient(ctx, chat.Run(ctx, func(ctx context.Context) error {
		if err := ended(ctx, nil); err != nil {
			return err
		}
		run := newChainRun(ctx, c, req)
		ctx = context.WithValue(ctx, runKey{}, run)
		err := c.call(ctx, run)
		if gone := ended(ctx, err); gone != nil {
			err = gone
		}
		return mask.Secrets(nil).Error(err) // a chain may have models that are not listened to
	}))
}

func (c *chainClient) call(ctx context.Context, run *chainRun) error {
	inputs, err := c.inputs(ctx, run.req)
	if err != nil {
		return err
	}
	options := append(slices.Clone(c.o.CallOptions), chains.WithStreamingFunc(run.hear(ctx)))
	outputs, err := chains.Call(ctx, c.chain, inputs, options...)
	run.close()
	if errors.Is(err, ErrInterrupted) {
		return run.end(ctx, "")
	}
	if err != nil {
		return chainError(err)
	}
	if failed := run.failure(); failed != nil {
		return failed
	}
	text, err := c.output(ctx, outputs)
	if err != nil {
		return fmt.Errorf("langchaingo: the chain's output: %w", err)
	}
	return run.end(ctx, text)
}

// chainError keeps the chain's error, and gives it a code where it has none.
func chainError(err error) error {
	if errors.Is(err, agents.ErrNotFinished) {
		return &chat.Error{Code: chat.CodeAgent, Message: "The agent took too many steps without coming to an answer.", Err: err}
	}
	return fmt.Errorf("langchaingo: the chain: %w", err)
}

// inputs makes the chain's inputs.
func (c *chainClient) inputs(ctx context.Context, req *chat.Request) (map[string]any, error) {
	if c.o.Input != nil {
		in, err := c.o.Input(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("langchaingo: the chain's input: %w", err)
		}
		return in, nil
	}
	keys := c.chain.GetInputKeys()
	remembered := c.chain.GetMemory().MemoryVariables(ctx)
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(remembered, k) })
	switch len(keys) {
	case 0:
		return map[string]any{}, nil
	case 1:
	default:
		return nil, invalid("the chain has the inputs %q: say what they are with ChainOptions.Input", keys)
	}
	i := lastUser(req.Messages)
	if i < 0 {
		return nil, invalid("the chain needs a user message, and there is none")
	}
	m := &req.Messages[i]
	for k, p := range m.Content.Parts() {
		if p.Type != agui.PartText {
			return nil, invalid("message %d (%q): part %d: the chain takes text, and no part of type %q; ChainOptions.Input may do something with it", i, m.ID, k, p.Type)
		}
	}
	return map[string]any{keys[0]: m.Content.Text()}, nil
}

func lastUser(messages []agui.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == agui.RoleUser {
			return i
		}
	}
	return -1
}

// output makes the text that the user reads.
func (c *chainClient) output(ctx context.Context, outputs map[string]any) (string, error) {
	if c.o.Output != nil {
		return c.o.Output(ctx, outputs)
	}
	keys := c.chain.GetOutputKeys()
	if len(keys) == 0 {
		return "", nil
	}
	switch v := outputs[keys[0]].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.RawMessage:
		return string(v), nil
	default:
		b, err := marshal(v)
		return strings.TrimSpace(string(b)), err
	}
}
