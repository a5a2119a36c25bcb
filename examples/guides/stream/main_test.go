package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

var planText = []string{
	`{"goal":"A tidy`, ` garden","steps":[{"text":"Rake the lea`, `ves","effort":"sm`, `all"},{"text":"Mow`, ` the lawn","effort":"large"}]}`,
}

const plan = `{"goal":"A tidy garden","steps":[{"text":"Rake the leaves","effort":"small"},{"text":"Mow the lawn","effort":"large"}]}`

func TestGenerate(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text(planText...), aguitest.Text("Two steps."))
	events := try.Play(t, planner(model), try.Wish("Plan my garden", ""))
	if try.Said(events) != "Two steps." || len(try.States(events)) < 3 {
		t.Errorf("it said %q and sent %d states", try.Said(events), len(try.States(events)))
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
		events := try.Play(t, planner(aguitest.NewModel(writes, aguitest.Text("Two steps."))), try.Wish("Plan my garden", `{"goal":"","steps":[]}`))
		aguitest.Golden(t, filepath.Join("testdata", "generated.jsonl"), events)
	})
}

func TestGenerateAPart(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("Yes."), aguitest.Text(`{"value":[{"text":"Rake`, ` the leaves","effort":"small"}]}`), aguitest.Text("Hello."))
	client := stepsOnly(model)
	events := try.Play(t, client, try.Wish("Plan my garden", `{"goal":"mine","steps":[]}`))
	if all := try.States(events); len(all) == 0 || try.Said(events) != "Yes." || model.Left() != 1 {
		t.Errorf("%d states, it said %q, %d turns are left", len(all), try.Said(events), model.Left())
	}
	for _, e := range try.States(events) {
		if s, ok := e.(*agui.StateSnapshot); ok && !strings.Contains(string(s.Snapshot), `"goal":"mine"`) {
			t.Errorf("the goal changed: %s", s.Snapshot)
		}
	}
	if events := try.Play(t, client, try.Wish("Hello", `{"goal":"mine","steps":[]}`)); len(try.States(events)) != 0 {
		t.Error("a state was generated that nobody asked for")
	}
	answers := try.Wish("", `{"goal":"mine","steps":[]}`)
	answers.Messages, answers.Resume = nil, []agui.ResumeEntry{{InterruptID: "i", Status: agui.ResumeCancelled}}
	events = slices.Collect(chat.Events(t.Context(), client, answers, &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}))
	if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != chat.CodeInterruptUnknown {
		t.Errorf("answers to nothing are ended by %+v", events[len(events)-1])
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
	events := try.Play(t, predictor(model), try.Wish("Plan my garden", ""))
	started := slices.IndexFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeStateSnapshot })
	ended := slices.IndexFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeToolCallEnd })
	if started < 0 || started > ended || len(try.States(events)) < 2 {
		t.Errorf("the first state is event %d, the call ends with event %d, of %d states", started, ended, len(try.States(events)))
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

// TestAnswers are the streams of the page: what curl shows.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		chain func(chat.Client) chat.Client
		said  string
	}{
		"plan":    {planner, `Plan {"goal": "A tidy garden in spring", "steps": [{"text": "Rake all the leaves", "effort": "small"}]}`},
		"steps":   {stepsOnly, `Plan {"value": [{"text": "Rake all the leaves", "effort": "small"}]}`},
		"predict": {predictor, `write_plan {"plan": {"goal": "A tidy garden in spring", "steps": []}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the parrot is slow
				model := &parrot.Model{Pace: 100 * time.Millisecond}
				aguitest.Golden(t, filepath.Join("testdata", name+".jsonl"), try.Play(t, c.chain(model), try.Wish(c.said, `{"goal":"","steps":[]}`)))
			})
		})
	}
}
