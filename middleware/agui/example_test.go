package agui_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/aguistate/aguistate/middleware/agui"
)

func Example() {
	in, err := agui.ParseInput([]byte(`{
		"threadId": "t1", "runId": "r1", "protocolVersion": "1.0",
		"state": {"count": 1},
		"messages": [{"id": "m1", "role": "user", "content": "Count on."}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("state %s, %q\n", in.State, in.Messages[0].Content.Text())

	var frames []byte
	for _, e := range []agui.Event{
		&agui.RunStarted{ThreadID: in.ThreadID, RunID: in.RunID},
		&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpReplace, Path: "/count", Value: []byte("2")}}},
		&agui.RunFinished{ThreadID: in.ThreadID, RunID: in.RunID},
	} {
		if frames, err = agui.AppendFrame(frames, e); err != nil {
			fmt.Println(err)
			return
		}
	}
	os.Stdout.Write(frames)
	// Output:
	// state {"count": 1}, "Count on."
	// data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}
	//
	// data: {"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":2}]}
	//
	// data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
}

func ExampleParseInput_error() {
	_, err := agui.ParseInput([]byte(`{"thread_id": "t1", "runId": "r1", "messages": []}`))
	var fault *agui.InputError
	if errors.As(err, &fault) {
		fmt.Println(fault.Pointer)
		fmt.Println(fault.Reason)
	}
	// Output:
	// /threadId
	// threadId is required: "thread_id" is not a name of the protocol, write "threadId"
}

func ExampleAppendEvent() {
	line, err := agui.AppendEvent(nil, &agui.TextMessageContent{MessageID: "m1", Delta: "<b>\n"})
	fmt.Println(string(line), err)

	_, err = agui.AppendEvent(nil, &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpRemove, Path: "count"}}})
	fmt.Println(err)
	// Output:
	// {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"<b>\n"} <nil>
	// agui: STATE_DELTA event: delta[0].path must be empty or begin with a slash (RFC 6901)
}

func ExampleDecodeEvent() {
	e, err := agui.DecodeEvent([]byte(`{"type":"STEP_STARTED","stepName":"plan","rawEvent":null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	switch e := e.(type) {
	case *agui.StepStarted:
		fmt.Println("step", e.StepName)
	case *agui.UnknownEvent:
		fmt.Println("skip", e.EventType)
	}
	// Output: step plan
}

func ExampleVerifier() {
	var v agui.Verifier
	fmt.Println(v.Observe(&agui.RunStarted{ThreadID: "t1", RunID: "r1"}))
	fmt.Println(v.Observe(&agui.TextMessageStart{MessageID: "m1"}))
	fmt.Println(v.Observe(&agui.RunFinished{ThreadID: "t1", RunID: "r1"}))
	for _, e := range v.Open() {
		fmt.Printf("%s %v\n", e.Type(), v.Observe(e))
	}
	fmt.Println(v.Observe(&agui.RunFinished{ThreadID: "t1", RunID: "r1"}))
	// Output:
	// <nil>
	// <nil>
	// agui: RUN_FINISHED out of order: OPEN_TEXT_AT_RUN_FINISHED ("m1")
	// TEXT_MESSAGE_END <nil>
	// <nil>
}

func ExampleExpander() {
	var x agui.Expander
	var events []agui.Event
	for _, e := range []agui.Event{
		&agui.TextMessageChunk{MessageID: new("m1"), Delta: new("Hel")},
		&agui.TextMessageChunk{Delta: new("lo")},
		&agui.StepStarted{StepName: "next"},
	} {
		var err error
		if events, err = x.AppendExpand(events, e); err != nil {
			fmt.Println(err)
		}
	}
	for _, e := range events {
		fmt.Println(e.Type())
	}
	// Output:
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_END
	// STEP_STARTED
}

func ExampleDowngrade() {
	e := agui.Downgrade(&agui.ToolCallResult{
		MessageID: "m2", ToolCallID: "c1",
		Content: agui.Parts(
			agui.Part{Type: agui.PartText, Text: "A map:"},
			agui.Part{Type: agui.PartImage, Source: agui.Source{Type: agui.SourceURL, Value: "https://example.com/map.png"}},
		),
	})
	line, err := agui.AppendEvent(nil, e)
	fmt.Println(string(line), err)
	// Output: {"type":"TOOL_CALL_RESULT","messageId":"m2","toolCallId":"c1","content":"A map:\n[image]"} <nil>
}
