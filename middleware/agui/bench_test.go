package agui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var sink []byte

func BenchmarkAppendEvent(b *testing.B) {
	text := &TextMessageContent{MessageID: "8f14e45f-ceea-4672-9d5e-1b5e2b2a7c11", Delta: " tomatoes,"}
	for _, c := range []struct {
		name  string
		event Event
	}{
		{"text", text},
		{"text_200", &TextMessageContent{MessageID: text.MessageID, Delta: strings.Repeat("a word, ", 25)}},
		{"text_unicode", &TextMessageContent{MessageID: text.MessageID, Delta: " 中文 é 👩"}},
		{"text_tagged", &TextMessageContent{MessageID: text.MessageID, Delta: " tomatoes,", Tag: Tag{SubagentRunID: new("s1")}}},
		{"args", &ToolCallArgs{ToolCallID: "call_a1b2c3", Delta: `{"name":"`}},
		{"reasoning", &ReasoningMessageContent{MessageID: text.MessageID, Delta: " so then"}},
		{"state_delta", &StateDelta{Delta: Patch{{Op: OpReplace, Path: "/recipe/ingredients/3/amount", Value: []byte(`"200 g"`)}}}},
		{"state_snapshot_10k", &StateSnapshot{Snapshot: document10k()}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink, _ = AppendEvent(sink[:0], c.event)
			}
			b.SetBytes(int64(len(sink)))
		})
	}
	b.Run("text_encoding_json", func(b *testing.B) {
		type plain struct {
			Type      EventType `json:"type"`
			MessageID string    `json:"messageId"`
			Delta     string    `json:"delta"`
		}
		e := &plain{TypeTextMessageContent, text.MessageID, text.Delta}
		b.ReportAllocs()
		for b.Loop() {
			sink, _ = json.Marshal(e)
		}
		b.SetBytes(int64(len(sink)))
	})
}

// document10k is a state of about 10 KB.
func document10k() []byte {
	var b strings.Builder
	b.WriteString(`{"recipe":{"title":"Stew","ingredients":[`)
	for i := range 110 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"icon":"🥕","name":"ingredient number %d","amount":"%d g","done":false,"weight":%d.5}`, i, i*10, i)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

// input12k is a request of about 12 KB: a state of 10 KB and a conversation.
func input12k() []byte {
	var b strings.Builder
	b.WriteString(`{"threadId":"t1","runId":"r1","protocolVersion":"1.0","state":`)
	b.Write(document10k())
	b.WriteString(`,"messages":[`)
	for i := range 10 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"m%d","role":"user","content":"What should I cook today? I have eggs, and \"leftovers\" from message %d.\nThanks!"}`, i, i)
	}
	b.WriteString(`],"tools":[{"name":"add","description":"Add.","parameters":{"type":"object","properties":{"name":{"type":"string"}}}}],"context":[],"forwardedProps":{}}`)
	return []byte(b.String())
}

func BenchmarkParseInput(b *testing.B) {
	data := input12k()
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ParseInput(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		type message struct {
			ID, Role string
			Content  json.RawMessage
		}
		type input struct {
			ThreadID, RunID, ProtocolVersion string
			State, ForwardedProps            json.RawMessage
			Messages                         []message
			Tools, Context                   []json.RawMessage
		}
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var in input
			if err := json.Unmarshal(data, &in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecodeEvent(b *testing.B) {
	data := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"8f14e45f-ceea-4672-9d5e-1b5e2b2a7c11","delta":" tomatoes,"}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeEvent(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifier(b *testing.B) {
	var v Verifier
	id := "8f14e45f-ceea-4672-9d5e-1b5e2b2a7c11"
	for _, e := range []Event{&RunStarted{}, &TextMessageStart{MessageID: id}} {
		if err := v.Observe(e); err != nil {
			b.Fatal(err)
		}
	}
	e := Event(&TextMessageContent{MessageID: id, Delta: "x"})
	b.ReportAllocs()
	for b.Loop() {
		if err := v.Observe(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExpander(b *testing.B) {
	var x Expander
	var events []Event
	b.Run("explicit", func(b *testing.B) {
		e := Event(&TextMessageContent{MessageID: "m", Delta: "x"})
		b.ReportAllocs()
		for b.Loop() {
			events, _ = x.AppendExpand(events[:0], e)
		}
	})
	b.Run("chunk", func(b *testing.B) {
		e := Event(&TextMessageChunk{MessageID: new("m"), Delta: new("x")})
		b.ReportAllocs()
		for b.Loop() {
			events, _ = x.AppendExpand(events[:0], e)
		}
	})
}

// The time for a lane must not grow with the lanes that are open: each is
// opened, goes on, and ends while all others are there.
func BenchmarkExpanderLanes(b *testing.B) {
	for _, lanes := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(lanes), func(b *testing.B) {
			var stream []Event
			for round := range 3 {
				for i := range lanes {
					owner := fmt.Sprint("s", i)
					var e Event = &TextMessageChunk{MessageID: new("m-" + owner), Delta: new("x")}
					switch round {
					case 0:
						e.(*TextMessageChunk).SubagentRunID = &owner
					case 2:
						e = &SubagentFinished{SubagentRunID: owner}
					}
					stream = append(stream, e)
				}
			}
			var x Expander
			var events []Event
			for b.Loop() {
				for _, e := range stream {
					events, _ = x.AppendExpand(events[:0], e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lanes), "ns/lane")
		})
	}
}
