package docs

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

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
	if got := said(play(t, ours, wish("Hi", ""))); got != "Hello." {
		t.Errorf("it said %q", got)
	}
	if m, ok := chat.Find[*aguitest.Model](ours); !ok || m != model {
		t.Error("the model is not found through the layers")
	}
	// A run without messages calls no model and tells the state.
	in := wish("", `{"tasks":["a"],"done":1}`)
	in.Messages = nil
	events := play(t, ours, in)
	if !slices.ContainsFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeStateSnapshot }) || len(model.Requests()) != 1 {
		t.Errorf("%d events, the model was asked %d times", len(events), len(model.Requests()))
	}
}
