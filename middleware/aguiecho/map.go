package aguiecho

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Router is what [Map] needs of an [echo.Echo] or an [echo.Group].
type Router interface {
	GET(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route
	POST(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route
}

var (
	_ Router = (*echo.Echo)(nil)
	_ Router = (*echo.Group)(nil)
)

// Map routes POST path to the endpoint of a chain, behind the middlewares m,
// and returns the route. When o has Capabilities it also routes GET
// path/capabilities, behind the same; it panics when path has a *, behind
// which Echo can tell no path from another. Several agents are several calls;
// they may share one [aguihttp.Runs].
func Map(r Router, path string, c chat.Client, o *aguihttp.Options, m ...echo.MiddlewareFunc) *echo.Route {
	route := r.POST(path, Handler(c, o), m...)
	if o != nil && o.Capabilities != nil {
		if strings.Contains(route.Path, "*") {
			panic("aguiecho: no room for capabilities behind the * of " + route.Path +
				": leave Options.Capabilities out, and route aguihttp.Capabilities to a path of its own")
		}
		r.GET(strings.TrimSuffix(path, "/")+"/capabilities", wrap(aguihttp.Capabilities(o.Capabilities)), m...)
	}
	return route
}

// Handler returns the endpoint of a chain as a handler for a route of one's
// own. It answers every request itself, and returns an error, without a run,
// only where a middleware has answered before and called it all the same.
func Handler(c chat.Client, o *aguihttp.Options) echo.HandlerFunc {
	return wrap(aguihttp.Handler(c, o))
}

// errAnswered is for Echo's loggers: a stream behind another answer is noise
// to a client, and what the model costs would be for nothing.
var errAnswered = errors.New("aguiecho: the request was answered before it came to the endpoint, which started no run")

func wrap(h http.Handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Response().Committed {
			return errAnswered
		}
		r, done := request(c)
		defer done()
		h.ServeHTTP(writer{c.Response()}, r)
		return nil
	}
}

// writer keeps Echo's record of the response, and lets the endpoint reach the
// writer below: Echo's own Flush hides errors, and panics where it cannot.
type writer struct{ r *echo.Response }

func (w writer) Header() http.Header         { return w.r.Header() }
func (w writer) Write(b []byte) (int, error) { return w.r.Write(b) }
func (w writer) WriteHeader(status int)      { w.r.WriteHeader(status) }

// Unwrap returns the writer that Echo, or a middleware's, writes to.
func (w writer) Unwrap() http.ResponseWriter { return w.r.Writer }
