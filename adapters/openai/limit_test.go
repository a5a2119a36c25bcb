package openai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/chat"
)

// long is a chunk with n bytes of text.
func long(n int) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", strings.Repeat("x", n))
}

func TestLongChunks(t *testing.T) {
	for _, c := range []struct {
		name  string
		size  int
		limit int
		fits  bool
	}{
		{"5 MB", 5 << 20, 0, true},
		{"just under a limit", 4<<10 - 100, 4 << 10, true},
		{"over it", 4 << 10, 4 << 10, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := New("m", &Options{APIKey: "key", MaxChunk: c.limit, HTTPClient: fixed([]byte(long(c.size)+stopChunk+doneLine), 1<<16)})
			text, _, _, err := gather(client.Stream(t.Context(), hi()))
			if c.fits {
				if err != nil || len(text) != c.size {
					t.Errorf("%d bytes, %v", len(text), err)
				}
				return
			}
			var e *chat.Error
			if !errors.Is(err, ErrTooLong) || !errors.As(err, &e) || e.Code != chat.CodeBadResponse {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// endless never ends; it counts what was read.
type endlessBody struct{ read int }

func (b *endlessBody) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	b.read += len(p)
	return len(p), nil
}

func TestEndlessBodies(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		begin  string
		most   int
		code   string
	}{
		{"of an error", 400, "", maxErrorBody, chat.CodeInvalidRequest},
		{"of a 429", 429, "", maxErrorBody, chat.CodeRateLimited},
		{"of one line", 200, "data: {", 1<<20 + 64<<10, chat.CodeBadResponse},
		{"of one comment", 200, ": ", 1<<20 + 64<<10, chat.CodeBadResponse},
		{"of one document", 200, "{", 1<<20 + 64<<10, chat.CodeBadResponse},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := &endlessBody{}
			client := New("m", &Options{APIKey: "key", MaxChunk: 1 << 20, MaxRetries: -1, HTTPClient: doerFunc(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: c.status, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(strings.NewReader(c.begin), body))}, nil
			})})
			_, _, _, err := gather(client.Stream(t.Context(), hi()))
			var e *chat.Error
			if !errors.As(err, &e) || e.Code != c.code {
				t.Errorf("the error is %.200v, want %s", err, c.code)
			}
			if body.read > c.most {
				t.Errorf("%d bytes were read, want at most %d", body.read, c.most)
			}
		})
	}
}
