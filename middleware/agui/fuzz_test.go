package agui

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func addEvents(f *testing.F) {
	for _, e := range everyEvent() {
		data, err := AppendEvent(nil, e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{
		`{"type":"NEW_THING","a":[1, 2]}`, `{"type":"THINKING_START"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"x"}}`,
		`{"type":"STATE_SNAPSHOT","snapshot":1e400}`, `{"type":"STATE_DELTA","delta":[{"op":"x"},{"op":"add","path":"/\ud83d","value":[ ]}]}`,
		`{"type":"STEP_STARTED","stepName":"a","stepName":"\u0000","metadata":{"a":{"b":[1.0,null]}}}`, `[]`, `{`, "\xff",
	} {
		f.Add([]byte(s))
	}
}

// Whatever can be read can be written, and then stays as it is.
func FuzzDecodeEvent(f *testing.F) {
	addEvents(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeEvent(data)
		if err != nil {
			var fault *EventError
			if !errors.As(err, &fault) || fault.Reason == "" || !utf8.ValidString(err.Error()) {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not JSON", data)
		}
		first := mustAppend(t, e)
		again, err := DecodeEvent(first)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, first, err)
		}
		if second := mustAppend(t, again); string(second) != string(first) {
			t.Fatalf("%q became %q, then %q", data, first, second)
		}
		if frame, err := AppendFrame(nil, e); err != nil || strings.Count(string(frame), "\n") != 2 {
			t.Fatalf("%q: %v", frame, err)
		}
		if down := Downgrade(e); down != nil {
			mustAppend(t, down)
		}
	})
}

// Any bytes are an input or an error that says where, and what is not indexed
// makes no difference; what is read can be written and read again.
func FuzzParseInput(f *testing.F) {
	f.Add(input12k())
	for _, s := range []string{
		`{"threadId":"t","runId":"r","messages":[]}`, `{"thread_id":"t"}`, `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":[{"type":"binary","mimeType":"a/b","data":"d"}]}]}`,
		`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"activity","activityType":"a","content":{"messages":[{"a":[{}]}]}}],"tools":[{"name":"n","description":"","parameters":{"metadata":{"a":[0]}},"metadata":{"state":[0,{}]}}],"forwardedProps":[{"content":[1]}],"x":{}}`,
		`{"\u006dessages":[{"m\u0065tadata":{"a":[{},{"b":0}]}}],"x":[{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":{"a":[0,1,{"b":[]}]},"h":{},"g":1}]}`,
		`{"threadId":"t","runId":"r","messages":[],"state":{"a":1,"a":2}}`, `{"threadId":"t","runId":"r","messages":[],"state":[[[{"a":` + "\"\xff\"" + `}]]]}`,
		`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}],"x":[1 ]}],"y":null}`,
		``, `[`, `{"a":"\u00`, `{"~/":{"b":[0,1,`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := ParseInput(data)
		if whole, same := parseInput(data, everything); !reflect.DeepEqual(in, whole) || !reflect.DeepEqual(err, same) {
			t.Fatalf("%q: got %+v, %v\nwith all of it indexed %+v, %v", data, in, err, whole, same)
		}
		if err != nil {
			var fault *InputError
			if !errors.As(err, &fault) || fault.Reason == "" || !utf8.ValidString(err.Error()) || jsonPointerFault(fault.Pointer) != "" {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("%q is not JSON", data)
		}
		first, err := in.MarshalJSON()
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		again, err := ParseInput(first)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, first, err)
		}
		if second, err := again.MarshalJSON(); err != nil || string(second) != string(first) {
			t.Fatalf("%q became %q, then %q (%v)", data, first, second, err)
		}
	})
}

