package langchaingo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// ErrInterrupted is the error of a model made by [NewModel] whose chain asks
// the person at the client something: there is no answer to go on with. The
// question is in the run already; [NewChain] ends the run well with it.
var ErrInterrupted = errors.New("langchaingo: the run is interrupted by a question")

// NewModel returns a chain of ours as a model of langchaingo, to be used in
// its chains, agents and memories. It is safe for concurrent use and panics
// when client is nil.
//
// Inside a run, that is with a context from a [chat.Run] ([NewChain] makes
// one, and so do the tools of [chat.InvokeFunctions]), all that the chain
// yields goes to the run's stream too, as it comes: text, reasoning, tool
// calls and their results, state and other events, usage. In a chain under
// [NewChain], text goes there only if the model was called with a streaming
// function, as the chain does for its visible steps; and what the layers of
// the run want their models to see, such as the current state, is added to
// the messages. Tool calls get ids that are unique in the run. A call that the
// chain leaves to its caller, because the caller has offered the tool, is not
// told to the run, for nobody would tell it the result: agents under NewChain
// tell both.
//
// An answer that reaches its length inside a tool call is an error: what is
// cut is not run.
//
// Outside a run it is a plain model. In both cases the answer's content is the
// text of the last turn, and its tool calls are those that the chain has left
// to its caller; the streaming functions get text and reasoning only, never a
// call's JSON. Call options become those of the request: TopK and the
// penalties go into Extra. N, CandidateCount, the lengths and the Metadata of
// other providers have no counterpart. Errors are the chain's own.
func NewModel(client chat.Client) llms.Model {
	if client == nil {
		panic("langchaingo: NewModel of a nil client")
	}
	return &runModel{client: client}
}

type runModel struct {
	client chat.Client
	// model is a chain's own model, which is listened to; client is nil then.
	model llms.Model
	// marker is what comes before the answer in the text of an agent; what
	// comes before it is reasoning.
	marker string
}

