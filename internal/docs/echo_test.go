package docs

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	echo5 "github.com/labstack/echo/v5"
	middleware5 "github.com/labstack/echo/v5/middleware"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguiecho5"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// existing plugs an agent into an app that has its own routes and middleware.
func existing(e *echo.Echo, auth echo.MiddlewareFunc, client chat.Client) *aguihttp.Runs {
	// [echo]

	runs := &aguihttp.Runs{Max: 100} // 503 above that; its Shutdown ends runs with RUN_ERROR
	api := e.Group("/api", auth)
	aguiecho.Map(api, "/agents/:name", client, &aguihttp.Options{Runs: runs})
	// [end]
	return runs
}

// [auth]

// auth is a middleware of the app. What it sets is found again by
// aguiecho.Get.
func auth(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		user := c.Request().Header.Get("X-User")
		if user == "" {
			return echo.ErrUnauthorized
		}
		c.Set("user", user)
		return next(c)
	}
}

// whoami is a tool that asks who is there.
var whoami = chat.NewTool("whoami", "Says who asks, and which agent.", func(ctx context.Context, _ struct{}) (string, error) {
	user, _ := aguiecho.Get[string](ctx, "user")
	r, ok := aguihttp.RequestFrom(ctx)
	if !ok {
		return user, nil
	}
	return user + " asks " + r.PathValue("name"), nil
})

// [end]

func gzipped(e *echo.Echo) {
	// [gzip]
	e.Use(middleware.GzipWithConfig(middleware.GzipConfig{
		Skipper: func(c echo.Context) bool { return strings.HasPrefix(c.Path(), "/api/agents/") },
	}))
	// [end]
}

func crossOrigin(e *echo.Echo, client chat.Client, o *aguihttp.Options) {
	// [cors]
	e.Use(middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOrigins: []string{"https://app.example"},
		AllowMethods: []string{http.MethodGet, http.MethodPost},
		AllowHeaders: []string{echo.HeaderContentType, echo.HeaderAuthorization},
	}))
	// [end]
	aguiecho.Map(e, "/agent", client, o)
}

func withCapabilities(e *echo.Echo, client chat.Client) {
	// [capabilities]
	aguiecho.Map(e, "/agent", client, &aguihttp.Options{
		Capabilities: &agui.Capabilities{
			Identity: &agui.IdentityCapabilities{Name: "board", Description: "Keeps a list of tasks."},
			State:    &agui.StateCapabilities{Snapshots: new(true), Deltas: new(true)},
		},
	})
	// [end]
}

func plain(client chat.Client) http.Handler {
	// [nethttp]
	mux := http.NewServeMux()
	mux.Handle("POST /agents/{name}", aguihttp.Handler(client, nil))
	// [end]
	return mux
}

func newer(client chat.Client) http.Handler {
	// [echo5]
	e := echo5.New()
	e.Use(middleware5.Recover(), middleware5.CORS("https://app.example"))
	aguiecho5.Map(e, "/agents/:name", client, nil)
	// [end]
	return e
}

// asks is a chain whose model calls whoami and says what came of it, any number
// of times.
func asks(times int) chat.Client {
	model := aguitest.NewModel()
	for range times {
		model.Add(aguitest.Call("", "whoami", `{}`), aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
			return aguitest.Text(req.Messages[len(req.Messages)-1].Content.Text()), nil
		}))
	}
	return chat.NewBuilder(model).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{whoami}})).Build()
}

func TestEchoApp(t *testing.T) {
	e := echo.New()
	gzipped(e)
	runs := existing(e, auth, asks(1))
	body, err := json.Marshal(wish("Who am I?", ""))
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
			for e, err := range server.Run(t.Context(), "/agents/board", wish("Who am I?", "")) {
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, e)
			}
			aguitest.Verify(t, events)
			if got := said(events); got != c.want {
				t.Errorf("it said %q, want %q", got, c.want)
			}
		})
	}
}

func TestCrossOrigin(t *testing.T) {
	e := echo.New()
	crossOrigin(e, asks(1), nil)
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
	withCapabilities(e, asks(0))
	res := httptest.NewRecorder()
	e.ServeHTTP(res, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/agent/capabilities", nil))
	var got agui.Capabilities
	if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil || got.Identity == nil || got.Identity.Name != "board" {
		t.Errorf("%d %s: %v", res.Code, res.Body, err)
	}
}
