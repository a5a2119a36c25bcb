package standin

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRequest: whatever is sent, the answer is an error of the service's shape
// or a complete answer, streamed or whole.
func FuzzRequest(f *testing.F) {
	base := `{"model":"m","messages":[{"role":"user","content":`
	for _, s := range []string{
		`{}`, `[]`, `null`, `{"model":"m"`, base + `"double it"}]}`, base + `"make me a soup for 3 people without salt"}],"stream":true}`,
		base + `"list all"},{"role":"system","content":"{\"recipe\":{\"ingredients\":[{\"name\":\"x\",\"amount\":\"½\"},\"2 eggs\",3,null]}}"}],"stream":true,"stream_options":{"include_usage":true}}`,
		base + `"add 2 eggs, remove the salt and call it \"x\""}],"stream":true,"tools":[{"type":"function","function":{"name":"add_item","parameters":{"type":"object","properties":{"item":{"type":"string"}}}}}],"tool_choice":"required"}`,
		base + `"make it vegan"}],"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"object","properties":{"x":{"$ref":"#"}},"required":["x"]},{"type":"null"}]}}}}}}`,
		base + `"x"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{"}}]},{"role":"tool","tool_call_id":"1","content":"{\"error\":1}"}],"max_tokens":2,"stop":[""],"stream":true}`,
		base + `"replace x with y; replace x for x. scale by 1/0 and double the . remove step 0"}],"stream":true}`,
	} {
		f.Add([]byte(s))
	}
	s := New(nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(string(body))))
		got := rec.Body.String()
		switch {
		case rec.Code >= 400 && rec.Code < 500:
			var e struct {
				Error *struct {
					Message string `json:"message"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(got), &e); err != nil || e.Error == nil || e.Error.Message == "" {
				t.Fatalf("%v: %s", err, got)
			}
		case rec.Code != 200:
			t.Fatalf("status %d: %s", rec.Code, got)
		case strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream"):
			frames := strings.Split(strings.TrimSuffix(got, "\n\n"), "\n\n")
			if frames[len(frames)-1] != "data: [DONE]" {
				t.Fatalf("no end in %s", got)
			}
			finish := ""
			for _, fr := range frames[:len(frames)-1] {
				var c struct {
					Choices []struct {
						FinishReason *string `json:"finish_reason"`
					} `json:"choices"`
				}
				data, ok := strings.CutPrefix(fr, "data: ")
				if err := json.Unmarshal([]byte(data), &c); err != nil || !ok || strings.Contains(data, "\n") {
					t.Fatalf("%v: frame %q", err, fr)
				}
				if len(c.Choices) > 0 && c.Choices[0].FinishReason != nil {
					finish = *c.Choices[0].FinishReason
				}
			}
			if finish == "" {
				t.Fatalf("no finish reason in %s", got)
			}
		default:
			if !json.Valid([]byte(got)) {
				t.Fatalf("no JSON: %s", got)
			}
		}
	})
}

// FuzzWish: any text about any ingredient leaves a recipe that can be written
// and read again.
func FuzzWish(f *testing.F) {
	f.Add("double it", "Plum", "1 1/2 kg")
	f.Add("remove the plum and replace it with 2 of", "(plum", "½-¾")
	f.Add("make me a \x00 soup for 12 without {x}", "", "1/0")
	f.Add("make it vegan, spicy and low carb for 9999 people", "Chicken butter eggs", "999999999999999 g")
	f.Fuzz(func(t *testing.T, said, name, amount string) {
		before := recipe{title: name, ingredients: []ingredient{{name: name, amount: amount}, {name: "Butter", amount: "1"}}, steps: []string{"Mix the " + name + ", butter and salt."}}
		u := understand(said)
		after := carryOut(u.wishes, before)
		v, err := parseValue(appendValue(nil, after.value()))
		if err != nil {
			t.Fatal(err)
		}
		again := readRecipe(v.(*object))
		if len(again.ingredients) != len(after.ingredients) {
			t.Fatalf("%d ingredients became %d", len(after.ingredients), len(again.ingredients))
		}
		if answer(u, conversation{recipe: after}) == "" {
			t.Fatal("nothing was answered")
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	s := New(nil)
	state, err := json.Marshal(taco())
	if err != nil {
		b.Fatal(err)
	}
	body := `{"model":"m","stream":true,"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":` + stateSchema + `}},"messages":[{"role":"system","content":` +
		string(appendString(nil, string(state))) + `},{"role":"user","content":"make it vegan and double it"}]}`
	b.ReportAllocs()
	for b.Loop() {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
		if rec.Code != 200 {
			b.Fatal(rec.Body)
		}
	}
}
