package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agent is an agent with a tool of its own; its board has more than this
// client knows.
func agent() aguiclient.Transport { return agentOf(parrot.New()) }

func agentOf(model chat.Client) aguiclient.Transport {
	type board struct {
		Tasks []string `json:"tasks"`
		Count int      `json:"count"`
	}
	type task struct {
		Title string `json:"title"`
	}
	add := state.Tool("add_task", "Adds a task.", func(_ context.Context, b *board, in task) (string, error) {
		b.Tasks = append(b.Tasks, in.Title)
		b.Count++
		return "added", nil
	})
	return aguiclient.Local(chat.NewBuilder(model).
		Use(state.Share[board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}})).
		Build(), try.Quiet)
}

func TestTalking(t *testing.T) {
	path := filepath.Join(t.TempDir(), "thread.json")
	var out strings.Builder
	for _, text := range []string{`add_task {"title":"buy milk"}`, `add_task {"title":"call home"}`, "clear_board", "thank you"} {
		// A new process each time.
		thread := open(agent())
		if err := load(thread, path); err != nil {
			t.Fatal(err)
		}
		if err := say(t.Context(), &out, thread, text); err != nil {
			t.Fatal(err)
		}
		if err := save(thread, path); err != nil {
			t.Fatal(err)
		}
		if text == "thank you" && string(thread.Document()) != `{"tasks":[],"count":2}` {
			t.Errorf("the document is %s", thread.Document())
		}
	}
	want := `[the board: ["buy milk"]] The tool says: added.
[the board: ["buy milk" "call home"]] The tool says: added.
[the board: []] The tool says: cleared.
You said: thank you
`
	if got := strings.TrimSpace(out.String()); got != strings.TrimSpace(want) {
		t.Errorf("shown\n%s\nwant\n%s", got, want)
	}
}

func TestWhatCannotBeLoaded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "thread.json")
	for _, text := range []string{"{", `{"messages":5}`, `{"state":{"a":1}} more`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := load(open(agent()), path); err == nil {
			t.Errorf("%s is loaded", text)
		}
	}
}

func TestAsking(t *testing.T) {
	said, doc, err := ask(t.Context(), aguiclient.New(agent(), nil), []byte(`{"tasks":["call home"],"theme":"dark"}`), `add_task {"title":"buy milk"}`)
	if err != nil || said != "The tool says: added." || string(doc) != `{"tasks":["call home","buy milk"],"theme":"dark","count":1}` {
		t.Errorf("%q, %s, %v", said, doc, err)
	}
}

// The tools of both sides change one state, and neither's changes are lost.
func TestTwoSidesChangeTheState(t *testing.T) {
	note := state.Tool("add_note", "Adds a note.", func(_ context.Context, b *Board, _ struct{}) (string, error) {
		b.Tasks = append(b.Tasks, "a note")
		return "noted", nil
	})
	model := aguitest.NewModel(
		aguitest.Call("c1", "add_note"), aguitest.Call("c2", "add_task", `{"title":"buy milk"}`),
		aguitest.Call("c3", "add_note"), aguitest.Text("Done."),
	)
	thread := aguiclient.NewThread[Board](aguiclient.Local(behind(agentOf(model), note), try.Quiet), &aguiclient.ThreadOptions{State: []byte(`{"theme":"dark"}`)})
	for c, err := range thread.Send(t.Context(), agui.UserMessage("go")) {
		if err != nil || c.Err != nil {
			t.Fatal(err, c)
		}
	}
	if got := string(thread.Document()); got != `{"theme":"dark","tasks":["a note","buy milk","a note"],"count":1}` {
		t.Errorf("the document is %s", got)
	}
	for _, r := range model.Requests() {
		if n := strings.Count(fmt.Sprint(r), `"theme"`); n > 1 {
			t.Errorf("the model is told the state %d times", n)
		}
	}
}
