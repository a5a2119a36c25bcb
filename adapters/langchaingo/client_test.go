package langchaingo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"go.uber.org/goleak"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	// langchaingo's anthropic provider leaves a goroutine behind for each error
	// that comes inside a stream; behind HTTPClient it does not: see
	// TestNothingIsLeftBehind.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/tmc/langchaingo/llms/anthropic/internal/anthropicclient.parseStreamingMessageResponse.func1"))
}

func TestOpenAIClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(openaiModel(t, m, true), nil)
	})
}

func TestOpenAIClientWithoutTap(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(openaiModel(t, m, false), nil)
	}, aguitest.NoInterleaving)
}

func TestAnthropicClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(anthropicModel(t, m, true), nil)
	})
}

func TestAnthropicClientWithoutTap(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(anthropicModel(t, m, false), nil)
	}, aguitest.WholeCalls, aguitest.NoToolChoice)
}

func TestOllamaClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(ollamaModel(t, m, true), nil)
	}, aguitest.WholeCalls, aguitest.NoToolChoice)
}

// TestSameEventsAsOpenAI runs scripts through this adapter and the one for
// openai: but for ids the events are the same.
func TestSameEventsAsOpenAI(t *testing.T) {
	for name, turn := range map[string]aguitest.Turn{
		"text":      aguitest.Text("Hel", "", "lo, ", "naïve 🍮").Finish(chat.FinishStop).Usage(agui.TokenUsage{InputTokens: 3, OutputTokens: 2}),
		"reasoning": aguitest.Turn{}.Reasoning("hm", " hm").Text("Yes."),
		"calls":     aguitest.Text("Let me see.").Call("c1", "f", `{"q"`, `:1}`).Call("c2", "g", `{}`).Call("", "f"),
		"alternate": aguitest.Call("c1", "f").Call("c2", "g").Arguments(0, `{"q"`).Arguments(1, `{`).Arguments(0, `:1}`).Arguments(1, `}`),
		"length":    aguitest.Text("Once upon").Finish(chat.FinishLength),
		"cut":       aguitest.Text("Once upon").Cut(),
		"error":     aguitest.Text("Once upon").Fail(errors.New("the disk is full")),
		"refused":   aguitest.Fail(errors.New("the disk is full")),
		"again":     aguitest.Call("call_0", "f", "{}"),
	} {
		t.Run(name, func(t *testing.T) {
			history := []agui.Message{
				agui.UserMessage("hello"),
				{ID: "a", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "call_0", Name: "f", Arguments: "{}"}}},
				agui.ToolMessage("call_0", "done"), agui.UserMessage("again"),
			}
			lines := func(c chat.Client) []byte {
				withTools := func(next chat.Client) chat.Client {
					return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
						req = req.Clone()
						req.Tools = hello("f", "g").Tools
						return next.Stream(ctx, req)
					})
				}
				b, err := aguitest.Lines(converse(t, withTools(c), history...))
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			s := serve(t, aguitest.NewModel(turn), openaiProtocol)
			want := lines(openai.New("test-model", &openai.Options{BaseURL: s.URL, HTTPClient: httpClient(t, false), MaxRetries: -1}))
			got := lines(langchaingo.New(openaiModel(t, aguitest.NewModel(turn), true), nil))
			if !bytes.Equal(got, want) {
				t.Errorf("langchaingo:\n%s\nopenai:\n%s", got, want)
			}
		})
	}
}

// TestCancelAtEveryChunk cancels a run at each update, and breaks at each. The
// error is the context's, always: langchaingo itself returns success about
// half of the time.
func TestCancelAtEveryChunk(t *testing.T) {
	turn := aguitest.Text("a", "b", "c").Call("c1", "f", "{", "}").Finish(chat.FinishToolCalls).Usage(agui.TokenUsage{InputTokens: 1})
	for name, open := range map[string]func(testing.TB, *aguitest.Model, bool) llms.Model{
		"openai": openaiModel, "anthropic": anthropicModel, "ollama": ollamaModel,
	} {
		for _, tap := range []bool{true, false} {
			if name == "ollama" && !tap {
				continue // it sends no tools
			}
			t.Run(fmt.Sprintf("%s/tap=%v", name, tap), func(t *testing.T) {
				total := 0
				for range langchaingo.New(open(t, aguitest.NewModel(turn), tap), nil).Stream(t.Context(), hello("f")) {
					total++
				}
				if total < 4 {
					t.Fatalf("the script makes %d updates", total)
				}
				for at := range total - 1 {
					for range 5 {
						m := aguitest.NewModel(turn)
						c := langchaingo.New(open(t, m, tap), nil)
						ctx, cancel := context.WithCancel(t.Context())
						n := 0
						var last error
						for _, err := range c.Stream(ctx, hello("f")) {
							if n == at {
								cancel()
							}
							n++
							last = err
						}
						cancel()
						if !errors.Is(last, context.Canceled) {
							t.Fatalf("cancelled at update %d, the stream ended with %v", at, last)
						}
						if err := m.Idle(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// TestNothingIsLeftBehind looks for goroutines after streams that ended badly
// behind the tap.
func TestNothingIsLeftBehind(t *testing.T) {
	for name, open := range map[string]func(testing.TB, *aguitest.Model, bool) llms.Model{
		"openai": openaiModel, "anthropic": anthropicModel, "ollama": ollamaModel,
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Run("run", func(t *testing.T) {
				for range 10 {
					for _, turn := range []aguitest.Turn{
						aguitest.Text("a").Fail(errors.New("gone")), aguitest.Text("a").Cut(), aguitest.Text("a", "b", "c"), aguitest.Fail(errors.New("gone")),
					} {
						for range langchaingo.New(open(t, aguitest.NewModel(turn), true), nil).Stream(t.Context(), hello()) {
							break
						}
						ask(t.Context(), langchaingo.New(open(t, aguitest.NewModel(turn), true), nil), hello())
					}
				}
			})
			goleak.VerifyNone(t, before)
		})
	}
}
