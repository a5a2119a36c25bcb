package standin

import (
	"bufio"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	openai "github.com/sashabaranov/go-openai"
)

var update = flag.Bool("update", false, "write the golden files anew")

// volatile is what differs between two answers to the same request.
var volatile = regexp.MustCompile(`"(id|created)":("(?:chatcmpl-|call_)[0-9a-f]+"|\d+)`)

func stable(s string) string { return volatile.ReplaceAllString(s, `"$1":…`) }

const goldenTail = `"model":"m","messages":[{"role":"system","content":"{\"recipe\":{\"title\":\"Plum Jam\",\"ingredients\":[{\"icon\":\"🟣\",\"name\":\"Plums\",\"amount\":\"1 kg\"}],\"instructions\":[\"Boil.\"]}}"},{"role":"user","content":`

func TestGolden(t *testing.T) {
	s, _ := start(t, nil)
	add := `"tools":[{"type":"function","function":{"name":"add_ingredient","parameters":{"type":"object","properties":{"name":{"type":"string"},"amount":{"type":"string"}},"required":["name","amount"]}}}]`
	for name, body := range map[string]string{
		"text.sse":   `{"stream":true,` + goldenTail + `"how long does it take?"}]}`,
		"usage.sse":  `{"stream":true,"stream_options":{"include_usage":true},` + goldenTail + `"what is the first step?"}]}`,
		"calls.sse":  `{"stream":true,` + add + `,` + goldenTail + `"add 2 cups of sugar and 1 lemon"}]}`,
		"state.sse":  `{"stream":true,"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"type":"object","properties":{"title":{"type":"string"},"ingredients":{"type":"array","items":{"type":"object","properties":{"amount":{"type":"string"},"name":{"type":"string"}}}}}}}},` + goldenTail + `"halve it"}]}`,
		"text.json":  `{` + goldenTail + `"how much plums?"}]}`,
		"calls.json": `{` + add + `,` + goldenTail + `"add 2 cups of sugar"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			status, got, h := post(t, s, "/v1/chat/completions", body)
			_, again, _ := post(t, s, "/v1/chat/completions", body)
			if status != 200 || stable(got) != stable(again) {
				t.Fatalf("status %d; the same request twice gave\n%s\n%s", status, got, again)
			}
			if sse := strings.HasSuffix(name, ".sse"); sse != strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
				t.Errorf("content type %q", h.Get("Content-Type"))
			}
			file := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(file, []byte(stable(got)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if stable(got) != string(want) {
				t.Errorf("got\n%s\nwant\n%s", stable(got), want)
			}
		})
	}
}

func TestUnstreamed(t *testing.T) {
	_, c := start(t, nil)
	r, err := c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "any", Messages: []openai.ChatCompletionMessage{carrier(taco()), user("how many eggs?")}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Choices[0].Message.Content != "Eggs: 2-3" || r.Choices[0].FinishReason != "stop" || r.Model != "any" || r.Usage.TotalTokens != r.Usage.PromptTokens+r.Usage.CompletionTokens || r.Usage.CompletionTokens != 2 {
		t.Errorf("got %+v", r)
	}
	r, err = c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "any", Messages: []openai.ChatCompletionMessage{carrier(taco()), user("double it")}, Tools: tools(t, scaleTool)})
	if err != nil {
		t.Fatal(err)
	}
	if k := r.Choices[0].Message.ToolCalls; len(k) != 1 || k[0].Function.Arguments != `{"factor":2}` || k[0].ID == "" || r.Choices[0].FinishReason != "tool_calls" {
		t.Errorf("got %+v", r)
	}
}

func TestUsageOnlyWhenAsked(t *testing.T) {
	_, c := start(t, nil)
	m := []openai.ChatCompletionMessage{carrier(taco()), user("how many eggs?")}
	if got := ask(t, c, openai.ChatCompletionRequest{Messages: m}); got.usage != nil {
		t.Errorf("got %+v", got.usage)
	}
	got := ask(t, c, openai.ChatCompletionRequest{Messages: m, StreamOptions: &openai.StreamOptions{IncludeUsage: true}})
	if got.usage == nil || got.usage.CompletionTokens != 2 || got.usage.PromptTokens < 50 {
		t.Errorf("got %+v", got.usage)
	}
}

func TestTokenLimitAndStop(t *testing.T) {
	_, c := start(t, nil)
	m := []openai.ChatCompletionMessage{carrier(taco()), user("what is the first step?")}
	if got := ask(t, c, openai.ChatCompletionRequest{Messages: m, MaxCompletionTokens: 3}); got.text != "Step 1 of" || got.finish != "length" {
		t.Errorf("got %+v", got)
	}
	if got := ask(t, c, openai.ChatCompletionRequest{Messages: m, Stop: []string{":"}}); got.text != "Step 1 of 3" || got.finish != "stop" {
		t.Errorf("got %+v", got)
	}
	got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(taco()), user("make it vegan")}, Tools: tools(t, writeTool), MaxCompletionTokens: 4})
	if got.finish != "length" || len(got.calls) != 1 || json.Valid([]byte(got.calls[0].Function.Arguments)) {
		t.Errorf("got %+v", got)
	}
}

func TestOldTokenLimit(t *testing.T) {
	s, _ := start(t, nil)
	if _, got, _ := post(t, s, "/v1/chat/completions", `{"max_tokens":1,`+goldenTail+`"how much plums?"}]}`); !strings.Contains(got, `"content":"Plums:"`) || !strings.Contains(got, `"finish_reason":"length"`) {
		t.Errorf("got %s", got)
	}
}

// What is written follows the schema it is asked for, whatever that is.
func TestFollowsTheSchema(t *testing.T) {
	_, c := start(t, nil)
	for name, schema := range map[string]string{
		"state":        stateSchema,
		"recipe":       recipeSchema,
		"order":        `{"type":"object","additionalProperties":false,"required":["ingredients","title"],"properties":{"ingredients":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["amount","name"],"properties":{"amount":{"type":"string"},"name":{"type":"string"}}}},"title":{"type":"string"}}}`,
		"refs":         `{"type":"object","additionalProperties":false,"required":["recipe"],"properties":{"recipe":{"$ref":"#/$defs/r"}},"$defs":{"r":{"type":"object","additionalProperties":false,"required":["title","next"],"properties":{"title":{"type":"string"},"next":{"anyOf":[{"$ref":"#/$defs/r"},{"type":"null"}]}}}}}`,
		"other enums":  `{"type":"object","additionalProperties":false,"required":["skill_level","cooking_time"],"properties":{"skill_level":{"type":"string","enum":["easy","INTERMEDIATE"]},"cooking_time":{"type":["string","null"],"enum":["now","later",null]}}}`,
		"other types":  `{"type":"object","additionalProperties":false,"required":["a","b","c","d","e","f"],"properties":{"a":{"type":"integer","minimum":3},"b":{"type":"boolean"},"c":{"type":["number","null"]},"d":{"type":"array","items":{"type":"string"},"minItems":2},"e":{"const":"fixed"},"f":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}}`,
		"amounts":      `{"type":"object","additionalProperties":false,"required":["ingredients"],"properties":{"ingredients":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","amount"],"properties":{"name":{"type":"string"},"amount":{"type":"number"}}}}}}`,
		"with words":   `{"type":"object","additionalProperties":false,"required":["recipe","summary"],"properties":{"recipe":` + recipeSchema + `,"summary":{"type":"string"}}}`,
		"camel names":  `{"type":"object","additionalProperties":false,"required":["skillLevel","steps"],"properties":{"skillLevel":{"type":"string","enum":["Beginner","Intermediate","Advanced"]},"steps":{"type":"array","items":{"type":"string"},"minItems":3}}}`,
		"nothing ours": `{"type":"object","additionalProperties":false,"required":["flight"],"properties":{"flight":{"type":"object","additionalProperties":false,"required":["from","at"],"properties":{"from":{"type":"string"},"at":{"type":"number"}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var s jsonschema.Schema
			if err := json.Unmarshal([]byte(schema), &s); err != nil {
				t.Fatal(err)
			}
			rs, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, wish := range []string{"make it vegan and double it", "make me a plum cake", "start over"} {
				got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(taco()), user(wish)}, ResponseFormat: format(schema)})
				var v any
				if err := json.Unmarshal([]byte(got.text), &v); err != nil {
					t.Fatalf("%s: %v in %s", wish, err, got.text)
				}
				if err := rs.Validate(v); err != nil {
					t.Errorf("%s: %v in %s", wish, err, got.text)
				}
				if name == "order" && !strings.HasPrefix(got.text, `{"ingredients":[`) {
					t.Errorf("not in the schema's order: %s", got.text)
				}
				if wish == "make me a plum cake" && name == "with words" && !strings.Contains(got.text, `"summary":"“Plum Cake” is ready`) {
					t.Errorf("no summary in %s", got.text)
				}
			}
		})
	}
}

