// Command approvals is the program of the guide to approvals and questions.

// [imports]

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Board is the state.
type Board struct {
	Tasks []string `json:"tasks"`
}

// [end]

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

// newBoard builds the chain. Claims may be nil: an answer that a client sends
// twice then counts twice.
func newBoard(model chat.Client, key []byte, claims chat.ResumeStore) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{
			Tools:  []chat.Tool{clearBoard, askColor},
			Key:    key,
			Claims: claims,
		})).
		Build()
}

// [end]

// [main]

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to serve")
	flag.Parse()
	key, err := keyFrom(os.Getenv("BOARD_KEY"))
	if err != nil {
		log.Fatal("BOARD_KEY: ", err)
	}
	e := echo.New()
	aguiecho.Map(e, "/agent", newBoard(parrot.New(), key, nil), nil)
	e.Logger.Fatal(e.Start(*addr))
}

// [end]