// Any text is written as JSON that says the same.
func FuzzAppendEvent(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c", "\x00\x1f\x7f", "é中👩\u2028", "\xff\xc3", "12345678\n12345678", "</script>"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, id, delta string) {
		data := mustAppend(t, &TextMessageContent{MessageID: id, Delta: delta})
		var got struct{ Type, MessageID, Delta string }
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		// One U+FFFD for each bad byte, as encoding/json reads it.
		same := func(got, want string) bool { return got == string([]rune(want)) }
		if !utf8.Valid(data) || !same(got.MessageID, id) || !same(got.Delta, delta) {
			t.Fatalf("%q, %q: written as %q", id, delta, data)
		}
		e, err := DecodeEvent(data)
		if err != nil {
			t.Fatal(err)
		}
		if c := e.(*TextMessageContent); c.MessageID != got.MessageID || c.Delta != got.Delta {
			t.Fatalf("encoding/json reads %q as %+v, we as %+v", data, got, c)
		}
	})
}

// Random streams of every event over few ids: nothing panics, a refused event
// changes nothing, and what Open returns always closes what is open.
func FuzzVerifier(f *testing.F) {
	f.Add([]byte{16, 0, 0, 1, 2, 17})
	f.Add([]byte{16, 4, 5, 10, 6, 8, 28, 29, 30, 17, 18, 16})
	f.Add([]byte{16, 21 + 31, 22, 23, 24, 25, 26, 27, 3, 7, 25 + 62})
	ids := []string{"a", "b"}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var v Verifier
		var x Expander
		for _, b := range stream {
			list := everyEvent()
			e := list[int(b)%len(list)]
			relabel(e, ids[int(b)/len(list)%2], int(b)/len(list)/2)
			events, err := x.AppendExpand(nil, e)
			if err != nil {
				continue
			}
			for _, e := range events {
				before := join(t, v.Open())
				if err := v.Observe(e); err == nil {
					continue
				} else if after := join(t, v.Open()); after != before {
					t.Fatalf("%v, and what is open went from\n%sto\n%s", err, before, after)
				}
			}
		}
		if v.phase != inRun {
			return
		}
		for _, e := range v.Open() {
			if err := v.Observe(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Observe(&RunFinished{}); err != nil {
			t.Fatal(err)
		}
	})
}

// relabel gives an event one of few ids, and one of few tags.
func relabel(e Event, id string, n int) {
	tag := Tag{}
	if n%2 == 1 {
		tag = Tag{SubagentRunID: &id}
	}
	switch e := e.(type) {
	case *TextMessageStart:
		e.MessageID, e.Tag = id, tag
	case *TextMessageContent:
		e.MessageID, e.Tag = id, tag
	case *TextMessageEnd:
		e.MessageID, e.Tag = id, tag
	case *TextMessageChunk:
		e.MessageID, e.Tag = &id, tag
	case *ToolCallStart:
		e.ToolCallID, e.ParentMessageID, e.Tag = id, id, tag
	case *ToolCallArgs:
		e.ToolCallID, e.Tag = id, tag
	case *ToolCallEnd:
		e.ToolCallID, e.Tag = id, tag
	case *ToolCallChunk:
		e.ToolCallID, e.ParentMessageID, e.Tag = &id, nil, tag
	case *StepStarted:
		e.StepName, e.Tag = id, tag
	case *StepFinished:
		e.StepName, e.Tag = id, tag
	case *ReasoningStart:
		e.MessageID, e.Tag = id, tag
	case *ReasoningMessageStart:
		e.MessageID, e.Tag = id, tag
	case *ReasoningMessageContent:
		e.MessageID, e.Tag = id, tag
	case *ReasoningMessageEnd:
		e.MessageID, e.Tag = id, tag
	case *ReasoningMessageChunk:
		e.MessageID, e.Tag = &id, tag
	case *ReasoningEnd:
		e.MessageID, e.Tag = id, tag
	case *SubagentStarted:
		e.SubagentRunID, e.ParentSubagentRunID = id, ""
	case *SubagentFinished:
		e.SubagentRunID = id
	case *SubagentError:
		e.SubagentRunID = id
	}
}
