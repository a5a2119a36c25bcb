package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
)

func TestPolicy(t *testing.T) {
	for _, tt := range []struct{ agent, connect string }{
		{"", "'self'"},
		{"agent", "'self'"},
		{"/other", "'self'"},
		{"http://127.0.0.1:9000/agent?x=1", "'self' http://127.0.0.1:9000"},
		{"HTTPS://Example.org/a", "'self' https://Example.org"},
		{"http://[::1]:8000/agent", "'self' http://[::1]:8000"},
		{"https://user:secret@example.org/", "'self' https://example.org"},
		{"javascript:alert(1)", "'self'"},
		{"data:text/plain,x", "'self'"},
		{"http://", "'self'"},
		{"http://*/", "'self'"},
		{"http://a;script-src *", "'self'"},
		{"http://a,b/", "'self'"},
		{"http://a b/", "'self'"},
		{"http://a\n/", "'self'"},
		{"http://a:99999999/", "'self'"},
	} {
		got := Policy(tt.agent)
		if want := "connect-src " + tt.connect + ";"; !strings.Contains(got, want) {
			t.Errorf("Policy(%q) = %q, want %q in it", tt.agent, got, want)
		}
		if strings.Count(got, ";") != strings.Count(Policy(""), ";") || strings.ContainsAny(got, "\n{}*") {
			t.Errorf("Policy(%q) = %q: the agent added more than an origin", tt.agent, got)
		}
	}
}

func get(t *testing.T, method, target string) *http.Response {
	t.Helper()
	recorder := httptest.NewRecorder()
	Handler().ServeHTTP(recorder, httptest.NewRequest(method, target, nil))
	return recorder.Result()
}

func TestHandler(t *testing.T) {
	for _, tt := range []struct {
		method, target string
		status         int
		contentType    string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/?agent=http://localhost:1/x", 200, "text/html; charset=utf-8"},
		{"GET", "/main.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/style.css", 200, "text/css; charset=utf-8"},
		{"GET", "/icon.svg", 200, "image/svg+xml"},
		{"GET", "/web.go", 404, "text/plain; charset=utf-8"},
		{"GET", "/policy.txt", 404, "text/plain; charset=utf-8"},
		{"GET", "/..%2fweb.go", 404, "text/plain; charset=utf-8"},
		{"POST", "/", 405, "text/plain; charset=utf-8"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			res := get(t, tt.method, tt.target)
			if res.StatusCode != tt.status {
				t.Errorf("status %d, want %d", res.StatusCode, tt.status)
			}
			if got := res.Header.Get("Content-Type"); got != tt.contentType {
				t.Errorf("Content-Type %q, want %q", got, tt.contentType)
			}
			u, _ := url.Parse(tt.target)
			if got, want := res.Header.Get("Content-Security-Policy"), Policy(u.Query().Get("agent")); got != want {
				t.Errorf("policy %q, want %q", got, want)
			}
		})
	}
}

// Every file that the page names is there, no file is left over, and none of them reaches out of the
// page or round its policy.
func TestFilesHoldTogether(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"index.html": true}
	local := regexp.MustCompile(`(?:href|src)="([^"#]+)"|from "\./([^"]+)"`)
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|https?://[a-z]+\.[^\s)]*\.(?:js|css)|<style|\son[a-z]+="|style="`)
	for _, entry := range entries {
		data, err := files.ReadFile(entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if types[path.Ext(entry.Name())] == "" {
			t.Errorf("%s has no type", entry.Name())
		}
		if found := forbidden.Find(data); found != nil {
			t.Errorf("%s: %q does not belong on this page", entry.Name(), found)
		}
		for _, match := range local.FindAllSubmatch(data, -1) {
			name := string(match[1]) + string(match[2])
			named[name] = true
			if _, err := files.ReadFile(name); err != nil {
				t.Errorf("%s names %s: %v", entry.Name(), name, err)
			}
		}
	}
	for _, entry := range entries {
		if !named[entry.Name()] {
			t.Errorf("nothing names %s", entry.Name())
		}
	}
}
