package langchaingo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// TestChainMemory is about memories: they read the request's history, and
// runs share nothing.
func TestChainMemory(t *testing.T) {
	talk := []agui.Message{
		agui.SystemMessage("S"), agui.UserMessage("u1"), agui.AssistantMessage("a1"), agui.UserMessage("u2"),
		agui.AssistantMessage("a2"), agui.UserMessage("u3"),
	}
	for name, c := range map[string]struct {
		memory schema.Memory
		keep   bool
		want   string
	}{
		"buffer": {memory: memory.NewConversationBuffer(), want: "Human: u1\nAI: a1\nHuman: u2\nAI: a2"},
		"prefix": {memory: memory.NewConversationBuffer(memory.WithAIPrefix("Bot")), want: "Human: u1\nBot: a1\nHuman: u2\nBot: a2"},
		"window": {memory: memory.NewConversationWindowBuffer(1), want: "Human: u2\nAI: a2"},
		"tokens": {memory: memory.NewConversationTokenBuffer(nil, 1000), want: "Human: u1\nAI: a1\nHuman: u2\nAI: a2"},
		"kept":   {memory: memory.NewConversationBuffer(), keep: true, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := aguitest.NewModel(aguitest.Text("one"), aguitest.Text("two"))
			chain := chains.NewLLMChain(openaiModel(t, m, true), prompt("[{{.history}}] {{.input}}", "history", "input"))
			chain.Memory = c.memory
			client := langchaingo.NewChain(chain, &langchaingo.ChainOptions{KeepMemory: c.keep})
			for range 2 {
				if _, err := chat.Collect(client.Stream(t.Context(), &chat.Request{Messages: talk})); err != nil {
					t.Fatal(err)
				}
			}
			for i, r := range m.Requests() {
				want := "[" + c.want + "] u3"
				if c.keep && i == 1 {
					want = "[Human: u3\nAI: one] u3"
				}
				if got := r.Outgoing[0].Content.Text(); got != want {
					t.Errorf("call %d was asked %q, want %q", i+1, got, want)
				}
			}
			kept, err := c.memory.LoadMemoryVariables(t.Context(), nil)
			if err != nil || !c.keep && kept["history"] != "" {
				t.Errorf("the chain's own memory holds %q, %v", kept, err)
			}
		})
	}
}

// TestChainIsNotChanged runs a chain as a client and then by itself.
func TestChainIsNotChanged(t *testing.T) {
	m := openaiModel(t, aguitest.NewModel(aguitest.Text("one"), aguitest.Text("two")), true)
	h := &log{}
	chain := chains.NewLLMChain(m, prompt("{{.x}}", "x"), chains.WithCallback(h))
	before := *chain
	if _, err := chat.Collect(langchaingo.NewChain(chain, nil).Stream(t.Context(), hello())); err != nil {
		t.Fatal(err)
	}
	if got, err := chains.Run(t.Context(), chain, "x", chains.WithStreamingFunc(func(context.Context, []byte) error { return nil })); err != nil || got != "two" {
		t.Errorf("%q, %v", got, err)
	}
	if chain.LLM != before.LLM || chain.Memory != before.Memory || chain.CallbacksHandler != before.CallbacksHandler {
		t.Error("the chain has other parts than before")
	}
	if want := "start end start end"; strings.Join(h.lines, " ") != want {
		t.Errorf("its handler was told %q, want %q", h.lines, want)
	}
}

// TestNestedMemory is about a memory inside an agent.
func TestNestedMemory(t *testing.T) {
	m := aguitest.NewModel(aguitest.Text("AI: hi"))
	agent := agents.NewConversationalAgent(openaiModel(t, m, true), nil)
	executor := agents.NewExecutor(agent, agents.WithMemory(memory.NewConversationBuffer()))
	c := langchaingo.NewChain(executor, nil)
	s := ask(t.Context(), c, &chat.Request{Messages: []agui.Message{agui.UserMessage("u1"), agui.AssistantMessage("a1"), agui.UserMessage("u2")}})
	if s.err != nil || s.text != "hi" {
		t.Fatalf("%+v", s)
	}
	if got := m.Requests()[0].Outgoing[0].Content.Text(); !strings.Contains(got, "u2") {
		t.Errorf("the model was asked %q", got)
	}
}

