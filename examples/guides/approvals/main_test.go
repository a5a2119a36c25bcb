package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

func TestApprovalOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the time in the question's id
		key, err := keyFrom("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
		if err != nil {
			t.Fatal(err)
		}
		first := try.Play(t, newBoard(aguitest.NewModel(aguitest.Text("I will ask.").Call("c1", "clear_board", `{"keep":0}`)), key, nil), try.Wish("Clear the board", `{"tasks":["a","b"]}`))
		aguitest.Golden(t, filepath.Join("testdata", "approval-asked.jsonl"), first)

		next := try.Wish("", `{"tasks":["a","b"]}`)
		next.RunID = "run-2"
		for _, e := range first {
			switch e := e.(type) {
			case *agui.MessagesSnapshot:
				next.Messages = e.Messages
			case *agui.RunFinished:
				for _, i := range e.Outcome.Interrupts {
					next.Resume = append(next.Resume, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true,"arguments":{"keep":1}}`)})
				}
			}
		}
		second := try.Play(t, newBoard(aguitest.NewModel(aguitest.Text("It is almost empty.")), key, nil), next)
		aguitest.Golden(t, filepath.Join("testdata", "approval-answered.jsonl"), second)
	})
}

func TestQuestion(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	first := try.Play(t, newBoard(aguitest.NewModel(aguitest.Call("c1", "ask_color", `{"of":"the wall"}`)), key, nil), try.Wish("Paint", `{}`))
	finished, ok := first[len(first)-1].(*agui.RunFinished)
	if !ok || finished.Outcome == nil || len(finished.Outcome.Interrupts) != 1 || finished.Outcome.Interrupts[0].Message != "Which color for the wall?" {
		t.Fatalf("ended in %+v", first[len(first)-1])
	}
	next := try.Wish("", `{}`)
	for _, e := range first {
		if s, ok := e.(*agui.MessagesSnapshot); ok {
			next.Messages = s.Messages
		}
	}
	next.Resume = []agui.ResumeEntry{{InterruptID: finished.Outcome.Interrupts[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"color":"red"}`)}}
	model := aguitest.NewModel(aguitest.Text("Red it is."))
	if got := try.Said(try.Play(t, newBoard(model, key, nil), next)); got != "Red it is." {
		t.Errorf("it said %q", got)
	}
}

func TestKeys(t *testing.T) {
	for env, want := range map[string]string{"%": "not base64", "c2hvcnQ=": "shorter"} {
		if _, err := keyFrom(env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", env, err)
		}
	}
}

// TestHistoryByHand: the answer is taken with the history that the page's curl
// sends, whose ids are its own.
func TestHistoryByHand(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	first := try.Play(t, newBoard(parrot.New(), key, nil), try.Wish(`clear_board {"keep":1}`, `{"tasks":["a","b"]}`))
	finished, ok := first[len(first)-1].(*agui.RunFinished)
	if !ok || finished.Outcome == nil || len(finished.Outcome.Interrupts) != 1 {
		t.Fatalf("ended in %+v", first[len(first)-1])
	}
	next := try.Wish(`clear_board {"keep":1}`, `{"tasks":["a","b"]}`)
	next.Messages = append(next.Messages, agui.Message{ID: "a1", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "call", Name: "clear_board", Arguments: `{"keep":1}`}}})
	next.Resume = []agui.ResumeEntry{{InterruptID: finished.Outcome.Interrupts[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)}}
	second := try.Play(t, newBoard(parrot.New(), key, nil), next)
	try.Expect(t, try.States(second), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["b"]}}`+"\n")
	if got := try.Said(second); got != "The tool says: cleared." {
		t.Errorf("it said %q", got)
	}
}
