package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// [update]

var addTask = chat.NewTool("add_task", "Adds a task to the board.", func(ctx context.Context, in Task) (string, error) {
	err := state.Update(ctx, func(b *Board) error {
		b.Tasks = append(b.Tasks, in.Title)
		return nil
	})
	return "added", err
})

// [end]

// [tool]

var finishTask = state.Tool("finish_task", "Takes a finished task from the board.", func(_ context.Context, b *Board, in Task) (string, error) {
	i := slices.Index(b.Tasks, in.Title)
	if i < 0 {
		return "", &chat.Error{Code: chat.CodeAgent, Message: fmt.Sprintf("There is no task %q.", in.Title)}
	}
	b.Tasks = slices.Delete(b.Tasks, i, i+1)
	b.Done++
	return "finished", nil
})

// [end]

// [session]

// importTasks shows each task as it comes in, and counts them at the end.
var importTasks = chat.NewTool("import_tasks", "Imports the tasks of a list.", func(ctx context.Context, in struct {
	List []string `json:"list" jsonschema:"the titles"`
}) (string, error) {
	board, err := state.Of[Board](ctx)
	if err != nil {
		return "", err
	}
	for _, title := range in.List {
		err := board.Update(func(b *Board) error { b.Tasks = append(b.Tasks, title); return nil }) // goes out at once
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d tasks are on the board", len(board.State().Tasks)), nil
})

// [end]

// [fromresult]

// weather knows nothing of a state: it returns JSON.
var weather = chat.NewTool("get_weather", "The weather in a city.", func(_ context.Context, in struct {
	City string `json:"city"`
}) (map[string]any, error) {
	return map[string]any{"city": in.City, "degrees": 21}, nil
})

// Its result becomes a member of the state.
var shownWeather = state.FromResult(weather, state.At("/weather"))

// [end]

func board(model chat.Client) chat.Client {
	// [chain]
	client := chat.NewBuilder(model).
		Use(state.Share[Board](
			state.Default(Board{Tasks: []string{"look around"}}),
			state.MaxBytes(64<<10),
			state.Hide("/theme"),
			state.Validate(func(b Board) error {
				if len(b.Tasks) > 100 {
					return &chat.Error{Code: "TOO_MANY", Message: "The board is full: a hundred tasks are enough."}
				}
				return nil
			}),
		)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTask, finishTask, importTasks}})).
		Build()
	// [end]
	return client
}

func TestTools(t *testing.T) {
	model := aguitest.NewModel(
		aguitest.Call("c1", "add_task", `{"title":"buy milk"}`).Call("c2", "import_tasks", `{"list":["a rather long title, so that a patch is shorter","b"]}`),
		aguitest.Call("c3", "finish_task", `{"title":"nothing"}`),
		aguitest.Call("c4", "finish_task", `{"title":"b"}`),
		aguitest.Text("Done."),
	)
	events := play(t, board(model), wish("Go on", `{"tasks":[],"done":0,"theme":"dark"}`))
	expect(t, slices.DeleteFunc(slices.Clone(events), func(e agui.Event) bool {
		return e.Type() != agui.TypeStateSnapshot && e.Type() != agui.TypeStateDelta && e.Type() != agui.TypeToolCallResult
	}), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["buy milk"],"done":0,"theme":"dark"}}
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
	events := play(t, board(aguitest.NewModel(aguitest.Call("c1", "add_task", `{"title":"one more"}`), aguitest.Text("It is full."))), wish("Add", string(full)))
	for _, e := range events {
		if r, ok := e.(*agui.ToolCallResult); ok && !strings.Contains(r.Content.Text(), "The board is full") {
			t.Errorf("the model is told %q", r.Content.Text())
		}
		if e.Type() == agui.TypeStateSnapshot {
			t.Error("a refused change was sent")
		}
	}
	events = play(t, board(aguitest.NewModel()), wish("Add", `{"tasks":"none"}`))
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeSerialization || !strings.Contains(last.Message, "/tasks") {
		t.Errorf("a state that does not fit ended in %+v", events[len(events)-1])
	}
}

func TestResultBecomesState(t *testing.T) {
	model := aguitest.NewModel(aguitest.Call("c1", "get_weather", `{"city":"Oslo"}`), aguitest.Text("Mild."))
	events := play(t, chat.NewBuilder(model).Use(state.Share[map[string]any]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{shownWeather}})).Build(), wish("Weather?", `{"unit":"C"}`))
	i := slices.IndexFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeStateSnapshot })
	if i < 0 {
		t.Fatal("no snapshot")
	}
	expect(t, events[i:i+1], `{"type":"STATE_SNAPSHOT","snapshot":{"unit":"C","weather":{"city":"Oslo","degrees":21}}}`+"\n")
}

// [outside]

// outside keeps a document in step with a client over any other connection.
func outside(doc json.RawMessage, send func(agui.Event) error) error {
	s, err := state.NewSession[Board](doc, send)
	if err != nil {
		return err
	}
	if err := s.Update(func(b *Board) error { b.Done++; return nil }); err != nil {
		return err
	}
	s.Edit(func(b *Board) { b.Tasks = nil }) // sends nothing
	return s.Publish()
}

// [end]

func TestOutside(t *testing.T) {
	var events []agui.Event
	err := outside(json.RawMessage(`{"tasks":["a","b"],"done":1}`), func(e agui.Event) error { events = append(events, e); return nil })
	if err != nil {
		t.Fatal(err)
	}
	expect(t, events, `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["a","b"],"done":2}}
{"type":"STATE_SNAPSHOT","snapshot":{"tasks":[],"done":2}}
`)
	gone := errors.New("gone")
	if err := outside(nil, func(agui.Event) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("a client that is gone: %v", err)
	}
}
