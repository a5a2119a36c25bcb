package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParserGrammar(t *testing.T) {
	good := []string{
		`null`, `true`, `false`, `0`, `-0`, `12`, `1.5`, `1e9`, `1E+9`, `-1.25e-3`, `""`, `[]`, `{}`, ` [ ] `,
		`{"a":[1,{"b":null}],"c":"d"}`, "\t{\r\n\"a\" : 1 , \"b\" : [ true , false ] }\n",
		`"\u00e9"`, `[[[[]]]]`, `1e400`, `123456789012345678901234567890`,
	}
	bad := []string{
		``, ` `, `nul`, `True`, `+1`, `01`, `1.`, `.5`, `1e`, `1e+`, `-`, `- 1`, `NaN`, `Infinity`, `'a'`, `"a`, `"\x"`,
		`"\u12g4"`, `"\u12`, "\"\n\"", "\"\x1f\"", `[`, `[1`, `[1,]`, `[,1]`, `[1 2]`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`,
		`{a:1}`, `{"a" 1}`, `{1:2}`, `1 2`, `{} {}`, `[]]`, "\uFEFF{}", `"\`, `tru`, `{"a":1 "b":2}`, `/* */ 1`,
	}
	for _, s := range append(good, bad...) {
		p := parser{data: []byte(s), maxDepth: 10}
		if got, want := p.document(), json.Valid([]byte(s)); got != want {
			t.Errorf("%q: valid %v, encoding/json says %v (%s)", s, got, want, p.reason)
		}
		if json.Valid([]byte(s)) != (p.reason == "") {
			t.Errorf("%q: reason %q", s, p.reason)
		}
	}
}

func TestAppendJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:                         `{"a":1}`,
		" {\n \"a b\" : [ 1 ,\t2 ] }\r\n": `{"a b":[1,2]}`,
		`[ "\" \\" , "x  y" ]`:            `["\" \\","x  y"]`,
		` 1e+21 `:                         `1e+21`,
		`[1.0, 10000000000000000000001]`:  `[1.0,10000000000000000000001]`,
	} {
		got, reason := appendJSON([]byte("x"), []byte(in))
		if string(got) != "x"+want || reason != "" {
			t.Errorf("%q: got %q %q", in, got, reason)
		}
	}
	for _, in := range []string{"", "{", "[1,]", "\"\xff\"", "1 2", strings.Repeat("[", maxEventDepth+1)} {
		if got, reason := appendJSON([]byte("x"), []byte(in)); string(got) != "x" || reason == "" {
			t.Errorf("%.20q: got %q %q", in, got, reason)
		}
	}
}

