package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// cases reads a fixture file and holds the number of its cases against the
// manifest. The fixtures were made by running the reference implementation.
func cases[T any](t *testing.T, file string) []T {
	t.Helper()
	var manifest struct{ Cases map[string]int }
	readJSON(t, "manifest.json", &manifest)
	var list []T
	readJSON(t, file, &list)
	if want := manifest.Cases[file]; len(list) != want || want == 0 {
		t.Errorf("%s has %d cases, the manifest says %d", file, len(list), want)
	}
	return list
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// value reads JSON into maps and slices with exact numbers.
func value(t testing.TB, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// compact is the JSON of what value returned, for messages.
func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// deviation is one deliberate difference from the reference: a rule, the
// reason, and the cases that show it. A case that differs by more than a rule
// fails; so does a listed case that no longer needs its rule.
type deviation struct {
	reason string
	// apply makes what we do out of what the reference does.
	apply func(want any) any
	names []string
}

// compare holds got against want, with the deviations that may apply.
func compare(t *testing.T, name string, got, want any, deviations []deviation) {
	t.Helper()
	exact := reflect.DeepEqual(got, want)
	matched := false
	for _, d := range deviations {
		listed := slices.Contains(d.names, name)
		applies := !exact && !matched && reflect.DeepEqual(got, d.apply(value(t, []byte(compact(want)))))
		if applies {
			matched = true
			t.Logf("%s: deliberate: %s", name, d.reason)
		}
		if listed && !applies {
			t.Errorf("%s: does not need the deviation %q any more", name, d.reason)
		}
	}
	if !exact && !matched {
		t.Errorf("%s:\n got %s\nwant %s", name, compact(got), compact(want))
	}
}

// listed checks that every case that a deviation names is there.
func listed[T any](t *testing.T, list []T, name func(T) string, deviations []deviation) {
	t.Helper()
	for _, d := range deviations {
		for _, n := range d.names {
			if !slices.ContainsFunc(list, func(c T) bool { return name(c) == n }) {
				t.Errorf("the deviation %q names %s, which is no case", d.reason, n)
			}
		}
	}
}

// walk calls f for every object in v, the outermost first.
func walk(v any, f func(map[string]any)) any {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, e := range v {
			walk(e, f)
		}
	case []any:
		for _, e := range v {
			walk(e, f)
		}
	}
	return v
}

func without(names []string, drop func(v any) bool) func(any) any {
	return func(v any) any {
		return walk(v, func(o map[string]any) {
			for _, n := range names {
				if e, ok := o[n]; ok && drop(e) {
					delete(o, n)
				}
			}
		})
	}
}

var zeroCounts = without(
	[]string{"inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens"},
	func(v any) bool { return v == json.Number("0") },
)

var emptyStrings = without(
	[]string{"parentRunId", "protocolVersion", "parentMessageId"},
	func(v any) bool { return v == "" },
)

// namedOperationMembers leaves an operation what RFC 6902 gives it.
func namedOperationMembers(v any) any {
	return walk(v, func(o map[string]any) {
		if o["op"] == "remove" {
			for k := range o {
				if k != "op" && k != "path" {
					delete(o, k)
				}
			}
		}
	})
}

const (
	whyZero      = "a count of 0 is absent: not reported"
	whyEmpty     = "an empty optional string is absent"
	whyOperation = "an operation has the members that RFC 6902 gives it"
)

func TestEventsGolden(t *testing.T) {
	type testCase struct {
		Name        string
		Event       json.RawMessage
		Parsed      json.RawMessage
		AfterClient json.RawMessage
	}
	deviations := []deviation{
		{whyZero, zeroCounts, []string{"RUN_FINISHED/full"}},
		{whyEmpty, emptyStrings, []string{"tricky/empty_run_ids", "tricky/empty_tool_fields"}},
		{whyOperation, namedOperationMembers, []string{"tricky/patch_extra_members"}},
	}
	list := cases[testCase](t, "events.json")
	listed(t, list, func(c testCase) string { return c.Name }, deviations)
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			e, err := DecodeEvent(c.Event)
			if err != nil {
				t.Fatal(err)
			}
			want := c.Event
			if c.Parsed != nil {
				want = c.Parsed
			}
			if c.AfterClient != nil {
				want = c.AfterClient
			}
			data, err := AppendEvent(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, c.Name, value(t, data), value(t, want), deviations)

			again, err := DecodeEvent(data)
			if err != nil {
				t.Fatal(err)
			}
			if twice, err := AppendEvent(nil, again); err != nil || string(twice) != string(data) {
				t.Errorf("written again: %s (%v), was %s", twice, err, data)
			}
			if data, err := json.Marshal(e); err != nil || compact(value(t, data)) != compact(value(t, mustAppend(t, e))) {
				t.Errorf("json.Marshal says %s (%v)", data, err)
			}
		})
	}
}

