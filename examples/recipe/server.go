package main

import (
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/aguistate/aguistate/examples/recipe/web"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguihttp"
)

// newServer routes the page, the agent, and what looks after them.
func newServer(c *config, m *model, runs *aguihttp.Runs) *echo.Echo {
	e := echo.New()
	e.Use(middleware.Recover())

	cors := middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOriginFunc: func(origin string) (bool, error) { return mayCall(origin, c.origins), nil },
		AllowMethods:    []string{http.MethodGet, http.MethodPost},
	})
	// Echo runs a route's middleware only where there is a route.
	preflight := func(c echo.Context) error { return c.NoContent(http.StatusNoContent) }
	all := agents(c, m.client)
	for _, a := range all {
		// What is not routed here would be the page's.
		e.Any(a.Path, onlyRuns, cors)
		e.Any(a.Path+"/", func(c echo.Context) error { return c.Redirect(http.StatusPermanentRedirect, a.Path) }, cors)
		e.OPTIONS(a.Path, preflight, cors)
		e.OPTIONS(a.Path+"/capabilities", preflight, cors)
		aguiecho.Map(e, a.Path, a.client, &aguihttp.Options{Runs: runs, Capabilities: a.capabilities()}, cors)
	}

	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
	e.GET("/metrics", func(c echo.Context) error {
		return c.JSON(http.StatusOK, map[string]int{"active_runs": runs.Active()})
	})
	e.GET("/info", func(ctx echo.Context) error {
		return ctx.JSON(http.StatusOK, map[string]any{"model": m.name, "standIn": m.standIn != nil, "backend": c.backend, "agents": all})
	})
	e.Match([]string{http.MethodGet, http.MethodHead}, "/*", echo.WrapHandler(web.Handler()))
	return e
}

// onlyRuns refuses what an agent's path has no other route for.
func onlyRuns(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderAllow, "POST, OPTIONS")
	problem := map[string]string{"code": "METHOD_NOT_ALLOWED", "message": "A run is started by POST."}
	return c.JSON(http.StatusMethodNotAllowed, map[string]any{"error": problem})
}

// mayCall reports whether a page of this origin may call the agent: pages on
// this machine, and those that were named.
func mayCall(origin string, allowed []string) bool {
	if slices.Contains(allowed, "*") || slices.Contains(allowed, origin) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
