// Command client talks to the agent of the first program of the documentation,
// and shows the state that they share.

// [imports]

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Board is what this client knows of the state.
type Board struct {
	Tasks []string `json:"tasks"`
}

// [end]

// [open]

// open begins a conversation with an agent, and offers it a tool of this side.
func open(agent aguiclient.Transport) *aguiclient.Thread[Board] {
	var thread *aguiclient.Thread[Board]
	clear := chat.NewTool("clear_board", "Removes every task.", func(context.Context, struct{}) (string, error) {
		return "cleared", thread.UpdateState(func(b *Board) error {
			b.Tasks = []string{}
			return nil
		})
	})
	thread = aguiclient.NewThread[Board](agent, &aguiclient.ThreadOptions{Tools: []chat.Tool{clear}})
	return thread
}

// [end]

// [say]

// say sends a message, and shows what comes of it while it comes.
func say(ctx context.Context, out io.Writer, thread *aguiclient.Thread[Board], text string) error {
	for change, err := range thread.Send(ctx, agui.UserMessage(text)) {
		if err != nil {
			return err
		}
		if piece, ok := change.Event.(*agui.TextMessageContent); ok {
			fmt.Fprint(out, piece.Delta)
		}
		if change.State() {
			board, err := thread.State()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "[the board: %q] ", board.Tasks)
		}
	}
	fmt.Fprintln(out)
	return nil
}

// [end]

// [store]

// save keeps a conversation in a file.
func save(thread *aguiclient.Thread[Board], path string) error {
	data, err := json.Marshal(thread.History())
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// load goes on with one, if there is one.
func load(thread *aguiclient.Thread[Board], path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var history aguiclient.History
	if err := json.Unmarshal(data, &history); err != nil {
		return err
	}
	return thread.Restore(&history)
}

// [end]

// [main]

func main() {
	thread := open(aguiclient.HTTP("http://127.0.0.1:8080/agent", nil))
	if err := load(thread, "thread.json"); err != nil {
		log.Fatal(err)
	}
	for _, text := range os.Args[1:] {
		if err := say(context.Background(), os.Stdout, thread, text); err != nil {
			log.Fatal(err)
		}
	}
	if err := save(thread, "thread.json"); err != nil {
		log.Fatal(err)
	}
}

// [end]

// [ask]

// ask asks an agent once, as a chat client. It sends a document, and returns
// the answer and what the document has become.
func ask(ctx context.Context, agent chat.Client, doc json.RawMessage, text string) (string, json.RawMessage, error) {
	ctx = chat.WithInput(ctx, &agui.RunAgentInput{State: doc})
	answer, err := chat.Collect(agent.Stream(ctx, &chat.Request{Messages: []agui.Message{agui.UserMessage(text)}}))
	if err != nil {
		return "", nil, err
	}
	mirror := aguiclient.NewMirror(doc, nil)
	for _, e := range answer.Events {
		if err := mirror.Apply(e); err != nil {
			return "", nil, err
		}
	}
	return answer.Text(), mirror.State(), nil
}

// [end]

// [behind]

// behind is a chain of ours with an agent at its end. Our tools change the
// state too, and the agent goes on from what they have made of it.
func behind(agent aguiclient.Transport, tools ...chat.Tool) chat.Client {
	return chat.NewBuilder(aguiclient.New(agent, nil)).
		Use(state.Share[Board](state.Silent())). // the agent tells its model itself
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools})).
		Build()
}

// [end]
