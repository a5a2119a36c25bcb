package main

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	slog.SetDefault(slog.New(slog.DiscardHandler)) // tools fail here on purpose
	goleak.VerifyTestMain(m)
}

func TestTools(t *testing.T) {
	model := aguitest.NewModel(
		aguitest.Call("c1", "add_task", `{"title":"buy milk"}`).Call("c2", "import_tasks", `{"list":["a rather long title, so that a patch is shorter","b"]}`),
		aguitest.Call("c3", "finish_task", `{"title":"nothing"}`),
		aguitest.Call("c4", "finish_task", `{"title":"b"}`),
		aguitest.Text("Done."),
	)
	events := try.Play(t, newBoard(model), try.Wish("Go on", `{"tasks":[],"done":0,"theme":"dark"}`))
	try.Expect(t, try.Only(events, agui.TypeStateSnapshot, agui.TypeStateDelta, agui.TypeToolCallResult), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["buy milk"],"done":0,"theme":"dark"}}
{"type":"TOOL_CALL_RESULT","messageId":"id-1","toolCallId":"c1","content":"added","role":"tool"}
{"type":"STATE_DELTA","delta":[{"op":"add","path":"/tasks/1","value":"a rather long title, so that a patch is shorter"}]}
{"type":"STATE_DELTA","delta":[{"op":"add","path":"/tasks/2","value":"b"}]}
{"type":"TOOL_CALL_RESULT","messageId":"id-2","toolCallId":"c2","content":"3 tasks are on the board","role":"tool"}
{"type":"TOOL_CALL_RESULT","messageId":"id-3","toolCallId":"c3","content":"Error: There is no task \"nothing\".","role":"tool"}
{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/tasks/2"},{"op":"replace","path":"/done","value":1}]}
{"type":"TOOL_CALL_RESULT","messageId":"id-4","toolCallId":"c4","content":"finished","role":"tool"}
`)
	for _, r := range model.Requests() {
		if last := r.Outgoing[len(r.Outgoing)-1].Content.Text(); strings.Contains(last, "theme") || !strings.Contains(last, `"tasks"`) {
			t.Errorf("the model is told %s", last)
		}
	}
}

func TestTheBoardsLimits(t *testing.T) {
	full, err := json.Marshal(Board{Tasks: make([]string, 100)})
	if err != nil {
		t.Fatal(err)
	}
	events := try.Play(t, newBoard(aguitest.NewModel(aguitest.Call("c1", "add_task", `{"title":"one more"}`), aguitest.Text("It is full."))), try.Wish("Add", string(full)))
	for _, e := range events {
		if r, ok := e.(*agui.ToolCallResult); ok && !strings.Contains(r.Content.Text(), "The board is full") {
			t.Errorf("the model is told %q", r.Content.Text())
		}
		if e.Type() == agui.TypeStateSnapshot {
			t.Error("a refused change was sent")
		}
	}
	events = try.Play(t, newBoard(aguitest.NewModel()), try.Wish("Add", `{"tasks":"none"}`))
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeSerialization || !strings.Contains(last.Message, "/tasks") {
		t.Errorf("a state that does not fit ended in %+v", events[len(events)-1])
	}
}

func TestResultBecomesState(t *testing.T) {
	model := aguitest.NewModel(aguitest.Call("c1", "get_weather", `{"city":"Oslo"}`), aguitest.Text("Mild."))
	events := try.Play(t, newBoard(model), try.Wish("Weather?", `{"tasks":[],"done":0}`))
	try.Expect(t, try.States(events), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":[],"done":0,"weather":{"city":"Oslo","degrees":21}}}`+"\n")
}

// TestAnswer is the stream of the page: what curl shows.
func TestAnswer(t *testing.T) {
	in := try.Wish(`import_tasks {"list":["buy milk for the pancakes","call home"]}`, `{"tasks":[],"done":0,"theme":"dark"}`)
	aguitest.Golden(t, filepath.Join("testdata", "answer.jsonl"), try.Play(t, newBoard(parrot.New()), in))
}

func TestOutside(t *testing.T) {
	var events []agui.Event
	err := outside(json.RawMessage(`{"tasks":["a","b"],"done":1}`), func(e agui.Event) error { events = append(events, e); return nil })
	if err != nil {
		t.Fatal(err)
	}
	try.Expect(t, events, `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["a","b"],"done":2}}
{"type":"STATE_SNAPSHOT","snapshot":{"tasks":[],"done":2}}
`)
	gone := errors.New("gone")
	if err := outside(nil, func(agui.Event) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("a client that is gone: %v", err)
	}
}
