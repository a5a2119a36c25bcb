// Package stream tests over real connections what must arrive while a run
// still goes on: each test stands still for ever if it does not.
package stream

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

type counter struct {
	N int `json:"n"`
}

const body = `{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{"n":1},"messages":[{"id":"u","role":"user","content":"go"}]}`

// post starts a run and returns its events as they arrive.
func post(ctx context.Context, t *testing.T, c chat.Client) <-chan agui.Event {
	t.Helper()
	e := echo.New()
	aguiecho.Map(e, "/agent", c, nil)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/agent", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan agui.Event)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			e, err := agui.DecodeEvent([]byte(data))
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}

// A tool returns only after the client has received the state that it
// published.
func TestToolWaitsForTheClient(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	received := make(chan struct{})
	tool := chat.NewTool("count", "Counts.", func(ctx context.Context, _ struct{}) (string, error) {
		if err := state.Update(ctx, func(c *counter) error { c.N++; return nil }); err != nil {
			return "", err
		}
		select {
		case <-received:
			return "counted", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("call", "count"), aguitest.Text("Done."))).
		Use(state.Share[counter]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).
		Build()
	var order []string
	for e := range post(ctx, t, client) {
		order = append(order, string(e.Type()))
		if s, ok := e.(*agui.StateSnapshot); ok {
			if string(s.Snapshot) != `{"n":2}` {
				t.Errorf("snapshot %s", s.Snapshot)
			}
			close(received)
		}
	}
	want := "RUN_STARTED TOOL_CALL_START STATE_SNAPSHOT TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// Each piece of text arrives before the next one is written.
func TestTextArrivesPieceByPiece(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	release := make(chan struct{})
	model := aguitest.NewModel(aguitest.Text("one").Pause(release).Text("two").Pause(release).Text("three"))
	var text []string
	for e := range post(ctx, t, model) {
		if c, ok := e.(*agui.TextMessageContent); ok {
			text = append(text, c.Delta)
			if len(text) < 3 {
				release <- struct{}{}
			}
		}
	}
	if strings.Join(text, " ") != "one two three" {
		t.Error(text)
	}
}

// The client learns of the run before the model has said anything, and the
// model learns when the client leaves.
func TestClientLeaves(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	model := aguitest.NewModel(aguitest.Turn{}.Pause(nil).Text("never"))
	for e := range post(ctx, t, model) {
		if e.Type() == agui.TypeRunStarted {
			cancel()
		}
	}
	idle, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := model.Idle(idle); err != nil {
		t.Errorf("the model still answers: %v", err)
	}
}