// Some clients cannot say response_format and put the schema into the prompt.
func TestSchemaInThePrompt(t *testing.T) {
	_, c := start(t, nil)
	for name, m := range map[string][]openai.ChatCompletionMessage{
		"system": {system("Answer with JSON for this schema only:\n" + stateSchema), carrier(taco()), user("double it")},
		"last":   {carrier(taco()), user("double it"), user("Answer with JSON for this schema only:\n" + stateSchema)},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, c, openai.ChatCompletionRequest{Messages: m})
			var d doc
			if err := json.Unmarshal([]byte(got.text), &d); err != nil || d.Recipe.Ingredients[0].Amount != "1000 g" {
				t.Errorf("%v: got %s", err, got.text)
			}
		})
	}
}

// A piece never ends within a rune, and the pieces are the whole.
func TestPieces(t *testing.T) {
	for _, s := range []string{"", "Crème brûlée 🍮 and \n\n two", strings.Repeat("é", 100), `{"icon":"🥕","name":"Ñoño"}`, "  lead", "trail  "} {
		for _, js := range []bool{false, true} {
			p := pieces(s, js)
			if strings.Join(p, "") != s {
				t.Errorf("%q: got %q", s, p)
			}
			for _, x := range p {
				if x == "" || strings.ToValidUTF8(x, "") != x {
					t.Errorf("%q: piece %q", s, x)
				}
			}
		}
	}
}

