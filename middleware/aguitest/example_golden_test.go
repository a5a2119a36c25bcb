package aguitest_test

import (
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// agentTest holds the events of a run against testdata/agent.jsonl. Run the
// test with -update to write the file, and read it. Ids differ from run to run
// and are written as id-1, id-2…
func agentTest(t *testing.T) {
	agent := aguitest.NewModel(aguitest.Text("Hello ", "there."))
	events := slices.Collect(chat.Events(t.Context(), agent, &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run",
		Messages: []agui.Message{agui.UserMessage("hi")},
	}, nil))
	aguitest.Verify(t, events)
	aguitest.Golden(t, "testdata/agent.jsonl", events)
}

func ExampleGolden() {
	// In a test file: func TestAgent(t *testing.T) { … }
	_ = agentTest
}
