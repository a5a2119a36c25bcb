package docs

import (
	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguihttp"
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

var _ = existing