// The pace lies between two chunks, not before the first and not after the last.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(&Options{Pace: time.Second})
		rec := httptest.NewRecorder()
		began := time.Now()
		s.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"stream":true,`+goldenTail+`"how much plums?"}]}`)))
		n := strings.Count(rec.Body.String(), `data: {`)
		if took := time.Since(began); n < 3 || took != time.Duration(n-1)*time.Second {
			t.Errorf("%d chunks took %s", n, took)
		}
	})
}

func TestEndpoints(t *testing.T) {
	s, c := start(t, &Options{Key: "right"})
	list, err := c.ListModels(t.Context())
	if err != nil || len(list.Models) != 1 || list.Models[0].ID != Model {
		t.Errorf("models: %v, %+v", err, list)
	}
	if m, err := c.GetModel(t.Context(), "other"); err != nil || m.ID != "other" {
		t.Errorf("model: %v, %+v", err, m)
	}
	for _, tt := range []struct {
		method, path, key string
		status            int
		code              string
	}{
		{"POST", "/v1/chat/completions", "wrong", 401, "invalid_api_key"},
		{"POST", "/v1/chat/completions", "", 401, "invalid_api_key"},
		{"GET", "/v1/models", "", 401, "invalid_api_key"},
		{"GET", "/v1/chat/completions", "right", 405, "method_not_supported"},
		{"DELETE", "/step", "", 405, "method_not_supported"},
		{"POST", "/v1/nothing", "right", 404, "unknown_url"},
		{"GET", "/", "", 404, "unknown_url"},
		{"POST", "/step", "", 409, "not_stepping"},
		{"POST", "/step?n=0", "", 400, "invalid_value"},
		{"POST", "/step?n=many", "", 400, "invalid_value"},
		{"POST", "/fault?kind=earthquake", "", 400, "invalid_value"},
		{"POST", "/fault?kind=cut&after=half", "", 400, "invalid_value"},
		{"POST", "/fault?kind=cut&after=100001", "", 400, "invalid_value"},
		{"POST", "/fault?kind=cut&times=0", "", 400, "invalid_value"},
		{"POST", "/mode?pace=soon", "", 400, "invalid_value"},
		{"POST", "/mode?step=perhaps", "", 400, "invalid_value"},
		{"GET", "/requests?wait=x", "", 400, "invalid_value"},
	} {
		t.Run(tt.method+tt.path+tt.key, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, strings.NewReader("{}"))
			if tt.key != "" {
				r.Header.Set("Authorization", "Bearer "+tt.key)
			}
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, r)
			var e openai.ErrorResponse
			if err := json.Unmarshal(rec.Body.Bytes(), &e); err != nil || e.Error == nil || e.Error.Message == "" {
				t.Fatalf("%v in %s", err, rec.Body)
			}
			if rec.Code != tt.status || e.Error.Code != tt.code {
				t.Errorf("got %d, %v", rec.Code, e.Error.Code)
			}
		})
	}
}

func TestRequestLog(t *testing.T) {
	s, c := start(t, nil)
	none := httptest.NewRecorder()
	s.ServeHTTP(none, httptest.NewRequest("GET", "/requests", nil))
	if got := none.Body.String(); got != `{"requests":[]}` {
		t.Errorf("before any request: %s", got)
	}
	waited := make(chan Request, 1)
	go func() {
		r, err := s.WaitRequest(t.Context(), 2)
		if err != nil {
			t.Error(err)
		}
		waited <- r
	}()
	ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{user("hello")}})
	if status, _, _ := post(t, s, "/v1/chat/completions", "not json"); status != 400 {
		t.Fatal(status)
	}
	if r := <-waited; r.ID != 2 || string(r.Body) != "not json" {
		t.Errorf("got %+v", r)
	}
	got := s.Requests()
	if len(got) != 2 || got[0].Status != 200 || got[1].Status != 400 || !json.Valid(got[0].Body) {
		t.Errorf("got %+v", got)
	}
	resp, err := http.Get(s.URL() + "/requests?wait=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct {
		Requests []struct {
			ID   int             `json:"id"`
			Body json.RawMessage `json:"body"`
		} `json:"requests"`
	}
	if err := json.NewDecoder(bufio.NewReader(resp.Body)).Decode(&list); err != nil || len(list.Requests) != 2 || string(list.Requests[1].Body) != `"not json"` {
		t.Errorf("%v: got %+v", err, list)
	}
	for range maxLogged + 5 {
		s.log.add(nil)
	}
	if got := s.Requests(); len(got) != maxLogged || got[0].ID != 8 {
		t.Errorf("kept %d from %d", len(got), got[0].ID)
	}
	if _, err := s.WaitRequest(t.Context(), 1); err == nil {
		t.Error("request 1 is still there")
	}
}

func TestStartTwice(t *testing.T) {
	s, _ := start(t, nil)
	if _, err := s.Start("127.0.0.1:0"); err == nil {
		t.Error("a second start went through")
	}
	if _, err := New(nil).Start("127.0.0.1:99999"); err == nil {
		t.Error("a bad address went through")
	}
	closed := New(nil)
	if err := closed.Close(); err != nil {
		t.Error(err)
	}
	if _, err := closed.Start("127.0.0.1:0"); err == nil {
		t.Error("a closed server started")
	}
}