// Call answers one prompt.
func (m *runModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// SupportsReasoning reports what the model that is listened to does.
func (m *runModel) SupportsReasoning() bool {
	if m.model == nil {
		return true
	}
	r, ok := m.model.(llms.ReasoningModel)
	return ok && r.SupportsReasoning()
}

// GenerateContent answers messages.
func (m *runModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	req, err := requestOf(messages, &o)
	if err != nil {
		return nil, err
	}
	run := runFrom(ctx)
	if run != nil {
		req.Live = run.req.Live
	}
	client := m.client
	if client == nil {
		client = newClient(m.model, nil, o)
		req.Options, req.ResponseFormat = chat.Options{}, nil // o has them
	}
	a := &answer{ctx: ctx, o: &o, run: run, split: splitter{marker: m.marker}, ids: map[string]string{}, tools: req.Tools, left: map[string]bool{}}
	a.begin(messages)
	ctx = context.WithValue(ctx, callerKey{}, nil)
	if run != nil {
		ctx = run.ids.Context(ctx)
	}
	for u, err := range client.Stream(ctx, req) {
		if u != nil && err == nil {
			err = a.add(u)
		}
		if err != nil {
			return nil, err
		}
	}
	return a.response()
}

// answer gathers one answer, and says it to the run on its way.
type answer struct {
	ctx   context.Context
	o     *llms.CallOptions
	run   *chainRun
	split splitter

	inRun  bool
	silent bool              // only events go to the run
	mint   *chat.CallIDs     // for the ids of calls in a run
	ids    map[string]string // by the chain's own
	tools  []chat.Tool       // the caller's
	left   map[string]bool   // calls that are left to the caller

	ended     bool // the next piece begins another turn
	text      strings.Builder
	last      string // text of the turn before
	reasoning strings.Builder
	calls     []*llms.ToolCall
	usage     agui.TokenUsage
	reason    chat.FinishReason
	asked     bool
	unsure    bool // an agent's text that did not come to its answer
}

// begin finds out whether there is a run to say things to. An update that
// says nothing tells.
func (a *answer) begin(messages []llms.MessageContent) {
	a.inRun = chat.Emit(a.ctx, &chat.Update{}) == nil
	if c, _ := a.ctx.Value(callerKey{}).(*client); c != nil {
		a.silent = true // the caller hears the streaming functions
	}
	if a.run != nil {
		a.silent = a.silent || a.run.o.Quiet || a.o.StreamingFunc == nil
		return
	}
	var known []agui.Message
	if in, ok := chat.InputFrom(a.ctx); ok {
		known = in.Messages
	}
	a.mint = chat.NewCallIDs(known)
}

func (a *answer) add(u *chat.Update) error {
	u = new(*u)
	a.rename(u)
	if err := a.say(u); err != nil {
		return err
	}
	a.gather(u)
	return a.stream(u)
}

// rename gives the calls ids that no other of the run has.
func (a *answer) rename(u *chat.Update) {
	if !a.inRun || a.silent && a.run == nil {
		return
	}
	executes := a.run != nil && a.run.executes
	calls := make([]chat.ToolCallDelta, len(u.ToolCalls))
	for i, d := range u.ToolCalls {
		id, known := a.ids[d.ID]
		if !known {
			if a.run != nil {
				id = a.run.newID(d.ID)
			} else {
				id = a.mint.New("")
			}
			a.ids[d.ID] = id
			offered := func(t chat.Tool) bool { return t.Name == d.Name }
			a.left[id] = !executes && !d.Held && slices.ContainsFunc(a.tools, offered)
		}
		d.ID = id
		d.Held = d.Held || executes
		calls[i] = d
	}
	if u.ToolCalls != nil {
		u.ToolCalls = calls
	}
	if r := u.ToolResult; r != nil && a.ids[r.ToolCallID] != "" {
		u.ToolResult = new(*r)
		u.ToolResult.ToolCallID = a.ids[r.ToolCallID]
	}
	u.Interrupts = slices.Clone(u.Interrupts)
	for i, q := range u.Interrupts {
		if id := a.ids[q.ToolCallID]; id != "" {
			u.Interrupts[i].ToolCallID = id
		}
	}
}

// say emits an update into the run.
func (a *answer) say(u *chat.Update) error {
	if !a.inRun {
		return nil
	}
	u = new(*u)
	if u.ToolCalls != nil {
		left := func(d chat.ToolCallDelta) bool { return a.left[d.ID] }
		u.ToolCalls = slices.DeleteFunc(slices.Clone(u.ToolCalls), left)
	}
	if a.split.marker != "" {
		reasoning, text := a.split.add(u.Text)
		if u.FinishReason != "" {
			a.unsure = !a.split.past
			more, rest := a.split.rest()
			reasoning, text = reasoning+more, text+rest
		}
		u.Reasoning, u.Text = u.Reasoning+reasoning, text
	}
	if a.silent {
		if a.run == nil {
			u = &chat.Update{Events: u.Events}
		} else {
			u.Text, u.Reasoning, u.EncryptedReasoning = "", "", ""
		}
	}
	if a.run != nil {
		return a.run.emit(a.ctx, u)
	}
	return chat.Emit(a.ctx, u)
}

// stream calls the caller's streaming functions.
func (a *answer) stream(u *chat.Update) error {
	if u.Text != "" && a.o.StreamingFunc != nil {
		ctx := a.ctx
		if a.inRun && !a.silent {
			ctx = context.WithValue(ctx, spokenKey{}, true)
		}
		if err := a.o.StreamingFunc(ctx, []byte(u.Text)); err != nil {
			return fmt.Errorf("langchaingo: the streaming function: %w", err)
		}
	}
	if (u.Text != "" || u.Reasoning != "") && a.o.StreamingReasoningFunc != nil {
		if err := a.o.StreamingReasoningFunc(a.ctx, []byte(u.Reasoning), []byte(u.Text)); err != nil {
			return fmt.Errorf("langchaingo: the streaming function for reasoning: %w", err)
		}
	}
	return nil
}

// gather puts an update into the response.
func (a *answer) gather(u *chat.Update) {
	if a.ended && (u.Text != "" || len(u.ToolCalls) > 0) {
		if a.text.Len() > 0 {
			a.last = a.text.String()
		}
		a.text.Reset()
		a.ended = false
	}
	a.text.WriteString(u.Text)
	a.reasoning.WriteString(u.Reasoning)
	for _, d := range u.ToolCalls {
		c := a.call(d.ID)
		if c == nil {
			c = &llms.ToolCall{ID: d.ID, Type: "function", FunctionCall: &llms.FunctionCall{}}
			a.calls = append(a.calls, c)
		}
		if d.Name != "" {
			c.FunctionCall.Name = d.Name
		}
		c.FunctionCall.Arguments += d.Arguments
	}
	if r := u.ToolResult; r != nil {
		a.ended = true
		for i, c := range a.calls {
			if c.ID == r.ToolCallID {
				a.calls = append(a.calls[:i:i], a.calls[i+1:]...)
				break
			}
		}
	}
	if u.Usage != nil {
		sum := chat.AddUsage([]agui.TokenUsage{a.usage}, agui.TokenUsage{
			InputTokens: u.Usage.InputTokens, OutputTokens: u.Usage.OutputTokens, TotalTokens: u.Usage.TotalTokens,
			ReasoningTokens: u.Usage.ReasoningTokens, CachedInputTokens: u.Usage.CachedInputTokens, CacheWriteInputTokens: u.Usage.CacheWriteInputTokens,
		})
		a.usage = sum[0]
	}
	if u.FinishReason != "" {
		a.reason, a.ended = u.FinishReason, true
	}
	a.asked = a.asked || len(u.Interrupts) > 0
}

func (a *answer) call(id string) *llms.ToolCall {
	for _, c := range a.calls {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (a *answer) response() (*llms.ContentResponse, error) {
	if a.asked {
		return nil, ErrInterrupted
	}
	if err := a.cut(); err != nil {
		return nil, err
	}
	text := a.text.String()
	if text == "" && len(a.calls) == 0 {
		text = a.last
	}
	u := a.usage
	c := &llms.ContentChoice{
		Content: text, ReasoningContent: a.reasoning.String(), StopReason: string(a.reason),
		GenerationInfo: map[string]any{
			"PromptTokens": int(u.InputTokens), "CompletionTokens": int(u.OutputTokens), "TotalTokens": int(u.TotalTokens),
			"ReasoningTokens": int(u.ReasoningTokens), "PromptCachedTokens": int(u.CachedInputTokens),
			"ThinkingContent": a.reasoning.String(), "ThinkingTokens": int(u.ReasoningTokens),
		},
	}
	for _, t := range a.calls {
		c.ToolCalls = append(c.ToolCalls, *t)
	}
	if len(c.ToolCalls) > 0 {
		c.FuncCall = c.ToolCalls[0].FunctionCall
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{c}}, nil
}

// cut is the error of an answer whose length ended inside what an agent would
// act on.
func (a *answer) cut() error {
	if a.reason != chat.FinishLength {
		return nil
	}
	for _, c := range a.calls {
		if args := strings.TrimSpace(c.FunctionCall.Arguments); args != "" && !json.Valid([]byte(args)) {
			return chat.ModelError(chat.CodeIncomplete, fmt.Errorf("langchaingo: the answer reached its length inside the arguments of %q: %w", c.FunctionCall.Name, io.ErrUnexpectedEOF))
		}
	}
	if a.unsure && a.run != nil && a.run.executes {
		return chat.ModelError(chat.CodeIncomplete, fmt.Errorf("langchaingo: the agent's text reached its length before its answer: %w", io.ErrUnexpectedEOF))
	}
	return nil
}

// spokenKey marks the context of a streaming function whose text the run has
// already.
type spokenKey struct{}
