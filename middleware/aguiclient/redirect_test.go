package aguiclient

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguistate/aguistate/middleware/chat"
)

// An input and its headers go to the host that they are for, and are never
// turned into a GET.
func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int64
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer stranger.Close()
	// The same server by another name is another host, too.
	for name, c := range map[string]struct {
		to      func(self string) string
		status  int
		arrives bool
	}{
		"307 on the host":     {func(string) string { return "/there" }, 307, true},
		"308 on the host":     {func(self string) string { return self + "/there" }, 308, true},
		"307 to a stranger":   {func(string) string { return stranger.URL + "/there" }, 307, false},
		"308 to a stranger":   {func(string) string { return stranger.URL + "/there" }, 308, false},
		"to another name":     {func(self string) string { return strings.Replace(self, "127.0.0.1", "localhost", 1) + "/there" }, 307, false},
		"by way of the host":  {func(string) string { return "/away" }, 307, false},
		"301 makes it a GET":  {func(string) string { return "/there" }, 301, false},
		"302 makes it a GET":  {func(string) string { return "/there" }, 302, false},
		"303 makes it a GET":  {func(string) string { return "/there" }, 303, false},
		"around in a circle":  {func(string) string { return "/here" }, 307, false},
		"to another protocol": {func(string) string { return "ftp://127.0.0.1/there" }, 307, false},
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere.Store(0)
			arrived := 0
			var self string
			mux := http.NewServeMux()
			mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, c.to(self), c.status) })
			mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, stranger.URL, http.StatusPermanentRedirect)
			})
			mux.HandleFunc("/there", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if r.Method != http.MethodPost || r.Header.Get("X-Api-Key") != "secret" || !strings.Contains(string(body), `"threadId":"t"`) {
					t.Errorf("what arrives is %s %v %s", r.Method, r.Header, body)
				}
				arrived++
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, started+finished)
			})
			s := httptest.NewServer(mux)
			defer s.Close()
			self = s.URL
			thread := NewThread[any](HTTP(s.URL+"/here", &HTTPOptions{Header: http.Header{"X-Api-Key": {"secret"}}}), &ThreadOptions{ID: "t"})
			err := Drain(thread.Send(t.Context()))
			if elsewhere.Load() > 0 {
				t.Error("the stranger was asked")
			}
			if c.arrives {
				if err != nil || arrived != 1 {
					t.Errorf("%v, arrived %d times", err, arrived)
				}
				return
			}
			var e *chat.Error
			if !errors.As(err, &e) || arrived > 0 || thread.Stale() {
				t.Errorf("%v, arrived %d times, stale %v", err, arrived, thread.Stale())
			}
			var redirect *RedirectError
			if name == "around in a circle" {
				if errors.As(err, &redirect) || !strings.Contains(err.Error(), "more than 10 times") {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if !errors.As(err, &redirect) || e.Code != chat.CodeBadResponse || !strings.Contains(err.Error(), fmt.Sprint(redirect.Status)) ||
				!strings.HasPrefix(redirect.From, s.URL) || redirect.To == "" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A client's own rule counts.
func TestOwnRedirects(t *testing.T) {
	s := httptest.NewServer(answering(func(_ http.ResponseWriter, _ *http.Request, say func(string)) { say(started + finished) }))
	defer s.Close()
	from := httptest.NewServer(http.RedirectHandler(s.URL, http.StatusTemporaryRedirect))
	defer from.Close()
	mine := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	if got, err := types(t.Context(), HTTP(from.URL, &HTTPOptions{Client: mine})); err != nil || got != "RUN_STARTED RUN_FINISHED" {
		t.Errorf("%s, %v", got, err)
	}
	last := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	var response *ResponseError
	if _, err := types(t.Context(), HTTP(from.URL, &HTTPOptions{Client: last})); !errors.As(err, &response) || response.Status != http.StatusTemporaryRedirect {
		t.Errorf("the error is %v", err)
	}
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"http://a/x", "http://a/y", true},
		{"http://a/x", "http://a:80/y", true},
		{"https://a:443/x", "https://a/y", true},
		{"http://a/x", "https://a/x", true},
		{"https://a/x", "http://a/x", false},
		{"http://a:8080/x", "https://a/x", false},
		{"http://a/x", "http://a:8080/x", false},
		{"http://a/x", "http://b.a/x", false},
		{"http://a/x", "https://b/x", false},
	} {
		from, err := url.Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := sameOrigin(from, to); got != c.want {
			t.Errorf("%s to %s: %v", c.from, c.to, got)
		}
	}
}
