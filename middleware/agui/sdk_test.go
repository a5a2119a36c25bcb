package agui

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
)

// The official Go SDK reads what we write, wherever it knows the event type.
// It predates 1.0, so it gets what such a client gets.
func TestTheOfficialSDKReadsOurEvents(t *testing.T) {
	events := everyEvent()
	for _, c := range cases[struct{ Event json.RawMessage }](t, "events.json") {
		e, err := DecodeEvent(c.Event)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	read := map[EventType]bool{}
	for _, e := range events {
		if e = Downgrade(e); e == nil {
			continue
		}
		line := mustAppend(t, e)
		got, err := sdk.EventFromJSON(line)
		if err != nil {
			if !strings.Contains(err.Error(), "unknown event type") {
				t.Errorf("%s: %v", line, err)
			}
			continue
		}
		if string(got.Type()) != string(e.Type()) {
			t.Errorf("%s became %s", e.Type(), got.Type())
		}
		read[e.Type()] = true
	}
	for typ := range eventReaders {
		// It has the struct of this one, but its decoder does not read it.
		if typ == TypeToolCallChunk {
			continue
		}
		if !read[typ] && !strings.HasPrefix(string(typ), "SUBAGENT_") {
			t.Errorf("it read no %s", typ)
		}
	}
}