// What is fatal in a request: each with the place and the reason.
func TestParseInputRefuses(t *testing.T) {
	in := func(members string) string {
		return `{"threadId":"t","runId":"r","messages":[]` + members + `}`
	}
	msg := func(message string) string {
		return `{"threadId":"t","runId":"r","messages":[{"id":"m0","role":"assistant"},` + message + `]}`
	}
	var wide strings.Builder
	for i := range 40 {
		fmt.Fprintf(&wide, `"k%d":%d,`, i, i)
	}
	var members strings.Builder
	for i := range maxUntyped + 1 {
		fmt.Fprintf(&members, `"%d":0,`, i)
	}
	for _, c := range []struct{ name, body, pointer, reason string }{
		{"empty body", ``, "", "empty"},
		{"not JSON", `threadId=t`, "", "a value should be"},
		{"an array", `[]`, "", "must be an object, not an array"},
		{"trailing bytes", in(``) + `x`, "", "followed by more text"},
		{"two objects", in(``) + in(``), "", "followed by more text"},
		{"cut off", `{"threadId":"t","runId":"r","messages":[{"id":"a`, "/messages/0/id", "ends early"},
		{"cut off in state", `{"state":{"a":[1,{"b":`, "/state/a/1/b", "ends early"},
		{"byte order mark", "\uFEFF" + in(``), "", "not JSON"},
		{"single quotes", `{'threadId':'t'}`, "", "a member name should be"},
		{"duplicate key", in(`,"runId":"s"`), "/runId", "there twice"},
		{"duplicate key in state", in(`,"state":{"a":{"b":1,"c":2,"b":3}}`), "/state/a/b", "there twice"},
		{"duplicate key in an array in state", in(`,"state":[{},[0,{"x":1,"x":1}]]`), "/state/1/1/x", "there twice"},
		{"a fault deep in arrays in state", in(`,"state":[[1,2],{"a":[0,[],{"b":1},x]}]`), "/state/1/a", "a value should be"},
		{"duplicate key deep in arrays in state", in(`,"state":[[1,2],{"a":[0,[],{"b":1},[[{"c":1,"c":2}]]]}]`), "/state/1/a/3/0/0/c", "there twice"},
		{"duplicate key, escaped", in(`,"state":{"ab":1,"\u0061b":2}`), "/state/ab", "there twice"},
		{"duplicate key among many", in(`,"state":{` + wide.String() + `"k3":0}`), "/state/k3", "there twice"},
		{"duplicate key in a message", msg(`{"id":"m","role":"user","content":"x","id":"n"}`), "/messages/1/id", "there twice"},
		{"duplicate key in forwardedProps", in(`,"forwardedProps":{"a":1,"a":1}`), "/forwardedProps/a", "there twice"},
		{"invalid UTF-8", in(`,"state":{"a":"` + "\xff" + `"}`), "/state/a", "is not UTF-8"},
		{"invalid UTF-8 in a name", in(`,"state":{"` + "\xc3" + `":1}`), "/state/\uFFFD", "is not UTF-8"},
		{"too deep", in(`,"state":` + strings.Repeat("[", 200) + strings.Repeat("]", 200)), "/state" + strings.Repeat("/0", 126), "deeper than 128"},
		{"snake case", `{"thread_id":"t","run_id":"r","messages":[]}`, "/threadId", `"thread_id" is not a name of the protocol, write "threadId"`},
		{"other case", `{"threadId":"t","RunID":"r","messages":[]}`, "/runId", `"RunID" is not a name of the protocol, write "runId"`},
		{"kebab case", `{"threadId":"t","run-id":"r","messages":[]}`, "/runId", `write "runId"`},
		{"snake case in a message", msg(`{"id":"m","role":"tool","tool_call_id":"c","content":"x"}`), "/messages/1/toolCallId", `write "toolCallId"`},
		{"unknown role", msg(`{"id":"m","role":"banana","content":"x"}`), "/messages/1/role", `not "banana"`},
		{"role in another case", msg(`{"id":"m","role":"User","content":"x"}`), "/messages/1/role", `not "User"`},
		{"no role", msg(`{"id":"m","content":"x"}`), "/messages/1/role", "is required"},
		{"role a number", msg(`{"id":"m","role":1}`), "/messages/1/role", "must be a string, not a number"},
		{"message a string", msg(`"hi"`), "/messages/1", "must be an object, not a string"},
		{"messages an object", `{"threadId":"t","runId":"r","messages":{}}`, "/messages", "must be an array"},
		{"content null", msg(`{"id":"m","role":"user","content":null}`), "/messages/1/content", "messages[1].content must be a string or an array of parts, not null$"},
		{"system content null", msg(`{"id":"m","role":"system","content":null}`), "/messages/1/content", "must be a string, not null$"},
		{"assistant content null", msg(`{"id":"m","role":"assistant","content":null}`), "/messages/1/content", "must be a string, not null; leave it out when there is none$"},
		{"activity content null", msg(`{"id":"m","role":"activity","activityType":"a","content":null}`), "/messages/1/content", "must be an object, not null$"},
		{"role null", msg(`{"id":"m","role":null,"content":""}`), "/messages/1/role", "must be a string, not null$"},
		{"function null", msg(`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":null}]}`), "/messages/1/toolCalls/0/function", "must be an object, not null$"},
		{"source null", msg(`{"id":"m","role":"user","content":[{"type":"image","source":null}]}`), "/messages/1/content/0/source", "must be an object, not null$"},
		{"messages null", `{"threadId":"t","runId":"r","messages":null}`, "/messages", "must be an array, not null$"},
		{"threadId null", `{"threadId":null,"runId":"r","messages":[]}`, "/threadId", "must be a string, not null$"},
		{"null", `null`, "", "the input must be an object, not null$"},
		{"parentRunId null", in(`,"parentRunId":null`), "/parentRunId", "not null; leave it out when there is none$"},
		{"resume null", in(`,"resume":null`), "/resume", "not null; leave it out when there is none$"},
		{"toolCalls null", msg(`{"id":"m","role":"assistant","toolCalls":null}`), "/messages/1/toolCalls", "not null; leave it out when there is none$"},
		{"name null", msg(`{"id":"m","role":"user","content":"","name":null}`), "/messages/1/name", "leave it out"},
		{"part without type", msg(`{"id":"m","role":"user","content":[{"text":"x"}]}`), "/messages/1/content/0/type", "is required"},
		{"unknown part", msg(`{"id":"m","role":"user","content":[{"type":"hologram"}]}`), "/messages/1/content/0/type", `not "hologram"`},
		{"unknown source", msg(`{"id":"m","role":"user","content":[{"type":"image","source":{"type":"ftp","value":"x"}}]}`), "/messages/1/content/0/source/type", `not "ftp"`},
		{"data without type", msg(`{"id":"m","role":"user","content":[{"type":"image","source":{"type":"data","value":"x"}}]}`), "/messages/1/content/0/source/mimeType", "is required"},
		{"part metadata null", msg(`{"id":"m","role":"user","content":[{"type":"image","source":{"type":"url","value":"x"},"metadata":null}]}`), "/messages/1/content/0/metadata", "not null"},
		{"binary part of a 1.0 client", `{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[{"id":"m","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"x"}]}]}`, "/messages/0/content/0/type", `not "binary"`},
		{"binary part with an id only", msg(`{"id":"m","role":"user","content":[{"type":"binary","mimeType":"image/png","id":"f"}]}`), "/messages/1/content/0", "neither data nor url"},
		{"call type", msg(`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"custom","function":{"name":"n","arguments":""}}]}`), "/messages/1/toolCalls/0/type", `must be function`},
		{"arguments an object", msg(`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":{}}}]}`), "/messages/1/toolCalls/0/function/arguments", "must be a string, not an object"},
		{"metadata an array", msg(`{"id":"m","role":"assistant","metadata":[]}`), "/messages/1/metadata", "must be an object"},
		{"tools null", in(`,"tools":null`), "/tools", "leave it out"},
		{"tool a string", in(`,"tools":["search"]`), "/tools/0", "must be an object"},
		{"tool parameters null", in(`,"tools":[{"name":"a","description":"b","parameters":null}]`), "/tools/0/parameters", "any JSON but null"},
		{"forwardedProps null", in(`,"forwardedProps":null`), "/forwardedProps", "any JSON but null"},
		{"resume status", in(`,"resume":[{"interruptId":"i","status":"denied"}]`), "/resume/0/status", `not "denied"`},
		{"duplicate key among many, deep", in(`,"forwardedProps":[0,{` + wide.String() + `"x":[1,{"k":1,"k":2}]}]`), "/forwardedProps/1/x/1/k", "there twice"},
		{"cut off among many", `{"x":[0,{` + wide.String() + `"last":[0,tru`, "/x/1/last", "a value should be"},
		{"too many values in metadata", in(`,"tools":[{"name":"a","description":"b","metadata":{"a":[` + strings.Repeat(`0,`, maxUntyped) + `0]}}]`), "/tools/0/metadata/a/131071", "is one too many"},
		{"too many members", `{` + members.String() + `"threadId":"t","runId":"r","messages":[]}`, "/131072", "is one too many"},
		{"pointer with odd names", in(`,"state":{"a/b":{"m~n":{"x":1,"x":2}}}`), "/state/a~1b/m~0n/x", "there twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseInput([]byte(c.body))
			if _, same := parseInput([]byte(c.body), everything); !reflect.DeepEqual(err, same) {
				t.Errorf("got %v, and with all of it indexed %v", err, same)
			}
			var fault *InputError
			if !errors.As(err, &fault) || got != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			if fault.Pointer != c.pointer || !strings.Contains(fault.Reason+"$", c.reason) { // the $ is the end
				t.Errorf("got %q: %s\nwant %q: …%s…", fault.Pointer, fault.Reason, c.pointer, c.reason)
			}
			if !utf8.ValidString(err.Error()) {
				t.Errorf("the error is not UTF-8: %q", err)
			}
		})
	}
}

