package aguitest_test

import (
	"testing"
	"testing/synctest"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
)

// liveTest proves that the client has the first words while the model is still
// thinking about the rest: nothing else can release it.
func liveTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{}, 1)
		agent := aguitest.NewModel(aguitest.Text("Well,").Pause(release).Text(" yes."))
		server := aguitest.NewServer(t, endpoint(agent))

		text := ""
		for e, err := range server.Run(t.Context(), "/agent", &agui.RunAgentInput{
			ThreadID: "thread", RunID: "run",
			Messages: []agui.Message{agui.UserMessage("hi")},
		}) {
			if err != nil {
				t.Fatal(err)
			}
			if piece, ok := e.(*agui.TextMessageContent); ok {
				text += piece.Delta
				if text == "Well," {
					release <- struct{}{}
				}
			}
		}
		if text != "Well, yes." {
			t.Errorf("the client read %q", text)
		}
	})
}

func ExampleServer() {
	// In a test file: func TestLive(t *testing.T) { … }
	_ = liveTest
}