// TestRetrieval is about a chain whose question step is not for the user, and
// an answer step that is.
func TestRetrieval(t *testing.T) {
	m := aguitest.NewModel(aguitest.Text("What is u2?"), aguitest.Text("It is ", "42."))
	chain := chains.NewConversationalRetrievalQAFromLLM(openaiModel(t, m, true), documents{}, memory.NewConversationBuffer(memory.WithReturnMessages(true), memory.WithInputKey("question"), memory.WithOutputKey("text"), memory.WithMemoryKey("chat_history")))
	events := converse(t, langchaingo.NewChain(chain, nil), agui.UserMessage("u1"), agui.AssistantMessage("a1"), agui.UserMessage("u2"))
	golden(t, "retrieval", events)
}

type documents struct{}

func (documents) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return []schema.Document{{PageContent: "The answer is 42."}}, nil
}

// TestHandlerStreams is about an agent of the user's own, whose stream goes to
// a handler.
func TestHandlerStreams(t *testing.T) {
	h := &langchaingo.Handler{}
	chain := chains.NewTransform(func(ctx context.Context, _ map[string]any, _ ...chains.ChainCallOption) (map[string]any, error) {
		for _, piece := range []string{"Cr\xc3", "\xa8", "", "me"} {
			h.HandleStreamingFunc(ctx, []byte(piece))
		}
		return map[string]any{"out": "Crème brûlée"}, nil
	}, []string{"in"}, []string{"out"})
	s := ask(t.Context(), langchaingo.NewChain(chain, nil), hello())
	compare(t, s, said{text: "Crème brûlée", finish: chat.FinishStop})
	h.HandleStreamingFunc(t.Context(), []byte("to nobody"))
}

// TestOutputBesideText is about an output that no model has said.
func TestOutputBesideText(t *testing.T) {
	for output, want := range map[string]string{
		"Hello":     "Hello",    // the same
		" Hello\n":  "Hello",    // but for space
		"Hello you": "Helloyou", // its rest, in a message of its own
		"Other":     "HelloOther",
		"":          "Hello",
	} {
		chain := chains.NewLLMChain(streaming(one(llms.ContentChoice{Content: "Hello"}), "Hel", "lo"), prompt("{{.x}}", "x"))
		c := langchaingo.NewChain(chain, &langchaingo.ChainOptions{Output: func(context.Context, map[string]any) (string, error) { return output, nil }})
		s := ask(t.Context(), c, hello())
		if s.err != nil || s.text != want {
			t.Errorf("with the output %q: %q, %v", output, s.text, s.err)
		}
	}
}

// log is a handler of the user's.
type log struct {
	callbacks.SimpleHandler
	lines []string
}

func (l *log) HandleChainStart(context.Context, map[string]any) { l.lines = append(l.lines, "start") }
func (l *log) HandleChainEnd(context.Context, map[string]any)   { l.lines = append(l.lines, "end") }

