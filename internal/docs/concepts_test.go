package docs

import (
	"context"
	"iter"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

// Board is the state of the page.
type Board struct {
	Tasks []string `json:"tasks"`
	Done  int      `json:"done"`
}

type Task struct {
	Title string `json:"title"`
}

var addTask = state.Tool("add_task", "Adds a task to the board.", func(_ context.Context, b *Board, in Task) (string, error) {
	b.Tasks = append(b.Tasks, in.Title)
	return "added", nil
})

// The interface as the page shows it; the one of package chat is assigned to
// it below, and it to that.

// [client]

type Client interface {
	Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error]
}

// [end]

func stack(model chat.Client) chat.Client {
	// [chain]
	invoke := chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTask}})
	client := chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(invoke).
		Build() // Share around invoke around the model
	// [end]
	return client
}

func TestStack(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("Hello."))
	var theirs Client = stack(model)
	var ours chat.Client = theirs
	if got := try.Said(try.Play(t, ours, try.Wish("Hi", ""))); got != "Hello." {
		t.Errorf("it said %q", got)
	}
	if m, ok := chat.Find[*aguitest.Model](ours); !ok || m != model {
		t.Error("the model is not found through the layers")
	}
	// A run without messages calls no model and tells the state.
	in := try.Wish("", `{"tasks":["a"],"done":1}`)
	in.Messages = nil
	events := try.Play(t, ours, in)
	if !slices.ContainsFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeStateSnapshot }) || len(model.Requests()) != 1 {
		t.Errorf("%d events, the model was asked %d times", len(events), len(model.Requests()))
	}
}
