package docs

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// [plan]

// Plan is a state that a model writes.
type Plan struct {
	Goal  string `json:"goal" jsonschema:"what is to be reached, in one sentence"`
	Steps []Step `json:"steps"`
}

type Step struct {
	Text   string `json:"text"`
	Effort string `json:"effort" enum:"small,large"`
}

// [end]

func planner(model chat.Client) chat.Client {
	// [generate]
	client := chat.NewBuilder(model).
		Use(state.Share[Plan]()).
		Use(state.Generate(state.Generation[Plan]{
			Instructions: "You keep a plan together with the user. Change only what the user wishes.",
			Retries:      1,
		})).
		Build()
	// [end]
	return client
}

func stepsOnly(model chat.Client) chat.Client {
	// [target]
	client := chat.NewBuilder(model).
		Use(state.Share[Plan]()).
		Use(state.Generate(state.Generation[Plan]{
			Target: "/steps", // the goal is the user's
			When: func(_ context.Context, in *agui.RunAgentInput) bool {
				last := in.Messages[len(in.Messages)-1]
				return strings.HasPrefix(last.Content.Text(), "Plan")
			},
			Order: state.After,
			Every: 200 * time.Millisecond, // a growing string goes out five times a second
			Say:   func(error) string { return "I could not work that out." },
		})).
		Build()
	// [end]
	return client
}

func predictor(model chat.Client) chat.Client {
	// [predict]
	writePlan := state.Tool("write_plan", "Writes the whole plan.", func(_ context.Context, p *Plan, in struct {
		Plan Plan `json:"plan"`
	}) (string, error) {
		*p = in.Plan
		return "written", nil
	})
	client := chat.NewBuilder(model).
		Use(state.Share[Plan]()).
		Use(state.Predict[Plan]("write_plan", state.Prediction[Plan]{Argument: "plan", Target: ""})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{writePlan}})).
		Build()
	// [end]
	return client
}

var planText = []string{
	`{"goal":"A tidy`, ` garden","steps":[{"text":"Rake the lea`, `ves","effort":"sm`, `all"},{"text":"Mow`, ` the lawn","effort":"large"}]}`,
}

const plan = `{"goal":"A tidy garden","steps":[{"text":"Rake the leaves","effort":"small"},{"text":"Mow the lawn","effort":"large"}]}`

func states(events []agui.Event) []agui.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e agui.Event) bool {
		return e.Type() != agui.TypeStateSnapshot && e.Type() != agui.TypeStateDelta
	})
}

func TestGenerate(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text(planText...), aguitest.Text("Two steps."))
	events := play(t, planner(model), wish("Plan my garden", ""))
	if said(events) != "Two steps." || len(states(events)) < 3 {
		t.Errorf("it said %q and sent %d states", said(events), len(states(events)))
	}
	told := model.Requests()[1].Outgoing
	if !strings.Contains(told[len(told)-1].Content.Text(), plan) {
		t.Errorf("the answer's model was told %s", told[len(told)-1].Content.Text())
	}
}

// TestGeneratedStateOnTheWire is the stream of the page on events: the model
// writes a piece each 100 ms.
func TestGeneratedStateOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writes := aguitest.Turn{}
		for _, piece := range planText {
			writes = writes.Text(piece).Func(func(context.Context, *chat.Request) (aguitest.Turn, error) {
				time.Sleep(100 * time.Millisecond)
				return aguitest.Turn{}, nil
			})
		}
		events := play(t, planner(aguitest.NewModel(writes, aguitest.Text("Two steps."))), wish("Plan my garden", `{"goal":"","steps":[]}`))
		aguitest.Golden(t, filepath.Join("testdata", "generated.jsonl"), events)
	})
}

func TestGenerateAPart(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("Yes."), aguitest.Text(`{"value":[{"text":"Rake`, ` the leaves","effort":"small"}]}`), aguitest.Text("Hello."))
	client := stepsOnly(model)
	events := play(t, client, wish("Plan my garden", `{"goal":"mine","steps":[]}`))
	if all := states(events); len(all) == 0 || said(events) != "Yes." || model.Left() != 1 {
		t.Errorf("%d states, it said %q, %d turns are left", len(all), said(events), model.Left())
	}
	for _, e := range states(events) {
		if s, ok := e.(*agui.StateSnapshot); ok && !strings.Contains(string(s.Snapshot), `"goal":"mine"`) {
			t.Errorf("the goal changed: %s", s.Snapshot)
		}
	}
	if events := play(t, client, wish("Hello", `{"goal":"mine","steps":[]}`)); len(states(events)) != 0 {
		t.Error("a state was generated that nobody asked for")
	}
}

func TestPredict(t *testing.T) {
	var arguments []string
	for i, piece := range planText {
		if i == 0 {
			piece = `{"plan":` + piece
		}
		if i == len(planText)-1 {
			piece += "}"
		}
		arguments = append(arguments, piece)
	}
	model := aguitest.NewModel(aguitest.Call("c1", "write_plan", arguments...), aguitest.Text("Two steps."))
	events := play(t, predictor(model), wish("Plan my garden", ""))
	started := slices.IndexFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeStateSnapshot })
	ended := slices.IndexFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeToolCallEnd })
	if started < 0 || started > ended || len(states(events)) < 2 {
		t.Errorf("the first state is event %d, the call ends with event %d, of %d states", started, ended, len(states(events)))
	}
	var p Plan
	if err := json.Unmarshal([]byte(plan), &p); err != nil {
		t.Fatal(err)
	}
	told := model.Requests()[1].Outgoing
	if !strings.Contains(told[len(told)-1].Content.Text(), plan) {
		t.Errorf("the second call was told %s", told[len(told)-1].Content.Text())
	}
}