func TestChainInputs(t *testing.T) {
	two := chains.NewLLMChain(streaming(one(llms.ContentChoice{Content: "ok"})), prompt("{{.a}} {{.b}}", "a", "b"))
	single := chains.NewLLMChain(streaming(one(llms.ContentChoice{Content: "ok"})), prompt("{{.a}}", "a"))
	none := chains.NewLLMChain(streaming(one(llms.ContentChoice{Content: "ok"})), prompt("a"))
	mine := errors.New("mine")
	input := func(in map[string]any, err error) *langchaingo.ChainOptions {
		return &langchaingo.ChainOptions{Input: func(context.Context, *chat.Request) (map[string]any, error) { return in, err }}
	}
	for name, c := range map[string]struct {
		chain chains.Chain
		o     *langchaingo.ChainOptions
		req   *chat.Request
		err   string
	}{
		"one":      {chain: single, req: hello()},
		"none":     {chain: none, req: nil},
		"two":      {chain: two, req: hello(), err: `["a" "b"]`},
		"two made": {chain: two, req: hello(), o: input(map[string]any{"a": 1, "b": 2}, nil)},
		"missing":  {chain: two, req: hello(), o: input(map[string]any{"a": 1}, nil), err: "missing key"},
		"failing":  {chain: two, req: hello(), o: input(nil, mine), err: "mine"},
		"no user":  {chain: single, req: &chat.Request{Messages: []agui.Message{agui.SystemMessage("S")}}, err: "user message"},
		"a picture": {chain: single, req: &chat.Request{Messages: []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.Parts(image(pixel))}}},
			err: `message 0 ("m"): part 0`},
		"bad output": {chain: single, req: hello(), o: &langchaingo.ChainOptions{Output: func(context.Context, map[string]any) (string, error) { return "", mine }}, err: "mine"},
		"bad JSON": {chain: chains.NewTransform(func(context.Context, map[string]any, ...chains.ChainCallOption) (map[string]any, error) {
			return map[string]any{"out": func() {}}, nil
		}, nil, []string{"out"}), req: hello(), err: "the chain's output"},
		"a panic": {chain: chains.NewTransform(func(context.Context, map[string]any, ...chains.ChainCallOption) (map[string]any, error) {
			panic("ouch")
		}, nil, nil), req: hello(), err: "ouch"},
	} {
		t.Run(name, func(t *testing.T) {
			s := ask(t.Context(), langchaingo.NewChain(c.chain, c.o), c.req)
			if c.err == "" && (s.err != nil || s.text != "ok" || s.finish != chat.FinishStop) || c.err != "" && (s.err == nil || !strings.Contains(s.err.Error(), c.err)) {
				t.Errorf("%+v, want error %q", s, c.err)
			}
		})
	}
}

// TestChainsAtTheSameTime runs one client in many runs; it is for the race
// detector, too.
func TestChainsAtTheSameTime(t *testing.T) {
	echo := aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
		item := ""
		for _, m := range req.Messages {
			switch m.Role {
			case agui.RoleTool:
				return aguitest.Text("done"), nil
			case agui.RoleUser:
				if item == "" { // the state is told behind it
					item = m.Content.Text()
				}
			}
		}
		return aguitest.Call("c1", "larder", `{"__arg1":"`+item+`"}`), nil
	})
	const runs = 16
	turns := make([]aguitest.Turn, 2*runs)
	for i := range turns {
		turns[i] = echo
	}
	executor := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(openaiModel(t, aguitest.NewModel(turns...), true), []tools.Tool{larder{}}))
	c := state.Share[pantry]()(langchaingo.NewChain(executor, nil))
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			item := fmt.Sprint("item ", i)
			var last json.RawMessage
			for _, e := range converse(t, c, agui.UserMessage(item)) {
				if s, ok := e.(*agui.StateSnapshot); ok {
					last = s.Snapshot
				}
			}
			if want := `{"items":["` + item + `"]}`; string(last) != want {
				t.Errorf("run %d ends with %s, want %s", i, last, want)
			}
		})
	}
	wg.Wait()
}

