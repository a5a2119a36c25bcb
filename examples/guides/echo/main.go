// Command echo is the program of the guide to Echo: an app that has routes and
// middleware of its own, and gets an agent.

// [imports]

package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	echo5 "github.com/labstack/echo/v5"
	middleware5 "github.com/labstack/echo/v5/middleware"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguiecho5"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// [end]

// [map]

// addAgents plugs an agent into an app.
func addAgents(e *echo.Echo, client chat.Client) *aguihttp.Runs {
	runs := &aguihttp.Runs{Max: 100} // 503 above that; its Shutdown ends runs with RUN_ERROR
	api := e.Group("/api", auth)
	aguiecho.Map(api, "/agents/:name", client, &aguihttp.Options{Runs: runs})
	return runs
}

// [end]

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

// [main]

func newAgent(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{whoami}})).
		Build()
}

func main() {
	e := echo.New()
	e.Use(middleware.Recover(), middleware.RequestID())
	e.GET("/", func(c echo.Context) error { return c.String(http.StatusOK, "a page of the app") })
	addAgents(e, newAgent(parrot.New()))
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}

// [end]

// [gzip]

// packed compresses all but the streams.
func packed(e *echo.Echo) {
	e.Use(middleware.GzipWithConfig(middleware.GzipConfig{
		Skipper: func(c echo.Context) bool { return strings.HasPrefix(c.Path(), "/api/agents/") },
	}))
}

// [end]

// [cors]

// crossOrigin lets a page on another origin call the app.
func crossOrigin(e *echo.Echo) {
	e.Use(middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOrigins: []string{"https://app.example"},
		AllowMethods: []string{http.MethodGet, http.MethodPost},
		AllowHeaders: []string{echo.HeaderContentType, echo.HeaderAuthorization},
	}))
}

// [end]

// [capabilities]

// described is an agent that says what it can do.
func described(e *echo.Echo, client chat.Client) {
	aguiecho.Map(e, "/agent", client, &aguihttp.Options{
		Capabilities: &agui.Capabilities{
			Identity: &agui.IdentityCapabilities{Name: "whoami", Description: "Says who asks."},
			Tools:    &agui.ToolCapabilities{Supported: new(true)},
		},
	})
}

// [end]

// [nethttp]

// plain is the endpoint on net/http.
func plain(client chat.Client) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /agents/{name}", aguihttp.Handler(client, nil))
	return mux
}

// [end]

// [echo5]

// newer is the endpoint on Echo v5.
func newer(client chat.Client) http.Handler {
	e := echo5.New()
	e.Use(middleware5.Recover(), middleware5.CORS("https://app.example"))
	aguiecho5.Map(e, "/agents/:name", client, nil)
	return e
}

// [end]