func mustAppend(t testing.TB, e Event) []byte {
	t.Helper()
	data, err := AppendEvent(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEncodeGolden(t *testing.T) {
	type testCase struct {
		Name  string
		Event json.RawMessage
		Frame string
	}
	deviations := []struct {
		reason string
		frame  string // what we write
		name   string
	}{
		{whyZero, `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r","usage":[{}]}`, "nested/usage"},
		{"an event has the members of its type; see UnknownEvent for others",
			`data: {"type":"TEXT_MESSAGE_END","messageId":"m"}`, "opaque_null_kept/unknown_field"},
		{"a message of an unknown role is dropped on reading and refused on writing: clients before 1.0 end the run over it",
			`data: {"type":"MESSAGES_SNAPSHOT","messages":[]}`, "nested/unknown_role_untouched"},
	}
	used := 0
	for _, c := range cases[testCase](t, "encode.json") {
		t.Run(c.Name, func(t *testing.T) {
			e := built(t, c.Event)
			got, err := AppendFrame([]byte("before"), e)
			if err != nil {
				t.Fatal(err)
			}
			want := c.Frame
			for _, d := range deviations {
				if d.name == c.Name {
					used++
					if want = d.frame + "\n\n"; want == c.Frame {
						t.Errorf("does not need the deviation %q any more", d.reason)
					}
				}
			}
			if string(got) != "before"+want {
				t.Errorf("\n got %q\nwant %q", got, "before"+want)
			}
		})
	}
	if used != len(deviations) {
		t.Errorf("%d deviations are listed, %d are cases", len(deviations), used)
	}
}

// built makes the Go value that a producer would have made of an event that is
// written with null for what is absent.
func built(t *testing.T, data []byte) Event {
	t.Helper()
	v := value(t, data).(map[string]any)
	if !isKnown(EventType(v["type"].(string))) {
		return &UnknownEvent{EventType: EventType(v["type"].(string)), JSON: data}
	}
	e, err := DecodeEvent(data)
	if err != nil {
		clean, marshalErr := json.Marshal(omitNulls(v))
		if marshalErr != nil {
			t.Fatal(marshalErr)
		}
		if e, err = DecodeEvent(clean); err != nil {
			t.Fatal(err)
		}
	}
	// Reading fills these in; whoever made the event did not.
	if s, ok := e.(*RunStarted); ok && s.Input != nil {
		in := v["input"].(map[string]any)
		if in["tools"] == nil {
			s.Input.Tools = nil
		}
		if in["context"] == nil {
			s.Input.Context = nil
		}
	}
	return e
}

// omitNulls leaves out null where it stands for an absent member.
func omitNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			switch name {
			case "snapshot", "event", "value":
			case "rawEvent", "metadata", "state", "parameters", "payload", "forwardedProps", "result", "responseSchema":
				if e == nil {
					delete(v, name)
				}
			default:
				if e == nil {
					delete(v, name)
				} else {
					v[name] = omitNulls(e)
				}
			}
		}
	case []any:
		for i := range v {
			v[i] = omitNulls(v[i])
		}
	}
	return v
}

