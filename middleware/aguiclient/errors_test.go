package aguiclient

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestErrorsSayWhatIsWrong(t *testing.T) {
	cause := errors.New("the cause")
	for want, err := range map[string]error{
		"the peer says: It broke.":    &PeerError{Message: "It broke."},
		"the peer says: X: It broke.": &PeerError{Code: "X", Message: "It broke."},
		"the event stream ended after 3 events, without RUN_FINISHED or RUN_ERROR":            &IncompleteError{Events: 3},
		"the event stream ended after 3 events, without RUN_FINISHED or RUN_ERROR: the cause": &IncompleteError{Events: 3, Err: cause},
		`the answer is no event stream: status 204, no content type`:                          &ResponseError{Status: 204},
		`the answer is no event stream: status 200, text/html: "<h1>"`:                        &ResponseError{Status: 200, ContentType: "text/html", Body: []byte(" <h1>\n")},
		"frame 2 of the event stream: it is no event: the cause":                              &FrameError{Frame: 2, Reason: "it is no event", Err: cause},
		"nothing came for 5s": &IdleError{After: 5 * time.Second},
		`aguiclient: the interrupt "i" has no answer: all that are pending are answered at once`: &PendingError{InterruptID: "i"},
		`aguiclient: the interrupt "i" has expired: it can only be cancelled`:                    &PendingError{InterruptID: "i", Expired: true},
		"aguiclient: the state: the document: the cause":                                         &StateError{Err: cause},
		"aguiclient: the state: /a: the cause":                                                   &StateError{Pointer: "/a", Err: cause},
		`aguiclient: TOOL_CALL_ARGS ("c"): there is no such call`:                                &ApplyError{Type: agui.TypeToolCallArgs, ID: "c", Reason: "there is no such call"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%T says %q, want %q", err, got, want)
		}
	}
	for _, err := range []error{&IncompleteError{Err: cause}, &FrameError{Err: cause}, &StateError{Err: cause}, &ApplyError{Err: cause}} {
		if !errors.Is(err, cause) {
			t.Errorf("%T hides its cause", err)
		}
	}
	if !errors.Is(&IncompleteError{}, io.ErrUnexpectedEOF) {
		t.Error("a stream that just ended is no unexpected end")
	}
	var timeout net.Error
	if errors.As(&IdleError{}, &timeout) && !timeout.Timeout() {
		t.Error("silence is no timeout")
	}
}

// Every failure has the code that a client further out acts on.
func TestCodes(t *testing.T) {
	for want, list := range map[string][]error{
		chat.CodeBadResponse:    {&agui.OrderError{}, &agui.EventError{}, &FrameError{}, &ResponseError{Status: 200}, &ResponseError{Status: 302}},
		chat.CodeTimeout:        {&IdleError{}, &IncompleteError{Err: &IdleError{}}},
		chat.CodeIncomplete:     {&IncompleteError{}, &IncompleteError{Err: io.ErrClosedPipe}, &IncompleteError{Err: &FrameError{Err: io.ErrUnexpectedEOF}}},
		chat.CodeInvalidRequest: {&agui.InputError{}, &ResponseError{Status: 400}},
		chat.CodeUnavailable:    {io.ErrClosedPipe, &ResponseError{Status: 503}},
	} {
		for _, err := range list {
			var e *chat.Error
			if !errors.As(failed(err), &e) || e.Code != want || e.Message == "" || !errors.Is(e, err) {
				t.Errorf("%T became %v, want code %s", err, failed(err), want)
			}
		}
	}
}

// A snapshot's metadata says which activities it speaks for.
func TestActivitiesThatASnapshotSpeaksFor(t *testing.T) {
	before := []agui.Message{
		{ID: "p", Role: agui.RoleActivity, ActivityType: "P", Activity: json.RawMessage(`{}`)},
		{ID: "q", Role: agui.RoleActivity, ActivityType: "Q", Activity: json.RawMessage(`{}`)},
	}
	for metadata, want := range map[string][]string{
		``:                     {"p", "q"},
		`{}`:                   {"p", "q"},
		`{"@ag-ui/client":5}`:  {"p", "q"},
		`{"@ag-ui/client":{}}`: {"p", "q"},
		`{"@ag-ui/client":{"authoritativeActivityTypes":null}}`:        nil,
		`{"@ag-ui/client":{"authoritativeActivityTypes":[]}}`:          {"p", "q"},
		`{"@ag-ui/client":{"authoritativeActivityTypes":["Q"]}}`:       {"p"},
		`{"@ag-ui/client":{"authoritativeActivityTypes":"Q"}}`:         {"p", "q"},
		`{"@ag-ui/client":{"authoritativeActivityTypes":[1,{"a":2}]}}`: {"p", "q"},
	} {
		text := `{"type":"MESSAGES_SNAPSHOT","messages":[]}`
		if metadata != "" {
			text = `{"type":"MESSAGES_SNAPSHOT","messages":[],"metadata":` + metadata + `}`
		}
		e, err := agui.DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m := NewMirror(nil, before)
		if err := m.Apply(e); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, msg := range m.Messages() {
			got = append(got, msg.ID)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s leaves %q, want %q", metadata, got, want)
		}
	}
}
