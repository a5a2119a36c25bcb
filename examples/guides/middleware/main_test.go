package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

func TestInstruct(t *testing.T) {
	var inside aguitest.Recorder
	model := aguitest.NewModel(aguitest.Text("Hello."))
	client := chat.NewBuilder(model).Use(Instruct("Be brief.")).Use(inside.Middleware).Build()
	in := try.Wish("Hi", "")
	try.Play(t, client, in)
	seen := inside.Requests()[0].Messages
	if len(seen) != 2 || seen[0].Content.Text() != "Be brief." || len(in.Messages) != 1 {
		t.Errorf("the model got %v, the input has %d messages", seen, len(in.Messages))
	}
}

// Each may stand outside a Share: it is found through them.
func TestFind(t *testing.T) {
	look := func(context.Context) (json.RawMessage, error) { return nil, nil }
	share := state.Share[Board]()(aguitest.NewModel())
	for name, m := range map[string]chat.Middleware{
		"Instruct": Instruct(""), "Progress": Progress, "CountRuns": CountRuns, "StateByHand": StateByHand, "LookUp": LookUp(look),
	} {
		if found, ok := chat.Find[chat.Restorer](m(share)); !ok || any(found) != any(share) {
			t.Errorf("%s hides what is behind it", name)
		}
	}
	in := try.Wish("", `{"tasks":["call home"]}`)
	in.Messages = nil
	try.Expect(t, try.Play(t, Instruct("Be brief.")(share), in),
		`{"type":"RUN_STARTED","threadId":"thread","runId":"run","protocolVersion":"1.0"}
{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["call home"]}}
{"type":"RUN_FINISHED","threadId":"thread","runId":"run"}
`)
}

func TestProgress(t *testing.T) {
	try.Expect(t, try.Play(t, Progress(aguitest.NewModel(aguitest.Text("Hello ", "you."))), try.Wish("Hi", "")),
		`{"type":"RUN_STARTED","threadId":"thread","runId":"run","protocolVersion":"1.0"}
{"type":"CUSTOM","name":"progress","value":{"messages":1}}
{"type":"TEXT_MESSAGE_START","messageId":"id-1","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"id-1","delta":"Hello "}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"id-1","delta":"you."}
{"type":"TEXT_MESSAGE_END","messageId":"id-1"}
{"type":"CUSTOM","name":"progress","value":{"bytes":10}}
{"type":"RUN_FINISHED","threadId":"thread","runId":"run"}
`)
	// It does not go on after an error, and needs a run.
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		ctx  context.Context
		want string
	}{
		"failing model": {chat.WithInput(t.Context(), try.Wish("Hi", "")), "broken"},
		"no run":        {t.Context(), "outside a run"},
	} {
		got, err := chat.Collect(Progress(aguitest.NewModel(aguitest.Fail(broken))).Stream(c.ctx, &chat.Request{}))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(got.Events) > 1 {
			t.Errorf("%s: %v, %d events", name, err, len(got.Events))
		}
	}
}

func TestMiddlewaresOfTheState(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("Hello."))
	events := try.Play(t, chat.NewBuilder(model).Use(state.Share[Board]()).Use(CountRuns).Build(), try.Wish("Hi", `{"tasks":["a"],"done":4,"theme":"dark"}`))
	try.Expect(t, events[1:2], `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["a"],"done":5,"theme":"dark"}}`+"\n")

	for name, chain := range map[string]chat.Client{
		"alone":    chat.NewBuilder(aguitest.NewModel(aguitest.Text("Hello."))).Use(StateByHand).Build(),
		"in Share": chat.NewBuilder(aguitest.NewModel(aguitest.Text("Hello."))).Use(state.Share[Board]()).Use(StateByHand).Build(),
	} {
		t.Run(name, func(t *testing.T) {
			try.Expect(t, try.Play(t, chain, try.Wish("Hi", `{}`))[1:2], `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["call home"],"done":0}}`+"\n")
		})
	}
}

func TestLookUp(t *testing.T) {
	release := make(chan struct{})
	model := aguitest.NewModel(aguitest.Text("I am ", "looking.").Pause(release).Text(" There."), aguitest.Fail(errors.New("broken")))
	client := LookUp(func(context.Context) (json.RawMessage, error) { return json.RawMessage(`42`), nil })(model)
	var order []string
	for e := range chat.Events(t.Context(), client, try.Wish("Hi", ""), try.Quiet) {
		switch e := e.(type) {
		case *agui.Custom:
			order = append(order, "found "+string(e.Value))
			close(release) // the rest of the answer waits for the look-up
		case *agui.TextMessageContent:
			order = append(order, e.Delta)
		}
	}
	if n := len(order); n != 4 || !slices.Contains(order, "found 42") || order[n-1] != " There." {
		t.Errorf("the order is %q", order)
	}
	events := try.Play(t, client, try.Wish("Hi", ""))
	if events[len(events)-1].Type() != agui.TypeRunError {
		t.Errorf("a broken model ended in %s", events[len(events)-1].Type())
	}
}

func TestMaps(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("done").Call("c1", "open_door", `{}`))
	try.Expect(t, try.Play(t, mapped(model), try.Wish("Hi", "")),
		`{"type":"RUN_STARTED","threadId":"thread","runId":"run","protocolVersion":"1.0"}
{"type":"STEP_STARTED","stepName":"answer"}
{"type":"TEXT_MESSAGE_START","messageId":"id-1","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"id-1","delta":"DONE"}
{"type":"TEXT_MESSAGE_END","messageId":"id-1"}
{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"open_door","parentMessageId":"id-1"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":"c1"}
{"type":"CUSTOM","name":"called","value":"open_door"}
{"type":"STEP_FINISHED","stepName":"answer"}
{"type":"RUN_FINISHED","threadId":"thread","runId":"run","outcome":{"type":"success","pendingToolCallIds":["c1"]}}
`)
}

// TestAnswer is the stream of the page: what curl shows.
func TestAnswer(t *testing.T) {
	events := try.Play(t, newAgent(parrot.New()), try.Wish("Hello", `{"tasks":["call home"],"done":4}`))
	aguitest.Golden(t, filepath.Join("testdata", "answer.jsonl"), events)
}
