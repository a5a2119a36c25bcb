package aguitest_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// endpoint is the least that an endpoint does; package aguihttp has a whole
// one.
func endpoint(agent chat.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		in, err := agui.ParseInput(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		var frame []byte
		for e := range chat.Events(r.Context(), agent, in, nil) {
			if frame, err = agui.AppendFrame(frame[:0], e); err != nil {
				return
			}
			if _, err := w.Write(frame); err != nil {
				return
			}
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}
}

// endpointTest runs an endpoint in memory, once.
func endpointTest(t *testing.T) {
	agent := aguitest.NewModel(aguitest.Text("Hello."))
	events := aguitest.Post(t, endpoint(agent), &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run",
		Messages: []agui.Message{agui.UserMessage("hi")},
	})
	if got := events[len(events)-1].Type(); got != agui.TypeRunFinished {
		t.Errorf("the run ended with %s", got)
	}
	if got := agent.Requests()[0].Messages[0].Content.Text(); got != "hi" {
		t.Errorf("the agent was asked %q", got)
	}
}

func ExamplePost() {
	// In a test file: func TestEndpoint(t *testing.T) { … }
	_ = endpointTest
}
