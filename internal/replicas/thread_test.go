package replicas

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// device is a client process: it shares nothing with another but what is
// stored.
func device(t *testing.T, server *aguitest.Server, stored []byte) *aguiclient.Thread[Board] {
	t.Helper()
	var thread *aguiclient.Thread[Board]
	sort := chat.NewTool("sort_board", "Sorts the tasks.", func(context.Context, struct{}) (string, error) {
		return "sorted", thread.UpdateState(func(b *Board) error {
			slices.Sort(b.Tasks)
			return nil
		})
	})
	thread = aguiclient.NewThread[Board](aguiclient.HTTP(aguitest.URL+"/agent", &aguiclient.HTTPOptions{Client: server.Client()}), &aguiclient.ThreadOptions{Tools: []chat.Tool{sort}})
	if stored != nil {
		var h aguiclient.History
		if err := json.Unmarshal(stored, &h); err != nil {
			t.Fatal(err)
		}
		if err := thread.Restore(&h); err != nil {
			t.Fatal(err)
		}
	}
	return thread
}

func store(t *testing.T, thread *aguiclient.Thread[Board]) []byte {
	t.Helper()
	stored, err := json.Marshal(thread.History())
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// Neither side needs a memory of its own: a thread that is left between a call
// and its tool, and while a question is open, goes on from its store in another
// process, at another replica.
func TestAThreadGoesOnElsewhere(t *testing.T) {
	a, b := newReplica(t, "a", key, nil), newReplica(t, "b", key, nil)
	server := balance(t, a, b)
	a.model.Add(aguitest.Call("c1", "add_task", `{"title":"buy milk"}`), aguitest.Call("c2", "add_task", `{"title":"air the room"}`), aguitest.Call("c3", "sort_board"))
	phone := device(t, server, nil)
	for c, err := range phone.Send(t.Context(), agui.UserMessage("Add two and sort")) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Event.Type() == agui.TypeRunFinished {
			break // the process is gone before its tool has run
		}
	}
	b.model.Add(aguitest.Call("c4", "clear_board"))
	laptop := device(t, server, store(t, phone))
	if err := aguiclient.Drain(laptop.Send(t.Context(), agui.UserMessage("And clear it"))); err != nil {
		t.Fatal(err)
	}
	asked := laptop.Interrupts()
	if board, err := laptop.State(); err != nil || !slices.Equal(board.Tasks, []string{"air the room", "buy milk"}) || len(asked) != 1 {
		t.Fatalf("the board is %+v, %v, asked %+v", board, err, asked)
	}
	a.model.Add(aguitest.Text("It is empty."))
	tablet := device(t, server, store(t, laptop))
	if err := aguiclient.Drain(tablet.Resume(t.Context(), approve(asked[0]))); err != nil {
		t.Fatal(err)
	}
	if board, err := tablet.State(); err != nil || len(board.Tasks) > 0 || tablet.ID() != phone.ID() {
		t.Errorf("the board is %+v, %v", board, err)
	}
	if a.runs.Load() != 2 || b.runs.Load() != 1 || a.clearedTimes() != 1 {
		t.Errorf("a took %d runs, b %d, cleared %d times", a.runs.Load(), b.runs.Load(), a.clearedTimes())
	}
}
