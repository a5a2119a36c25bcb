package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// random matches the ids that are made up for calls without one.
var random = regexp.MustCompile(`call_([0-9a-f]-?){32}`)

// doerFunc answers requests without a network.
type doerFunc func(*http.Request) (*http.Response, error)

func (f doerFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

// fixed answers every request with the bytes, in pieces of at most step.
func fixed(body []byte, step int) doerFunc {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Status: "200 OK", Request: r,
			Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body:   io.NopCloser(&steps{body, step}),
		}, nil
	}
}

type steps struct {
	b    []byte
	step int
}

func (s *steps) Read(p []byte) (int, error) {
	if len(s.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.step)], s.b)
	s.b = s.b[n:]
	return n, nil
}

// seeds adds the bodies of the transcripts.
func seeds(f *testing.F, add func(body []byte)) {
	paths, err := filepath.Glob("../../internal/transcript/testdata/*.txt")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no transcripts (%v)", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(data), "\n-- response 200")
		_, rest, _ = strings.Cut(rest, "\n")
		body, _, _ := strings.Cut(rest, "\n-- ")
		add([]byte(body))
	}
}

// Whatever a server sends, a stream ends in an error or in one finish reason,
// says whole characters only, and does not depend on how the bytes were cut.
func FuzzResponse(f *testing.F) {
	seeds(f, func(body []byte) { f.Add(body, uint8(7)) })
	req := &chat.Request{
		Messages: []agui.Message{{ID: "1", Role: agui.RoleUser, Content: agui.Text("hi")}},
		Tools:    []chat.Tool{{Name: "add"}, {Name: "sub"}},
	}
	f.Fuzz(func(t *testing.T, body []byte, step uint8) {
		ask := func(step int) (text string, finish chat.FinishReason, failed bool) {
			c := New("m", &Options{BaseURL: "http://model.test", HTTPClient: fixed(body, step), MaxChunk: 1 << 16})
			ids := map[string]bool{}
			for u, err := range c.Stream(t.Context(), req) {
				if finish != "" || failed {
					t.Fatalf("a pair behind the end: %v %v", u, err)
				}
				if err != nil {
					var e *chat.Error
					if !errors.As(err, &e) || e.Code == "" || e.Message != chat.ModelError(e.Code, nil).Message {
						t.Fatalf("error without a code and a text of ours: %v", err)
					}
					failed = true
					continue
				}
				for _, d := range u.ToolCalls {
					if d.ID == "" || ids[d.ID] == (d.Name != "") {
						t.Fatalf("call %q with name %q, known %t", d.ID, d.Name, ids[d.ID])
					}
					ids[d.ID] = true
					text += d.ID + d.Name + d.Arguments
				}
				text += u.Text + u.Reasoning
				finish = u.FinishReason
			}
			if (finish != "") == failed {
				t.Fatalf("finish %q, failed %t", finish, failed)
			}
			if !utf8.ValidString(text) {
				t.Fatalf("text %q", text)
			}
			return random.ReplaceAllString(text, "id"), finish, failed
		}
		text1, finish1, failed1 := ask(max(1, int(step)))
		text2, finish2, failed2 := ask(1 << 20)
		if text1 != text2 || finish1 != finish2 || failed1 != failed2 {
			t.Fatalf("cut otherwise it is %q %q %t, not %q %q %t", text1, finish1, failed1, text2, finish2, failed2)
		}
	})
}

// The cursor accepts what encoding/json accepts, but for its stricter rules
// about control characters and escapes in what is skipped, and reads the same
// text.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,-0.5e+3,true,null,"x"]}`, `"\ud83c\udf6e\u00e9\n"`, `[[[]]]`, `01`, `1.`, `-`, `{"a"}`, `[1,]`, `"\x"`, ` {"a" : 1 } `, "\"\xc3\"", `"\ud83c"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := cursor{b: b}
		c.skip()
		ok := c.err == nil && c.end()
		if json.Valid(b) && !ok {
			t.Fatalf("%q is JSON", b)
		}
		if ok && !json.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' || r == '\\' }) {
			t.Fatalf("%q is not JSON", b)
		}
		var want string
		if json.Unmarshal(b, &want) == nil && utf8.Valid(b) {
			c := cursor{b: b}
			var s pieces.Seam
			got := c.text()
			if got = s.Add(got); got+s.Rest() != want {
				t.Fatalf("%q reads %q, want %q", b, got, want)
			}
		}
	})
}