// What is odd but somebody's right: it is kept exactly.
func TestParseInputKeeps(t *testing.T) {
	body := `{
		"threadId": "t\u0000", "runId": "r",
		"state": { "big": 12345678901234567890.10, "e": 1e400, "nul":"\u0000", "lone": "\ud83d", "null": null },
		"messages": [
			{"id":"u","role":"user","content":"é\u0000\u2028","createdAt":1e2,"toolCalls":[ 1 ]},
			{"id":"a","role":"assistant","content":"","metadata":{"n":12345678901234567890,"x":[true,null,{"y":"z"}]}},
			{"id":"act","role":"activity","activityType":"PLAN","content":{ "steps": [1] }},
			{"id":"th","role":"reasoning","content":"hm","encryptedValue":"e"},
			{"id":"p","role":"tool","toolCallId":"c","content":[]}
		],
		"forwardedProps": { "a" : 1 }, "custom_field": [ 1, 2 ], "TOOLS": null
	}`
	in, err := ParseInput([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, got, want string }{
		{"threadId", in.ThreadID, "t\x00"},
		{"state", string(in.State), `{ "big": 12345678901234567890.10, "e": 1e400, "nul":"\u0000", "lone": "\ud83d", "null": null }`},
		{"content", in.Messages[0].Content.Text(), "é\x00\u2028"},
		{"createdAt", string(in.Messages[0].Extra["createdAt"]), "1e2"},
		{"a user's toolCalls", string(in.Messages[0].Extra["toolCalls"]), "[ 1 ]"},
		{"metadata", compact(in.Messages[1].Metadata), `{"n":12345678901234567890,"x":[true,null,{"y":"z"}]}`},
		{"activity", string(in.Messages[2].Activity), `{ "steps": [1] }`},
		{"encryptedValue", in.Messages[3].EncryptedValue, "e"},
		{"forwardedProps", string(in.ForwardedProps), `{ "a" : 1 }`},
		{"custom_field", string(in.Extra["custom_field"]), "[ 1, 2 ]"},
		{"a name in another case", string(in.Extra["TOOLS"]), "null"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
	if len(in.Extra) != 2 || in.Tools == nil || in.Context == nil || in.Resume != nil {
		t.Errorf("got %+v", in)
	}
	if c := in.Messages[1].Content; c.IsZero() || c.IsParts() || c.Text() != "" {
		t.Errorf("empty content is %+v", c)
	}
	if c := in.Messages[4].Content; !c.IsParts() || len(c.Parts()) != 0 {
		t.Errorf("empty parts are %+v", c)
	}
	again, err := in.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := compact(value(t, again)), compact(filledInput(value(t, []byte(body)))); got != want {
		t.Errorf("written again\n got %s\nwant %s", got, want)
	}
	if strings.ContainsAny(string(again), "\n") {
		t.Errorf("a line break is left: %s", again)
	}
}

func filledInput(v any) any {
	in := v.(map[string]any)
	in["tools"], in["context"] = []any{}, []any{}
	return in
}

func TestParseInputStateForms(t *testing.T) {
	for state, want := range map[string]string{
		`null`: "", ` "hello"`: `"hello"`, `[]`: "[]", `5`: "5", `false`: "false", `{}`: "{}",
	} {
		in, err := ParseInput([]byte(`{"threadId":"t","runId":"r","messages":[],"state":` + state + `}`))
		if err != nil || string(in.State) != want || (in.State == nil) != (want == "") {
			t.Errorf("%s: got %q, %v", state, in.State, err)
		}
	}
}

func TestParseInputSharesNoMemory(t *testing.T) {
	body := []byte(`{"threadId":"t","runId":"r","state":{"a":1},"messages":[{"id":"m","role":"user","content":"hello"}]}`)
	in, err := ParseInput(body)
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	if string(in.State) != `{"a":1}` || in.Messages[0].Content.Text() != "hello" || in.ThreadID != "t" {
		t.Errorf("got %+v", in)
	}
}

// What a body takes to be read is a multiple of its size, also when it is made
// to hurt; what the protocol leaves raw takes no more than the copy.
func TestParseInputMemory(t *testing.T) {
	const size = 2 << 20
	many := func(before, item, after string) []byte {
		items := strings.Repeat(item+",", (size-len(before)-len(after))/(len(item)+1))
		return []byte(before + strings.TrimSuffix(items, ",") + after)
	}
	const head = `{"threadId":"t","runId":"r","messages":[`
	for _, c := range []struct {
		name  string
		body  []byte
		times uint64
	}{
		{"a state of arrays", many(head+`],"state":[`, `[]`, `]}`), 2},
		{"a state of objects", many(head+`],"state":{"a":[`, `{"a":0}`, `]}}`), 2},
		{"forwardedProps of numbers", many(head+`],"forwardedProps":[`, `0`, `]}`), 2},
		{"a schema of arrays", many(head+`],"tools":[{"name":"","description":"","parameters":[`, `[]`, `]}]}`), 2},
		{"an unknown member of arrays", many(head+`],"x":[`, `[]`, `]}`), 2},
		{"numbers for messages", many(head, `0`, `]}`), 32},
		{"objects for messages", many(head, `{"a":0,"b":0,"c":0,"d":0}`, `]}`), 32},
		{"little messages", many(head, `{"id":"","role":"assistant"}`, `]}`), 16},
		{"little parts", many(head+`{"id":"","role":"user","content":[`, `{"type":"text","text":""}`, `]}]}`), 16},
		{"little tools", many(head+`],"tools":[`, `{"name":"","description":""}`, `]}`), 16},
		{"metadata of objects", many(head+`{"id":"","role":"user","content":"","metadata":{"a":[`, `{"":{"":{"":0}}}`, `]}}]}`), 48},
		{"messages with a member", many(head, `{"id":"","role":"assistant","":0}`, `]}`), 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			in, err := ParseInput(c.body)
			runtime.ReadMemStats(&after)
			if times := (after.TotalAlloc - before.TotalAlloc) / size; times > c.times {
				t.Errorf("%d times its size (%v), want at most %d", times, err, c.times)
			}
			runtime.KeepAlive(in)
		})
	}
}

// The parts of clients before 1.0, as the reference client translates them.
func TestBinaryParts(t *testing.T) {
	part := `{"type":"binary","mimeType":"%s",%s}`
	for _, c := range []struct {
		mime, members string
		want          Part
	}{
		{"image/png", `"data":"aGk="`, Part{Type: PartImage, Source: Source{Type: SourceData, Value: "aGk=", MIMEType: "image/png"}}},
		{"audio/mpeg", `"url":"u","id":"f"`, Part{Type: PartAudio, Source: Source{Type: SourceURL, Value: "u", MIMEType: "audio/mpeg"}}},
		{"video/mp4", `"data":"","url":"u"`, Part{Type: PartVideo, Source: Source{Type: SourceURL, Value: "u", MIMEType: "video/mp4"}}},
		{"application/pdf", `"data":"d","url":"u","filename":"a\"b.pdf"`, Part{Type: PartDocument,
			Source: Source{Type: SourceData, Value: "d", MIMEType: "application/pdf"}, Metadata: []byte(`{"filename":"a\"b.pdf"}`)}},
	} {
		message := `{"id":"m","role":"user","content":[{"type":"text","text":"look"},` + fmt.Sprintf(part, c.mime, c.members) + `]}`
		want := Parts(Part{Type: PartText, Text: "look"}, c.want)

		in, err := ParseInput([]byte(`{"threadId":"t","runId":"r","messages":[` + message + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if !in.Messages[0].Content.Equal(want) {
			t.Errorf("in an input: got %+v", in.Messages[0].Content)
		}

		e, err := DecodeEvent([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":[` + message + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := e.(*MessagesSnapshot).Messages[0].Content; !got.Equal(want) {
			t.Errorf("in an event: got %+v", got)
		}
	}
	// In a tool result the reference client knows no such part.
	e, err := DecodeEvent([]byte(`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[` + fmt.Sprintf(part, "image/png", `"data":"d"`) + `]}`))
	if err != nil || !e.(*ToolCallResult).Content.Equal(Parts()) {
		t.Errorf("in a result: got %+v, %v", e, err)
	}
}
