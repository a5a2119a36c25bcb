package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

func TestRefuses(t *testing.T) {
	s, _ := start(t, nil)
	msgs := func(list string) string { return `{"model":"m","messages":[` + list + `]}` }
	const (
		hi     = `{"role":"user","content":"hi"}`
		call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		two    = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":""}}]}`
		answer = `{"role":"tool","tool_call_id":"c1","content":"ok"}`
		tool   = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`
	)
	with := func(members string) string { return `{"model":"m","messages":[` + hi + `],` + members + `}` }
	strict := func(schema string) string {
		return with(`"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":` + schema + `}}`)
	}
	for _, tt := range []struct{ name, body, param, says string }{
		{"no json", `{"model":`, "", "could not be read as JSON"},
		{"no object", `[1]`, "", "not an array"},
		{"more than one value", `{"model":"m","messages":[` + hi + `]} {}`, "", "something after"},
		{"too deep", strings.Repeat(`{"messages":`, 300) + `1` + strings.Repeat(`}`, 300), "", "too deeply"},
		{"no model", `{"messages":[` + hi + `]}`, "model", "Missing required parameter: 'model'"},
		{"model of a wrong type", `{"model":3,"messages":[` + hi + `]}`, "model", "Invalid type for 'model'"},
		{"unknown member", with(`"temprature":1`), "temprature", "Unknown parameter: 'temprature'"},
		{"no messages", `{"model":"m"}`, "messages", "Missing required parameter: 'messages'"},
		{"empty messages", msgs(""), "messages", "at least one message"},
		{"message is null", msgs("null"), "messages[0]", "got null"},
		{"unknown message member", msgs(`{"role":"user","content":"hi","id":"x"}`), "messages[0].id", "Unknown parameter: 'messages[0].id'"},
		{"no role", msgs(`{"content":"hi"}`), "messages[0].role", "Missing required parameter"},
		{"unknown role", msgs(`{"role":"reasoning","content":"hi"}`), "messages[0].role", "'reasoning'"},
		{"no content", msgs(`{"role":"user"}`), "messages[0].content", "Missing required parameter: 'messages[0].content'"},
		{"null content", msgs(`{"role":"system","content":null}`), "messages[0].content", "got null"},
		{"number as content", msgs(`{"role":"user","content":3}`), "messages[0].content", "got a number"},
		{"no parts", msgs(`{"role":"user","content":[]}`), "messages[0].content", "empty array"},
		{"part is a string", msgs(`{"role":"user","content":["hi"]}`), "messages[0].content[0]", "expected an object"},
		{"unknown part", msgs(`{"role":"user","content":[{"type":"smell","smell":"rose"}]}`), "messages[0].content[0].type", "'smell'"},
		{"image in a system message", msgs(`{"role":"system","content":[{"type":"image_url","image_url":{"url":"x"}}]}`), "messages[0].content[0].type", "'system'"},
		{"part without text", msgs(`{"role":"user","content":[{"type":"text"}]}`), "messages[0].content[0].text", "Missing required parameter"},
		{"assistant says and calls nothing", msgs(hi + `,{"role":"assistant"}`), "messages[1].content", "Missing required parameter"},
		{"empty calls", msgs(`{"role":"assistant","content":"x","tool_calls":[]}`), "messages[0].tool_calls", "empty array"},
		{"calls by a user", msgs(`{"role":"user","content":"x","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`), "messages[0].tool_calls", "'assistant' only"},
		{"call without id", msgs(strings.Replace(call, `"id":"c1",`, ``, 1)), "messages[0].tool_calls[0].id", "Missing required parameter"},
		{"call without type", msgs(strings.Replace(call, `"type":"function",`, ``, 1)), "messages[0].tool_calls[0].type", "Missing required parameter"},
		{"call without name", msgs(strings.Replace(call, `"name":"f",`, ``, 1)), "messages[0].tool_calls[0].function.name", "Missing required parameter"},
		{"call without arguments", msgs(strings.Replace(call, `,"arguments":"{}"`, ``, 1) + "," + answer), "messages[0].tool_calls[0].function.arguments", "Missing required parameter"},
		{"arguments as an object", msgs(strings.Replace(call, `"{}"`, `{}`, 1) + "," + answer), "messages.tool_calls.function.arguments", "Invalid type"},
		{"twice the same call", msgs(strings.Replace(two, "c2", "c1", 1)), "messages[0].tool_calls[1].id", "Duplicate"},
		{"call unanswered at the end", msgs(hi + "," + call), "messages.[1].role", "these tool_call_ids are not: c1"},
		{"call unanswered before a user", msgs(call + "," + hi), "messages.[0].role", "c1"},
		{"one of two unanswered", msgs(two + "," + answer + "," + hi), "messages.[0].role", "are not: c2"},
		{"text between call and answer", msgs(call + `,{"role":"assistant","content":"wait"},` + answer), "messages.[0].role", "c1"},
		{"two calls, then their answers", msgs(call + "," + strings.Replace(call, "c1", "c2", 1) + "," + answer), "messages.[0].role", "c1"},
		{"answer without a call", msgs(hi + "," + answer), "messages.[1].role", "no message with such a call"},
		{"answer to another call", msgs(call + "," + strings.Replace(answer, "c1", "c9", 1)), "messages.[1].role", "'c9'"},
		{"answered twice", msgs(call + "," + answer + "," + answer), "messages.[2].role", "answered already"},
		{"answer without id", msgs(call + `,{"role":"tool","content":"ok"}`), "messages[1].tool_call_id", "Missing required parameter"},
		{"answer without content", msgs(call + `,{"role":"tool","tool_call_id":"c1"}`), "messages[1].content", "Missing required parameter"},
		{"call id on a user", msgs(`{"role":"user","content":"x","tool_call_id":"c1"}`), "messages[0].tool_call_id", "'tool' only"},
		{"no tools", with(`"tools":[]`), "tools", "empty array"},
		{"null parameters", with(`"tools":[{"type":"function","function":{"name":"f","parameters":null}}]`), "tools[0].function.parameters", "got null"},
		{"parameters no object schema", with(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"string"}}}]`), "tools[0].function.parameters", `not "string"`},
		{"tool name", with(`"tools":[{"type":"function","function":{"name":"add ingredient"}}]`), "tools[0].function.name", "'add ingredient'"},
		{"tool without function", with(`"tools":[{"type":"function"}]`), "tools[0].function", "Missing required parameter"},
		{"tool type", with(`"tools":[{"type":"web","function":{"name":"f"}}]`), "tools[0].type", "'web'"},
		{"two tools of one name", with(`"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"f"}}]`), "tools[1].function.name", "Duplicate"},
		{"strict tool", with(`"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}}}]`), "tools[0].function.parameters", "'a' is missing"},
		{"choice without tools", with(`"tool_choice":"auto"`), "tool_choice", "only allowed when 'tools'"},
		{"unknown choice", with(tool + `,"tool_choice":"maybe"`), "tool_choice", "'maybe'"},
		{"choice of no tool", with(tool + `,"tool_choice":{"type":"function","function":{"name":"g"}}`), "tool_choice", "'g'"},
		{"choice without a name", with(tool + `,"tool_choice":{"type":"function"}`), "tool_choice", "name a function"},
		{"parallel without tools", with(`"parallel_tool_calls":false`), "parallel_tool_calls", "only allowed when 'tools'"},
		{"stream options unstreamed", with(`"stream_options":{"include_usage":true}`), "stream_options", "when 'stream' is true"},
		{"functions", with(`"functions":[{"name":"f"}]`), "functions", "'tools'"},
		{"n", with(`"n":2`), "n", "one choice"},
		{"temperature", with(`"temperature":3`), "temperature", "0 to 2"},
		{"token limit", with(`"max_tokens":0`), "max_tokens", "at least 1"},
		{"two token limits", with(`"max_tokens":5,"max_completion_tokens":5`), "max_tokens", "Only one"},
		{"stop", with(`"stop":7`), "stop", "got a number"},
		{"format", with(`"response_format":{"type":"yaml"}`), "response_format.type", "'yaml'"},
		{"format without schema", with(`"response_format":{"type":"json_schema"}`), "response_format.json_schema", "Missing required parameter"},
		{"format without name", with(`"response_format":{"type":"json_schema","json_schema":{"schema":{}}}`), "response_format.json_schema.name", "Missing required parameter"},
		{"json without the word", with(`"response_format":{"type":"json_object"}`), "messages", "the word 'json'"},
		{"strict root", strict(`{"type":"array","items":{"type":"string"}}`), "response_format", "the root"},
		{"strict open object", strict(`{"type":"object","properties":{},"required":[]}`), "response_format", "'additionalProperties'"},
		{"strict optional", strict(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"required":[],"additionalProperties":false}},"required":["a"],"additionalProperties":false}`), "response_format", "at '/properties/a'"},
		{"strict keyword", strict(`{"type":"object","properties":{"a":{"oneOf":[]}},"required":["a"],"additionalProperties":false}`), "response_format", "'oneOf'"},
		{"reference to nothing", strict(`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}},"required":["a"],"additionalProperties":false}`), "response_format", "leads nowhere"},
		{"endless schema", strict(`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"],"additionalProperties":false}`), "response_format", "without end"},
		{"vast schema", with(`"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","minItems":60,"items":{"type":"array","minItems":60,"items":{"type":"array","minItems":60,"items":{"type":"string"}}}}}}}}`), "response_format", "too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, got, h := post(t, s, "/v1/chat/completions", tt.body)
			var e struct {
				Error struct {
					Message string  `json:"message"`
					Type    string  `json:"type"`
					Param   *string `json:"param"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(got), &e); err != nil {
				t.Fatalf("%v in %s", err, got)
			}
			param := ""
			if e.Error.Param != nil {
				param = *e.Error.Param
			}
			if status != 400 || e.Error.Type != "invalid_request_error" || h.Get("Content-Type") != "application/json" {
				t.Errorf("status %d, %s", status, got)
			}
			if param != tt.param || !strings.Contains(e.Error.Message, tt.says) {
				t.Errorf("param %q, want %q; message %q, want %q in it", param, tt.param, e.Error.Message, tt.says)
			}
		})
	}
	t.Run("too large", func(t *testing.T) {
		if status, _, _ := post(t, s, "/v1/chat/completions", `"`+strings.Repeat("x", maxBody)+`"`); status != 413 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("as the client sees it", func(t *testing.T) {
		_, c := start(t, nil)
		_, err := c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m", Messages: []openai.ChatCompletionMessage{user("x"), {Role: "tool", ToolCallID: "c", Content: "y"}}})
		var api *openai.APIError
		if !errors.As(err, &api) || api.HTTPStatusCode != 400 || api.Param == nil || *api.Param != "messages.[1].role" {
			t.Errorf("got %v", err)
		}
	})
}

// What looks odd and is allowed.
func TestAccepts(t *testing.T) {
	s, _ := start(t, nil)
	for name, messages := range map[string]string{
		"answers in any order":  `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":""}},{"id":"b","type":"function","function":{"name":"f","arguments":"not json"}}]},{"role":"tool","tool_call_id":"b","content":""},{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"}]}`,
		"ids again later":       `{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"2"}`,
		"empty content":         `{"role":"user","content":""}`,
		"refusal":               `{"role":"assistant","content":null,"refusal":"no"}`,
		"image":                 `{"role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}`,
		"nulls":                 `{"role":"assistant","content":"x","tool_calls":null,"refusal":null,"name":null}`,
		"nothing from the user": `{"role":"system","content":"Be brief."}`,
	} {
		t.Run(name, func(t *testing.T) {
			body := fmt.Sprintf(`{"model":"m","tools":null,"tool_choice":"none","seed":7,"user":"u","messages":[%s]}`, messages)
			if status, got, _ := post(t, s, "/v1/chat/completions", body); status != 200 {
				t.Errorf("status %d: %s", status, got)
			}
		})
	}
}
