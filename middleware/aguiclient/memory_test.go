package aguiclient

import (
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// What a handler does to a response looks the same in memory as on a network.
func TestAHandlerInMemory(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"early hints come first": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "</style.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusProcessing)
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(w, started+finished)
		},
		"early hints and a refusal": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			http.Error(w, "not now", http.StatusServiceUnavailable)
		},
		"the first status counts": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.WriteHeader(http.StatusOK)
		},
		"a header behind the status": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusOK)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, started)
		},
		"no content type":             func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"no content type, and status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); _, _ = io.WriteString(w, "{}") },
		"no content type on purpose": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "<html>")
		},
		"nothing": func(http.ResponseWriter, *http.Request) {},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(h)
			s.Config.ErrorLog = quietLog
			defer s.Close()
			want := response(t, http.DefaultTransport, s.URL)
			if got := response(t, &memory{h}, "http://agent.invalid"); !reflect.DeepEqual(got, want) {
				t.Errorf("in memory %q, on a network %q", got, want)
			}
		})
	}
}

// A path begins with a slash, whether or not it is written.
func TestPathsInMemory(t *testing.T) {
	for path, want := range map[string]string{"": "/", "/": "/", "agent": "/agent", "/agent?x=1": "/agent?x=1", "?x=1": "/?x=1", "a/b%2Fc": "/a/b%2Fc"} {
		h := answering(func(_ http.ResponseWriter, r *http.Request, say func(string)) {
			if got := r.URL.RequestURI(); got != want || r.RequestURI != want || r.Host != "agent.invalid" {
				t.Errorf("%q asks for %q of %q", path, got, r.Host)
			}
			say(started + finished)
		})
		if _, err := types(t.Context(), Handler(h, path, nil)); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// response is the status, the content type, the link and the body.
func response(t *testing.T, by http.RoundTripper, url string) []string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := by.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{resp.Status, string(body), resp.Header.Get("Link")}, resp.Header["Content-Type"]...)
}

// A status that is none is a handler's fault, as for net/http.
func TestAStatusThatIsNone(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(0) })
	if _, err := types(t.Context(), Handler(h, "/", nil)); err == nil || !strings.Contains(err.Error(), "aborted") {
		t.Errorf("the error is %v", err)
	}
}
