package aguiecho_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	echojwt "github.com/labstack/echo-jwt/v4"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/aguitest"

	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/internal/echosuite"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

var key = []byte("a key of the tests")

var middlewares = map[string]echo.MiddlewareFunc{
	"recover": middleware.Recover(),
	//lint:ignore SA1019 deprecated, and in use
	"logger": middleware.LoggerWithConfig(middleware.LoggerConfig{Output: io.Discard}),
	"request-logger": middleware.RequestLoggerWithConfig(middleware.RequestLoggerConfig{
		LogLatency: true, LogResponseSize: true, LogStatus: true, LogError: true,
		LogValuesFunc: func(echo.Context, middleware.RequestLoggerValues) error { return nil },
	}),
	"cors":       middleware.CORS(),
	"gzip":       middleware.Gzip(),
	"gzip-min":   middleware.GzipWithConfig(middleware.GzipConfig{MinLength: 2048}),
	"limit":      middleware.BodyLimit("1K"),
	"request-id": middleware.RequestID(),
	"secure":     middleware.Secure(),
	"jwt":        echojwt.JWT(key),
	"dump":       middleware.BodyDump(func(echo.Context, []byte, []byte) {}),
	"decompress": middleware.Decompress(),
	"values": func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Set("plan", "gold")
			c.Set("other", 5)
			return next(c)
		}
	},
	"answers": func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := c.String(http.StatusTeapot, "teapot, "); err != nil {
				return err
			}
			err := next(c)
			_, _ = fmt.Fprint(c.Response(), err)
			return err
		}
	},
	"context-timeout":      middleware.ContextTimeout(time.Millisecond),
	"long-context-timeout": middleware.ContextTimeout(time.Hour),
	//lint:ignore SA1019 deprecated, and in use
	"timeout": middleware.TimeoutWithConfig(middleware.TimeoutConfig{Timeout: time.Minute}),
}

func TestEcho(t *testing.T) {
	token, err := jwt.New(jwt.SigningMethodHS256).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	echosuite.Run(t, echosuite.Face{
		New: func(t *testing.T, agents ...echosuite.Agent) http.Handler { return mapped(t, echo.New(), agents) },
		Get: func(ctx context.Context, key string) (string, bool) { return aguiecho.Get[string](ctx, key) },
		Harmless: []string{
			"recover", "logger", "request-logger", "cors", "gzip", "gzip-min", "limit", "request-id", "secure", "jwt", "dump",
			"decompress", "values", "long-context-timeout",
		},
		Token: token,
		Decoding: map[string]func(*testing.T, ...echosuite.Agent) http.Handler{
			"middleware": func(t *testing.T, agents ...echosuite.Agent) http.Handler {
				e := echo.New()
				e.Use(decoded)
				return mapped(t, e, agents)
			},
		},
	})
}

func mapped(t *testing.T, e *echo.Echo, agents []echosuite.Agent) http.Handler {
	for _, a := range agents {
		var use []echo.MiddlewareFunc
		for _, name := range a.Use {
			m, ok := middlewares[name]
			if !ok {
				t.Fatalf("no middleware %q", name)
			}
			use = append(use, m)
		}
		var r aguiecho.Router = e
		if a.Group != "" {
			r = e.Group(a.Group)
		}
		route := aguiecho.Map(r, a.Path, a.Client, a.Options, use...)
		if route.Method != http.MethodPost || route.Path != a.Group+a.Path {
			t.Errorf("route %+v", route)
		}
	}
	return e
}

// decoded is what an app may have where Echo leaves parameters encoded.
func decoded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		values := slices.Clone(c.ParamValues())
		for i, v := range values {
			if c.Request().URL.RawPath != "" {
				values[i], _ = url.PathUnescape(v)
			}
		}
		c.SetParamValues(values...)
		return next(c)
	}
}
