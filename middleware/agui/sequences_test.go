package agui

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

type verdict struct {
	Verdict string
	FailsAt *int
	Reason  string
}

func (v verdict) String() string {
	if v.FailsAt == nil {
		return v.Verdict
	}
	return compact([]any{v.Verdict, *v.FailsAt, v.Reason})
}

func failed(at int, err error) verdict {
	var order *OrderError
	reason := "SCHEMA"
	if errors.As(err, &order) {
		reason = string(order.Rule)
	}
	return verdict{"error", &at, reason}
}

// client is what the reference client does with a stream: read, drop what is
// unknown, expand, check. emitted is what reaches its reducer.
func client(events []json.RawMessage) (emitted []Event, v verdict) {
	var d Decoder
	var x Expander
	var order Verifier
	for i, data := range events {
		e, err := d.Decode(data)
		if err != nil {
			return emitted, failed(i, err)
		}
		if _, unknown := e.(*UnknownEvent); unknown {
			continue
		}
		list, err := x.AppendExpand(nil, e)
		if err != nil {
			return emitted, failed(i, err)
		}
		for _, e := range list {
			if err := order.Observe(e); err != nil {
				return emitted, failed(i, err)
			}
			emitted = append(emitted, e)
		}
	}
	return emitted, verdict{Verdict: "ok"}
}

// alone is the order check by itself. It cannot be asked about a stream whose
// events Go cannot hold.
func alone(events []json.RawMessage) (v verdict, ok bool) {
	var order Verifier
	for i, data := range events {
		e, err := DecodeEvent(data)
		if err != nil {
			return v, false
		}
		if err := order.Observe(e); err != nil {
			return failed(i, err), true
		}
	}
	return verdict{Verdict: "ok"}, true
}

func TestSequencesGolden(t *testing.T) {
	type testCase struct {
		Name    string
		Events  []json.RawMessage
		Emitted []json.RawMessage
		verdict
		VerifyEventsAlone *verdict
	}
	// Streams whose order check cannot be asked alone, as an event of theirs is
	// refused, or becomes another, when it is read.
	notAlone := map[string]string{
		"run/malformed_field_is_fatal":          "a message id is a number",
		"state/pointer_without_slash":           "a JSON Pointer is none",
		"chunk/null_delta_is_fatal":             "a delta is null",
		"subagent/null_tag":                     "a tag is null",
		"compat/thinking_content_without_start": "the event is translated on reading",
		"compat/thinking_span":                  "the events are translated on reading, each by itself",
		"compat/thinking_message_without_span":  "the events are translated on reading, each by itself",
	}
	for _, c := range cases[testCase](t, "sequences.json") {
		t.Run(c.Name, func(t *testing.T) {
			emitted, got := client(c.Events)
			if got.String() != c.verdict.String() {
				t.Errorf("got %v, want %v", got, c.verdict)
			}
			want := c.Emitted
			if want == nil {
				want = c.Events
				if c.FailsAt != nil {
					want = want[:*c.FailsAt]
				}
			}
			all := []byte{'['}
			for i, e := range emitted {
				if i > 0 {
					all = append(all, ',')
				}
				all = append(all, mustAppend(t, e)...)
			}
			all = []byte(placeholders(string(append(all, ']'))))
			expected, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 {
				expected = []byte("[]")
			}
			if !reflect.DeepEqual(value(t, all), filled(value(t, expected))) {
				t.Errorf("emitted\n got %s\nwant %s", all, expected)
			}

			wantAlone := c.verdict
			if c.VerifyEventsAlone != nil {
				wantAlone = *c.VerifyEventsAlone
			}
			gotAlone, ok := alone(c.Events)
			same := ok && gotAlone.String() == wantAlone.String()
			if why, listed := notAlone[c.Name]; same == listed {
				t.Errorf("the order check alone: got %v, want %v (listed: %v %s)", gotAlone, wantAlone, listed, why)
			}
			delete(notAlone, c.Name)
		})
	}
	if len(notAlone) > 0 {
		t.Errorf("no cases: %v", notAlone)
	}
}

// filled gives an input the empty tools and context that reading gives it.
func filled(v any) any {
	return walk(v, func(o map[string]any) {
		if in, ok := o["input"].(map[string]any); ok && o["type"] == string(TypeRunStarted) {
			for _, name := range []string{"tools", "context"} {
				if in[name] == nil {
					in[name] = []any{}
				}
			}
		}
	})
}
