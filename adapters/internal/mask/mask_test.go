package mask

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/chat"
)

func TestText(t *testing.T) {
	known := Secrets(nil).Add("hunter2hunter2", "m").
		Header(http.Header{"Authorization": {"Bearer abcdefgh"}, "X-Api-Key": {"zyxwvuts"}, "Accept": {"text/plain"}}).
		URL("https://user:pa%20ssword@host/v1?api-version=2024-10-01&code_key=se%2Fcret9")
	for text, want := range map[string]string{
		"the key hunter2hunter2 of m":                "the key *** of m",
		"Bearer abcdefgh, text/plain":                "***, text/plain",
		"zyxwvuts":                                   "***",
		`Post "https://host/v1?code_key=se%2Fcret9"`: `Post "https://host/v1?code_key=***"`,
		"pa ssword and se/cret9":                     "*** and ***",
		"2024-10-01":                                 "2024-10-01",
		"Incorrect API key: sk-proj-0123_abc.":       "Incorrect API key: ***.",
		"gsk_0123456789 AIzaSy0123456789012345":      "*** ***",
		"task-based, risk-averse":                    "task-based, risk-averse",
		`Get "http://h/x?a=1&key=0123456&b=2": EOF`:  `Get "http://h/x?a=1&key=***&b=2": EOF`,
		"authorization: bearer 01234567":             "authorization: bearer ***",
	} {
		if got := known.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestError(t *testing.T) {
	s := Secrets(nil).Add("hunter2hunter2")
	if s.Error(nil) != nil {
		t.Error("an error out of nothing")
	}
	if s.Error(io.EOF) != io.EOF {
		t.Error("an error without a secret is another now")
	}
	err := s.Error(chat.ModelError(chat.CodeIncomplete, fmt.Errorf("of hunter2hunter2: %w", io.ErrUnexpectedEOF)))
	var e *chat.Error
	if !errors.As(err, &e) || e.Code != chat.CodeIncomplete || e.Message == "" || !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error is %v", err)
	}
	wrapped := s.Error(fmt.Errorf("of hunter2hunter2: %w", io.EOF))
	if wrapped.Error() != "of ***: EOF" || !errors.Is(wrapped, io.EOF) {
		t.Errorf("the error is %v", wrapped)
	}
}
