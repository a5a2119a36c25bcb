package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguitest"
)

// An agent's path is no file of the page's, and says what it is there for.
func TestOtherMethodsOnAnAgent(t *testing.T) {
	server, _ := start(t)
	client := *server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	send := func(method, path string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, aguitest.URL+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
	for _, path := range []string{"/agent", "/tools", "/byhand"} {
		for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE"} {
			resp, body := send(method, path)
			if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST, OPTIONS" {
				t.Errorf("%s %s: %d, Allow %q", method, path, resp.StatusCode, resp.Header.Get("Allow"))
			}
			if method != "HEAD" && body != `{"error":{"code":"METHOD_NOT_ALLOWED","message":"A run is started by POST."}}`+"\n" {
				t.Errorf("%s %s: %q", method, path, body)
			}
			if method != "HEAD" && strings.Contains(resp.Header.Get("Content-Type"), "html") {
				t.Errorf("%s %s is the page's: %v", method, path, resp.Header)
			}
		}
		for _, method := range []string{"POST", "GET"} {
			if resp, _ := send(method, path+"/"); resp.StatusCode != http.StatusPermanentRedirect || resp.Header.Get("Location") != path {
				t.Errorf("%s %s/: %d to %q", method, path, resp.StatusCode, resp.Header.Get("Location"))
			}
		}
		if resp, body := send("POST", path); resp.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("POST %s: %d %s", path, resp.StatusCode, body)
		}
		if resp, _ := send("OPTIONS", path); resp.StatusCode != http.StatusNoContent {
			t.Errorf("OPTIONS %s: %d", path, resp.StatusCode)
		}
	}
	if resp, _ := send("HEAD", "/"); resp.StatusCode != http.StatusOK {
		t.Errorf("HEAD /: %d", resp.StatusCode)
	}
	if resp, _ := send("GET", "/nothing.js"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET /nothing.js: %d", resp.StatusCode)
	}
	if resp, _ := send("POST", "/healthz"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /healthz: %d", resp.StatusCode)
	}
}

func TestBaseURLIsOfHTTP(t *testing.T) {
	for _, text := range []string{"localhost:11434/v1", "ollama", "ftp://localhost/v1", "http://", "http:///v1", "https://:443/v1", "http://a b/v1", "/v1", " http://localhost/v1"} {
		_, errFlag := parseConfig([]string{"-base-url", text}, func(string) string { return "" }, io.Discard)
		_, errEnv := parseConfig(nil, func(k string) string { return map[string]string{"OPENAI_BASE_URL": text}[k] }, io.Discard)
		for _, err := range []error{errFlag, errEnv} {
			if err == nil || !strings.HasPrefix(err.Error(), "-base-url (or OPENAI_BASE_URL) is no http or https URL") {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	for _, text := range []string{"", "http://localhost:11434/v1", "HTTPS://models.example/v1/", "http://[::1]:8000/v1"} {
		if _, err := parseConfig([]string{"-base-url", text}, func(string) string { return "" }, io.Discard); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// logged is what the program logs while a test runs.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func logs(t *testing.T) *logged {
	old, l := slog.Default(), &logged{}
	slog.SetDefault(slog.New(slog.NewTextHandler(l, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	return l
}

// started runs the program until it has said so many lines, and ends it.
func started(t *testing.T, env map[string]string, lines int, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error, 1)
	go func() {
		defer w.Close()
		done <- run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), func(k string) string { return env[k] }, w)
	}()
	var said []string
	for s := bufio.NewScanner(r); s.Scan(); {
		if said = append(said, s.Text()); len(said) == lines {
			cancel()
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return said
}

func TestSaysWhatItRunsOn(t *testing.T) {
	l := logs(t)
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for _, tt := range []struct {
		name string
		env  map[string]string
		args []string
		want string
	}{
		{"a stand-in", nil, nil, "a stand-in answers instead of a model (its wire: http://127.0.0.1:"},
		{"a server here", map[string]string{"OPENAI_BASE_URL": "http://user:secret@localhost:11434/v1", "OPENAI_MODEL": "llama3.1"}, nil,
			"The model is llama3.1 at http://user:xxxxx@localhost:11434/v1, by way of openai"},
		{"a key", map[string]string{"OPENAI_API_KEY": "k"}, []string{"-backend", "langchaingo"}, "The model is gpt-5-mini at https://api.openai.com/v1, by way of langchaingo"},
	} {
		if said := started(t, tt.env, 2, tt.args...); len(said) != 2 || !strings.HasPrefix(said[0], "The recipe is at http://127.0.0.1:") || !strings.Contains(said[1], tt.want) {
			t.Errorf("%s: %q", tt.name, said)
		}
	}
	text := l.String()
	if n := strings.Count(text, `level=INFO msg="approvals are taken by this process only; set RECIPE_KEY`); n != 3 || strings.Contains(text, "WARN") {
		t.Errorf("said %d times of 3: %s", n, text)
	}
	started(t, map[string]string{"RECIPE_KEY": key}, 2)
	if more := l.String()[len(text):]; strings.Contains(more, "approvals") || strings.Contains(more, "WARN") {
		t.Errorf("with a key: %s", more)
	}
}

func TestAddressInUseComesFirst(t *testing.T) {
	l := logs(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = run(t.Context(), []string{"-addr", taken.Addr().String()}, func(string) string { return "" }, os.Stdout)
	if err == nil || !strings.Contains(err.Error(), taken.Addr().String()) || !strings.Contains(err.Error(), "-addr names another") || l.String() != "" {
		t.Errorf("%v, logged %q", err, l)
	}
}
