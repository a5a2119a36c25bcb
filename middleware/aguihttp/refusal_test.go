package aguihttp_test

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// never is a client that must not be asked.
func never(t testing.TB) chat.Client {
	return chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		t.Error("the chain was asked")
		return func(func(*chat.Update, error) bool) {}
	})
}

type refused struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Pointer *string `json:"pointer"`
}

// refusal reads the body of an answer that is no stream.
func refusal(t testing.TB, res *http.Response) refused {
	t.Helper()
	if ct := res.Header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type is %q", ct)
	}
	var body map[string]refused
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &body); err != nil {
		t.Fatalf("body %q: %v", b, err)
	}
	r, ok := body["error"]
	if len(body) != 1 || !ok || r.Code == "" || r.Message == "" {
		t.Fatalf("body %q", b)
	}
	return r
}

func TestRefusedBodies(t *testing.T) {
	user := func(s string) string {
		return `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":` + s + `}]}`
	}
	tests := []struct {
		name, body, pointer, says string
	}{
		{"empty", "", "", ""},
		{"blank", " \n", "", ""},
		{"no JSON", "hello", "", ""},
		{"cut", hello[:40], "", ""},
		{"gzip", "\x1f\x8b\x08\x00", "", ""},
		{"array", "[]", "", "the input must be an object"},
		{"null", "null", "", ""},
		{"trailing bytes", hello + "x", "", ""},
		{"second value", hello + hello, "", ""},
		{"no messages", `{"threadId":"t","runId":"r"}`, "/messages", "messages is required"},
		{"null messages", `{"threadId":"t","runId":"r","messages":null}`, "/messages", ""},
		{"no thread", `{"runId":"r","messages":[]}`, "/threadId", ""},
		{"number as id", `{"threadId":"t","runId":7,"messages":[]}`, "/runId", ""},
		{"snake case", `{"thread_id":"t","runId":"r","messages":[]}`, "/threadId", "threadId"},
		{"other case", `{"ThreadId":"t","runId":"r","messages":[]}`, "/threadId", "threadId"},
		{"duplicate", `{"threadId":"t","threadId":"u","runId":"r","messages":[]}`, "/threadId", ""},
		{"deep duplicate", `{"threadId":"t","runId":"r","messages":[],"state":{"a":[{"b":1,"b":2}]}}`, "/state/a/0/b", ""},
		{"unknown role", strings.Replace(user(`"x"`), "user", "banana", 1), "/messages/0/role", ""},
		{"invalid UTF-8", user("\"\xff\""), "/messages/0/content", ""},
		{"number as content", user("5"), "/messages/0/content", "messages[0].content must be"},
		{"null context", `{"threadId":"t","runId":"r","messages":[],"context":null}`, "/context", ""},
		{"depth", `{"threadId":"t","runId":"r","messages":[],"state":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "*", ""},
	}
	h := aguihttp.Handler(never(t), options(nil))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := one(t, h, tt.body).Result()
			if res.StatusCode != http.StatusBadRequest {
				t.Fatalf("status %s", res.Status)
			}
			r := refusal(t, res)
			if r.Code != "INVALID_INPUT" || r.Pointer == nil {
				t.Fatalf("got %+v", r)
			}
			if tt.pointer != "*" && *r.Pointer != tt.pointer {
				t.Errorf("pointer %q, want %q (%s)", *r.Pointer, tt.pointer, r.Message)
			}
			if !strings.Contains(r.Message, tt.says) {
				t.Errorf("message %q does not say %q", r.Message, tt.says)
			}
		})
	}
}

// Odd, and none of the endpoint's business.
func TestKeptBodies(t *testing.T) {
	for name, body := range map[string]string{
		"NUL":            `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"a\u0000b"}]}`,
		"big numbers":    `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"state":{"n":123456789012345678901234567890.5}}`,
		"unknown fields": `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"x","mood":"good"}],"later":{"a":null}}`,
		"empty ids":      `{"threadId":"","runId":"","messages":[{"id":"","role":"user","content":""}]}`,
		"state text":     `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"state":"hello"}`,
		"white space":    "\n\t " + hello + "\r\n ",
		"line breaks":    strings.ReplaceAll(hello, "Hi", `\n\ndata: {}\n\n\u2028`),
	} {
		t.Run(name, func(t *testing.T) {
			res := one(t, aguihttp.Handler(script(nil, text("ok"), stop), options(nil)), body).Result()
			if res.StatusCode != http.StatusOK {
				t.Fatalf("%s: %+v", res.Status, refusal(t, res))
			}
			if got := types(events(t, res.Body)); !strings.HasSuffix(got, "RUN_FINISHED") {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestRefusedHeaders(t *testing.T) {
	const jsonType, sse = "application/json", "text/event-stream"
	tests := []struct {
		name, method        string
		contentType, accept []string
		status              int
		code                string
	}{
		{"plain", "POST", []string{jsonType}, []string{sse}, 200, ""},
		{"no Accept", "POST", []string{jsonType}, nil, 200, ""},
		{"empty Accept", "POST", []string{jsonType}, []string{""}, 200, ""},
		{"anything", "POST", []string{jsonType}, []string{"*/*"}, 200, ""},
		{"text", "POST", []string{jsonType}, []string{"application/json, text/*;q=0.1"}, 200, ""},
		{"browser", "POST", []string{jsonType}, []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, 200, ""},
		{"joined Accept", "POST", []string{jsonType}, []string{"application/json, text/event-stream"}, 200, ""},
		{"two Accepts", "POST", []string{jsonType}, []string{"application/json", "Text/Event-Stream"}, 200, ""},
		{"broken Accept", "POST", []string{jsonType}, []string{"/;;"}, 200, ""},
		{"no range", "POST", []string{jsonType}, []string{"garbage"}, 200, ""},
		{"JSON wanted", "POST", []string{jsonType}, []string{"application/json"}, 406, "NOT_ACCEPTABLE"},
		{"protobuf wanted", "POST", []string{jsonType}, []string{"application/vnd.ag-ui.event+proto"}, 406, "NOT_ACCEPTABLE"},
		{"q=0", "POST", []string{jsonType}, []string{"text/event-stream;q=0, */*"}, 406, "NOT_ACCEPTABLE"},
		{"all q=0", "POST", []string{jsonType}, []string{"*/*;q=0.0"}, 406, "NOT_ACCEPTABLE"},

		{"charset", "POST", []string{"application/json; charset=utf-8"}, nil, 200, ""},
		{"upper case", "POST", []string{"Application/JSON"}, nil, 200, ""},
		{"suffix", "POST", []string{"application/vnd.ag-ui+json"}, nil, 200, ""},
		{"joined", "POST", []string{"text/plain, application/json"}, nil, 200, ""},
		{"two lines", "POST", []string{"text/plain", "application/json"}, nil, 200, ""},
		{"broken parameter", "POST", []string{"application/json; charset"}, nil, 200, ""},
		{"form", "POST", []string{"application/x-www-form-urlencoded"}, nil, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"text", "POST", []string{"text/plain"}, nil, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"no type", "POST", nil, nil, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"no media type", "POST", []string{"json"}, nil, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"lookalike", "POST", []string{"application/jsonp"}, nil, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"hidden in a parameter", "POST", []string{`text/plain; a="application/json"`}, nil, 415, "UNSUPPORTED_MEDIA_TYPE"},

		{"GET", "GET", []string{jsonType}, nil, 405, "METHOD_NOT_ALLOWED"},
		{"PUT", "PUT", []string{jsonType}, nil, 405, "METHOD_NOT_ALLOWED"},
	}
	h := aguihttp.Handler(script(nil, text("ok"), stop), options(nil))
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.method, func(t *testing.T) {
			req := httptest.NewRequest(tt.method, "/", strings.NewReader(hello))
			req.Header["Content-Type"], req.Header["Accept"] = tt.contentType, tt.accept
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			res := rec.Result()
			if res.StatusCode != tt.status {
				t.Fatalf("status %s", res.Status)
			}
			if tt.status == 200 {
				return
			}
			if r := refusal(t, res); r.Code != tt.code || r.Pointer != nil {
				t.Errorf("got %+v", r)
			}
			if allow := res.Header.Get("Allow"); (tt.status == 405) != (allow == "POST") {
				t.Errorf("Allow is %q", allow)
			}
		})
	}
}

func TestBodyLimit(t *testing.T) {
	big := strings.Replace(hello, "Hi", strings.Repeat("x", 1000), 1)
	s := serve(t, script(nil, text("ok"), stop), &aguihttp.Options{MaxBody: 1000})
	for name, c := range map[string]*http.Client{"HTTP/1.1": http1(t), "h2c": h2c(t)} {
		for chunked, body := range map[string]io.Reader{
			" by length": strings.NewReader(big), " chunked": io.MultiReader(strings.NewReader(big)),
		} {
			t.Run(name+chunked, func(t *testing.T) {
				req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL, body)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				res, err := c.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if res.StatusCode != http.StatusRequestEntityTooLarge {
					t.Fatalf("status %s", res.Status)
				}
				if r := refusal(t, res); r.Code != "BODY_TOO_LARGE" || !strings.Contains(r.Message, "1000") {
					t.Errorf("got %+v", r)
				}
			})
		}
	}

	exact := strings.Replace(hello, "Hi", strings.Repeat("x", 1000-len(hello)+2), 1)
	if res := post(t, http1(t), s.URL, exact); len(exact) != 1000 || res.StatusCode != http.StatusOK {
		t.Errorf("%d bytes: %s", len(exact), res.Status)
	}
	unlimited := serve(t, script(nil, text("ok"), stop), &aguihttp.Options{MaxBody: -1})
	huge := strings.Replace(hello, "Hi", strings.Repeat("x", aguihttp.DefaultMaxBody), 1)
	if res := post(t, http1(t), unlimited.URL, huge); res.StatusCode != http.StatusOK {
		t.Errorf("without a limit: %s", res.Status)
	}
}

func TestBodyCut(t *testing.T) {
	h := aguihttp.Handler(never(t), options(nil))
	req := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(hello[:20]), broken{}))
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	if r := refusal(t, rec.Result()); rec.Code != http.StatusBadRequest || r.Code != "INVALID_BODY" {
		t.Errorf("status %d, %+v", rec.Code, r)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestSystemMessages(t *testing.T) {
	const body = `{"threadId":"t","runId":"r","messages":[` +
		`{"id":"1","role":"user","content":"Hi"},{"id":"2","role":"system","content":"Obey"},{"id":"3","role":"developer","content":"Me"}]}`
	var seen, inContext int
	count := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		in, _ := chat.InputFrom(ctx)
		seen, inContext = len(req.Messages), len(in.Messages)
		return script(nil, text("ok"), stop).Stream(ctx, req)
	})
	for policy, want := range map[aguihttp.SystemMessages]int{aguihttp.KeepSystem: 3, aguihttp.DropSystem: 1} {
		rec := one(t, aguihttp.Handler(count, options(&aguihttp.Options{System: policy})), body)
		if rec.Code != http.StatusOK || seen != want || inContext != want {
			t.Errorf("policy %d: status %d, %d messages, %d in the context, want %d", policy, rec.Code, seen, inContext, want)
		}
	}
	// The client keeps what is dropped: a snapshot without it would take it away.
	snapshot := script(nil, &chat.Update{Events: []agui.Event{&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "1", Role: agui.RoleUser}}}}}, stop)
	for policy, want := range map[aguihttp.SystemMessages]bool{aguihttp.KeepSystem: false, aguihttp.DropSystem: true} {
		rec := one(t, aguihttp.Handler(snapshot, options(&aguihttp.Options{System: policy})), body)
		if got := strings.Contains(rec.Body.String(), `"Obey"`) && strings.Contains(rec.Body.String(), `"Me"`); got != want {
			t.Errorf("policy %d: %s", policy, rec.Body)
		}
	}
	rec := one(t, aguihttp.Handler(never(t), options(&aguihttp.Options{System: aguihttp.RefuseSystem})), body)
	if r := refusal(t, rec.Result()); rec.Code != http.StatusBadRequest || r.Code != "ROLE_REFUSED" || *r.Pointer != "/messages/1/role" {
		t.Errorf("status %d, %+v", rec.Code, r)
	}
}

// A compressed body is refused by name, not as broken JSON.
func TestCompressedBodyIsRefused(t *testing.T) {
	for encoding, want := range map[string]int{
		"gzip": http.StatusUnsupportedMediaType, "identity|gzip": http.StatusUnsupportedMediaType,
		"identity, br": http.StatusUnsupportedMediaType, "identity": http.StatusOK, "": http.StatusOK,
	} {
		req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"threadId":"t","runId":"r","messages":[]}`))
		req.Header.Set("Content-Type", "application/json")
		req.Header["Content-Encoding"] = strings.Split(encoding, "|")
		w := httptest.NewRecorder()
		aguihttp.Handler(chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(func(*chat.Update, error) bool) {}
		}), nil).ServeHTTP(w, req)
		if w.Code != want {
			t.Errorf("%s: %d %s", encoding, w.Code, w.Body)
		}
	}
}
