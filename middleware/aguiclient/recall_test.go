package aguiclient_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/chat"
)

// again asks a second time when the first answer fails.
type again struct{ chat.Delegating }

func (a again) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for u, err := range a.Client.Stream(ctx, req) {
			if err != nil {
				a.Client.Stream(ctx, req)(yield)
				return
			}
			if !yield(u, nil) {
				return
			}
		}
	}
}

// An agent is told an answer until one of its runs has finished with it, and
// not again when a tool of ours lets the run ask it once more.
func TestAnAnswerIsSentUntilItIsTaken(t *testing.T) {
	failed := []agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r"}, &agui.RunError{Message: "busy"}}
	calls := aRun(&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "here"}, &agui.ToolCallEnd{ToolCallID: "c"})
	replay := aguiclient.NewReplay(failed, calls, aRun())
	here := chat.NewTool("here", "Runs here.", func(context.Context, struct{}) (string, error) { return "done", nil })
	proxy := chat.NewBuilder(aguiclient.New(replay, nil)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{here}})).
		Use(func(next chat.Client) chat.Client { return again{chat.Delegating{Client: next}} }).
		Build()
	th := aguiclient.NewThread[any](aguiclient.Local(proxy, quiet), nil)
	must(t, aguiclient.Drain(th.Resume(t.Context(), agui.ResumeEntry{InterruptID: "i", Status: agui.ResumeResolved, Payload: []byte("1")})))
	var sent []int
	for _, in := range replay.Inputs() {
		sent = append(sent, len(in.Resume))
	}
	if got := fmt.Sprint(sent); got != "[1 1 0]" {
		t.Errorf("the answers that were sent are %s", got)
	}
	// Another run of ours is another matter.
	replay = aguiclient.NewReplay(aRun(), aRun())
	th = aguiclient.NewThread[any](aguiclient.Local(aguiclient.New(replay, nil), quiet), nil)
	for range 2 {
		must(t, aguiclient.Drain(th.Resume(t.Context(), agui.ResumeEntry{InterruptID: "i", Status: agui.ResumeCancelled})))
	}
	if a, b := replay.Inputs()[0].Resume, replay.Inputs()[1].Resume; len(a) != 1 || len(b) != 1 {
		t.Errorf("two runs were sent %v and %v", a, b)
	}
}