var newID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// placeholders writes uuid-1, uuid-2, … for new ids in the order in which they
// come, as the fixtures do.
func placeholders(data string) string {
	names := map[string]string{}
	return newID.ReplaceAllStringFunc(data, func(id string) string {
		if names[id] == "" {
			names[id] = "uuid-" + strconv.Itoa(len(names)+1)
		}
		return names[id]
	})
}

func TestInvalidEventsGolden(t *testing.T) {
	type testCase struct {
		Name        string
		Event       json.RawMessage
		Paths       []string
		Client      string
		ClientEvent json.RawMessage
	}
	for _, c := range cases[testCase](t, "invalid_events.json") {
		t.Run(c.Name, func(t *testing.T) {
			e, err := DecodeEvent(c.Event)
			switch c.Client {
			case "fatal":
				var fault *EventError
				if !errors.As(err, &fault) {
					t.Fatalf("got %v (%T), want an *EventError", err, err)
				}
				if !under(fault.Pointer, c.Paths) || fault.Reason == "" {
					t.Errorf("got %v, want a reason at %v", err, c.Paths)
				}
			case "dropped":
				u, ok := e.(*UnknownEvent)
				if !ok || err != nil {
					t.Fatalf("got %T (%v), want an *UnknownEvent", e, err)
				}
				if got := mustAppend(t, u); compact(value(t, got)) != compact(value(t, c.Event)) {
					t.Errorf("got %s, want %s", got, c.Event)
				}
			case "accepted":
				if err != nil {
					t.Fatal(err)
				}
				got := placeholders(string(mustAppend(t, e)))
				if !reflect.DeepEqual(value(t, []byte(got)), value(t, c.ClientEvent)) {
					t.Errorf("\n got %s\nwant %s", got, c.ClientEvent)
				}
			default:
				t.Fatalf("unknown verdict %q", c.Client)
			}
		})
	}
}

// under reports whether a pointer is one of the paths or below one: where the
// reference stops at a union, we name the member.
func under(pointer string, paths []string) bool {
	for _, p := range paths {
		if p == "/" {
			p = "" // the fixtures' spelling of the whole
		}
		if pointer == p || strings.HasPrefix(pointer, p+"/") {
			return true
		}
	}
	return false
}

func TestParseInputGolden(t *testing.T) {
	type testCase struct {
		Name   string
		Input  json.RawMessage
		OK     bool
		Parsed json.RawMessage
		Paths  []string
	}
	deviations := []deviation{
		{whyEmpty, emptyStrings, []string{"empty_strings"}},
	}
	// Accepted where the reference schema refuses: its client translates binary
	// parts both ways, and clients before 1.0, which name no version, send them.
	translated := map[string]string{
		"message_legacy_binary": `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":[{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}}]}],"tools":[],"context":[]}`,
	}
	list := cases[testCase](t, "input_validation.json")
	listed(t, list, func(c testCase) string { return c.Name }, deviations)
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			in, err := ParseInput(c.Input)
			if want, ok := translated[c.Name]; ok {
				if c.OK {
					t.Error("does not need to be translated any more")
				}
				c.OK, c.Parsed = true, json.RawMessage(want)
				delete(translated, c.Name)
			}
			if !c.OK {
				var fault *InputError
				if !errors.As(err, &fault) {
					t.Fatalf("got %v (%T), want an *InputError", err, err)
				}
				if !under(fault.Pointer, c.Paths) || fault.Reason == "" {
					t.Errorf("got %v, want a reason at %v", err, c.Paths)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := c.Input
			if c.Parsed != nil {
				want = c.Parsed
			}
			got, err := in.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, c.Name, value(t, got), value(t, want), deviations)
		})
	}
	if len(translated) > 0 {
		t.Errorf("no cases: %v", translated)
	}
}