// TestChainCancelled cancels an agent in its model and in its tool.
func TestChainCancelled(t *testing.T) {
	for name, turns := range map[string][]aguitest.Turn{
		"in the model": {aguitest.Text("a").Pause(nil)},
		"in the tool":  {aguitest.Call("c1", "waiting", `{"__arg1":"x"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			m := aguitest.NewModel(turns...)
			ctx, cancel := context.WithCancel(t.Context())
			tool := waiting{cancel}
			c := langchaingo.NewChain(agents.NewExecutor(agents.NewOpenAIFunctionsAgent(openaiModel(t, m, true), []tools.Tool{tool})), nil)
			var last error
			for u, err := range c.Stream(ctx, hello()) {
				last = err
				if err == nil && u.Text != "" {
					cancel()
				}
			}
			cancel()
			if !errors.Is(last, context.Canceled) {
				t.Errorf("the stream ended with %v", last)
			}
			if err := m.Idle(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

type waiting struct{ cancel func() }

func (waiting) Name() string        { return "waiting" }
func (waiting) Description() string { return "Waits." }
func (w waiting) Call(ctx context.Context, _ string) (string, error) {
	w.cancel()
	<-ctx.Done()
	return "", errors.New("stopped")
}

// TestApply runs a chain that calls models at the same time, with handlers of
// one name.
func TestApply(t *testing.T) {
	m := streaming(one(llms.ContentChoice{Content: "x"}), "x")
	inner := chains.NewLLMChain(m, prompt("{{.x}}", "x"), chains.WithCallback(&langchaingo.Handler{Name: "part"}))
	chain := chains.NewTransform(func(ctx context.Context, _ map[string]any, o ...chains.ChainCallOption) (map[string]any, error) {
		out, err := chains.Apply(ctx, inner, []map[string]any{{"x": "1"}, {"x": "2"}, {"x": "3"}}, 3, o...)
		return map[string]any{"out": fmt.Sprintf("%d parts", len(out))}, err
	}, []string{"in"}, []string{"out"})
	events := converse(t, langchaingo.NewChain(chain, &langchaingo.ChainOptions{Quiet: true}), agui.UserMessage("hello"))
	text, started, finished := "", map[string]int{}, map[string]int{}
	for _, e := range events {
		switch e := e.(type) {
		case *agui.TextMessageContent:
			text += e.Delta
		case *agui.StepStarted:
			started[e.StepName]++
		case *agui.StepFinished:
			finished[e.StepName]++
		}
	}
	total := 0
	for name, n := range started {
		total += n
		if finished[name] != n {
			t.Errorf("step %s started %d times and finished %d times", name, n, finished[name])
		}
	}
	if text != "3 parts" || total != 4 {
		t.Errorf("text %q, %d steps", text, total)
	}
}

// TestHandlerInATool tells a run that is not a chain's.
func TestHandlerInATool(t *testing.T) {
	h := &langchaingo.Handler{}
	calculator := tools.Calculator{CallbacksHandler: &langchaingo.Handler{Name: "calculator"}}
	chain := chains.NewTransform(func(ctx context.Context, in map[string]any, _ ...chains.ChainCallOption) (map[string]any, error) {
		h.HandleChainStart(ctx, in)
		h.HandleRetrieverStart(ctx, "q")
		h.HandleRetrieverEnd(ctx, "q", nil)
		out, err := calculator.Call(ctx, "6*7")
		h.HandleToolStart(ctx, "x")
		h.HandleToolError(ctx, errors.New("secret"))
		h.HandleLLMGenerateContentEnd(ctx, &llms.ContentResponse{Choices: one(llms.ContentChoice{GenerationInfo: map[string]any{"PromptTokens": 3}})})
		h.HandleLLMGenerateContentEnd(ctx, nil)
		h.HandleChainError(ctx, errors.New("secret"))
		h.HandleChainEnd(ctx, nil) // nothing is open: nothing is said
		return map[string]any{"out": out}, err
	}, []string{"in"}, []string{"out"})
	events := converse(t, langchaingo.NewChain(chain, nil), agui.UserMessage("hello"))
	golden(t, "handler", events)
	// In a run of another kind, and outside any.
	in := &agui.RunAgentInput{ThreadID: "t", RunID: "r"}
	ctx := chat.WithInput(t.Context(), in)
	seq := chat.Run(ctx, func(ctx context.Context) error {
		_, err := chains.Call(ctx, chain, map[string]any{"in": "x"})
		return err
	})
	names := ""
	for u, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range u.Events {
			names += string(e.Type()) + " "
		}
		for _, d := range u.ToolCalls {
			names += d.Name + " "
		}
		if u.ToolResult != nil {
			names += u.ToolResult.Content.Text() + " "
		}
	}
	if want := "STEP_STARTED STEP_STARTED STEP_FINISHED calculator 42 tool Error: the tool failed STEP_FINISHED "; names != want {
		t.Errorf("the run was told %q, want %q", names, want)
	}
	if _, err := chains.Call(t.Context(), chain, map[string]any{"in": "x"}); err != nil {
		t.Error(err)
	}
}

func TestTools(t *testing.T) {
	mine := errors.New("secret")
	tool := func(schema string, f func(args string) (string, error)) tools.Tool {
		return langchaingo.NewAgentTool(chat.Tool{Name: "f", Description: "D.", Parameters: json.RawMessage(schema), Invoke: func(_ context.Context, a json.RawMessage) (agui.Content, error) {
			s, err := f(string(a))
			return agui.Text(s), err
		}})
	}
	echo := func(args string) (string, error) { return args, nil }
	const text, many = `{"type":"object","properties":{"q":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`
	for name, c := range map[string]struct {
		tool        tools.Tool
		input, want string
	}{
		"an object":         {tool(many, echo), ` {"a":"x"} `, `{"a":"x"}`},
		"the one argument":  {tool(text, echo), `x "y"`, `{"q":"x \"y\""}`},
		"the one required":  {tool(`{"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`, echo), "x", `{"a":"x"}`},
		"no argument":       {tool("", echo), "whatever", "{}"},
		"not an object":     {tool(many, echo), "x", "Error: the arguments do not fit: the input must be a JSON object"},
		"a tool that fails": {tool(text, func(string) (string, error) { return "", mine }), "x", "Error: the tool failed"},
		"and says why":      {tool(text, func(string) (string, error) { return "", &chat.Error{Message: "No eggs.", Err: mine} }), "x", "Error: No eggs."},
		"a tool that ends":  {tool(text, func(string) (string, error) { return "over", chat.ErrEndLoop }), "x", "over"},
		"a tool that stops": {tool(text, func(string) (string, error) { panic("ouch") }), "x", "Error: the tool failed"},
	} {
		got, err := c.tool.Call(t.Context(), c.input)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	if d := tool(many, echo).Description(); !strings.Contains(d, many) {
		t.Errorf("the description %q has no schema", d)
	}
	if d := tool(text, echo).Description(); d != "D." || tool(text, echo).Name() != "f" {
		t.Errorf("description %q", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tool(text, func(string) (string, error) { return "", ctx.Err() }).Call(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}

	theirs := langchaingo.NewTool(tools.Calculator{})
	got, err := theirs.Invoke(t.Context(), json.RawMessage(`{"input":"6*7"}`))
	if err != nil || got.Text() != "42" || theirs.Name != "calculator" {
		t.Errorf("%q, %v", got.Text(), err)
	}
	for _, bad := range []string{`{}`, `{"input":7}`, `{"input":null}`} {
		var e *chat.ArgumentsError
		if _, err := theirs.Invoke(t.Context(), json.RawMessage(bad)); !errors.As(err, &e) {
			t.Errorf("arguments %s: error %v", bad, err)
		}
	}
}

func TestNilPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"New":          func() { langchaingo.New(nil, nil) },
		"NewModel":     func() { langchaingo.NewModel(nil) },
		"NewChain":     func() { langchaingo.NewChain(nil, nil) },
		"NewTool":      func() { langchaingo.NewTool(nil) },
		"NewAgentTool": func() { langchaingo.NewAgentTool(chat.Tool{Name: "f"}) },
		"asks a person": func() {
			langchaingo.NewAgentTool(chat.RequireApproval(langchaingo.NewTool(tools.Calculator{}), nil, 0))
		},
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.Contains(s, name) {
					t.Errorf("%s: the panic does not name it: %q", name, s)
				}
			}()
			f()
		}()
	}
}
