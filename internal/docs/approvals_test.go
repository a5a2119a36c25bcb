package docs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// [approval]

var clearBoard = chat.RequireApproval(
	state.Tool("clear_board", "Removes every task. The user is asked before it runs.", func(_ context.Context, b *Board, in struct {
		Keep int `json:"keep" jsonschema:"how many of the newest tasks stay"`
	}) (string, error) {
		b.Tasks = b.Tasks[max(0, len(b.Tasks)-max(0, in.Keep)):]
		return "cleared", nil
	}),
	func(call agui.ToolCall) string { return "Remove all tasks from the board?" },
	time.Hour)

// [end]

// [question]

type Color struct {
	Color string `json:"color" enum:"red,green,blue"`
}

var askColor = chat.NewQuestion[struct {
	Of string `json:"of"`
}, Color]("ask_color", "Asks the user which color something gets.", func(in struct {
	Of string `json:"of"`
}) string {
	return "Which color for " + in.Of + "?"
})

// [end]

// [key]

// keyFrom reads the key that all replicas share: 32 random bytes, as base64.
// (head -c 32 /dev/urandom | base64)
func keyFrom(env string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(env)
	if err != nil {
		return nil, fmt.Errorf("the key is not base64: %w", err)
	}
	if len(key) < 32 {
		return nil, errors.New("the key is shorter than 32 bytes")
	}
	return key, nil
}

// approving builds the chain. Claims may be nil: an answer that a client sends
// twice then counts twice.
func approving(model chat.Client, key []byte, claims chat.ResumeStore) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{
			Tools:  []chat.Tool{addTask, clearBoard, askColor},
			Key:    key,
			Claims: claims,
		})).
		Build()
}

// [end]

func TestApprovalOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the time in the question's id
		key, err := keyFrom("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
		if err != nil {
			t.Fatal(err)
		}
		first := play(t, approving(aguitest.NewModel(aguitest.Text("I will ask.").Call("c1", "clear_board", `{"keep":0}`)), key, nil), wish("Clear the board", `{"tasks":["a","b"],"done":0}`))
		aguitest.Golden(t, filepath.Join("testdata", "approval-asked.jsonl"), first)

		next := wish("", `{"tasks":["a","b"],"done":0}`)
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
		second := play(t, approving(aguitest.NewModel(aguitest.Text("It is almost empty.")), key, nil), next)
		aguitest.Golden(t, filepath.Join("testdata", "approval-answered.jsonl"), second)
	})
}

func TestQuestion(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	first := play(t, approving(aguitest.NewModel(aguitest.Call("c1", "ask_color", `{"of":"the wall"}`)), key, nil), wish("Paint", `{}`))
	finished, ok := first[len(first)-1].(*agui.RunFinished)
	if !ok || finished.Outcome == nil || len(finished.Outcome.Interrupts) != 1 || finished.Outcome.Interrupts[0].Message != "Which color for the wall?" {
		t.Fatalf("ended in %+v", first[len(first)-1])
	}
	next := wish("", `{}`)
	for _, e := range first {
		if s, ok := e.(*agui.MessagesSnapshot); ok {
			next.Messages = s.Messages
		}
	}
	next.Resume = []agui.ResumeEntry{{InterruptID: finished.Outcome.Interrupts[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"color":"red"}`)}}
	model := aguitest.NewModel(aguitest.Text("Red it is."))
	if got := said(play(t, approving(model, key, nil), next)); got != "Red it is." {
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
