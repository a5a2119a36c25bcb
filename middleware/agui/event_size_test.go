package agui

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// The largest event fills the 10 MiB that clients hold of a frame that has not
// ended; one byte more is refused, whatever it is that is large.
func TestAppendEventRefusesWhatIsTooLarge(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	raw := func(n int) json.RawMessage { return json.RawMessage(`"` + text(n) + `"`) }
	for _, of := range []func(n int) Event{
		func(n int) Event { return &TextMessageContent{Delta: text(n)} },
		func(n int) Event { return &ToolCallArgs{Delta: text(n), Base: Base{Timestamp: 1}} },
		func(n int) Event { return &ReasoningMessageContent{Delta: text(n)} },
		func(n int) Event { return &StateSnapshot{Snapshot: raw(n)} },
		func(n int) Event { return &StateDelta{Delta: Patch{{Op: OpAdd, Value: raw(n)}}} },
		func(n int) Event { return &MessagesSnapshot{Messages: []Message{UserMessage(text(n))}} },
		func(n int) Event { return &Custom{Value: raw(n)} },
		func(n int) Event { return &StepStarted{Base: Base{Metadata: Metadata{"a": text(n)}}} },
		func(n int) Event {
			return &UnknownEvent{EventType: "NEW", JSON: json.RawMessage(`{"type":"NEW","a":"` + text(n) + `"}`)}
		},
	} {
		room := maxEvent - len(mustAppend(t, of(0)))
		before := []byte("data so far")
		frame, err := AppendFrame(before, of(room))
		if n := len(frame) - len(before) - len("\n"); err != nil || n != 10<<20 {
			t.Errorf("%s: a reader holds %d bytes, %v", of(0).Type(), n, err)
		}
		got, err := AppendFrame(before, of(room+1))
		var fault *EventError
		if !errors.As(err, &fault) || string(got) != string(before) {
			t.Errorf("%s: got %d bytes, %v", of(0).Type(), len(got), err)
			continue
		}
		if fault.Type != of(0).Type() || fault.Reason != "the event is too large: it has 10485754 bytes, and clients take 10485753" {
			t.Errorf("%s: %v", of(0).Type(), err)
		}
	}
}
