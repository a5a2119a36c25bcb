package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// asks is a chain whose model calls whoami and says what came of it, any number
// of times.
func asks(times int) chat.Client {
	model := aguitest.NewModel()
	for range times {
		model.Add(aguitest.Call("", "whoami", `{}`), aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
			return aguitest.Text(req.Messages[len(req.Messages)-1].Content.Text()), nil
		}))
	}
	return newAgent(model)
}

func TestEchoApp(t *testing.T) {
	e := echo.New()
	packed(e)
	runs := addAgents(e, asks(1))
	body, err := json.Marshal(try.Wish("Who am I?", ""))
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range map[string]string{"": "Unauthorized", "Ada": `"delta":"Ada asks board"`} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/agents/board", strings.NewReader(string(body)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept-Encoding", "gzip")
		if user != "" {
			req.Header.Set("X-User", user)
		}
		res := httptest.NewRecorder()
		e.ServeHTTP(res, req)
		if !strings.Contains(res.Body.String(), want) || user != "" && res.Header().Get("Content-Encoding") != "" {
			t.Errorf("user %q: %d %v %s", user, res.Code, res.Header(), res.Body)
		}
	}
	if runs.Active() != 0 {
		t.Errorf("%d runs are left", runs.Active())
	}
}

func TestOtherFaces(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.Handler
		want    string
	}{
		"net/http": {plain(asks(1)), " asks board"},
		"Echo v5":  {newer(asks(1)), " asks board"},
	} {
		t.Run(name, func(t *testing.T) {
			server := aguitest.NewServer(t, c.handler)
			var events []agui.Event
			for e, err := range server.Run(t.Context(), "/agents/board", try.Wish("Who am I?", "")) {
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, e)
			}
			aguitest.Verify(t, events)
			if got := try.Said(events); got != c.want {
				t.Errorf("it said %q, want %q", got, c.want)
			}
		})
	}
}

func TestCrossOrigin(t *testing.T) {
	e := echo.New()
	crossOrigin(e)
	aguiecho.Map(e, "/agent", asks(1), nil)
	for origin, want := range map[string]string{"https://app.example": "https://app.example", "https://evil.example": ""} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/agent", nil)
		req.Header.Set("Origin", origin)
		req.Header.Set("Access-Control-Request-Method", "POST")
		req.Header.Set("Access-Control-Request-Headers", "content-type")
		res := httptest.NewRecorder()
		e.ServeHTTP(res, req)
		if got := res.Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: allowed is %q, want %q (%d)", origin, got, want, res.Code)
		}
	}
}

func TestCapabilities(t *testing.T) {
	e := echo.New()
	described(e, asks(0))
	res := httptest.NewRecorder()
	e.ServeHTTP(res, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/agent/capabilities", nil))
	var got agui.Capabilities
	if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil || got.Identity == nil || got.Identity.Name != "whoami" {
		t.Errorf("%d %s: %v", res.Code, res.Body, err)
	}
}
