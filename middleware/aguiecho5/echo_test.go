package aguiecho5_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"
	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/aguitest"

	"github.com/aguistate/aguistate/middleware/aguiecho5"
	"github.com/aguistate/aguistate/middleware/internal/echosuite"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

var key = []byte("a key of the tests")

var middlewares = map[string]echo.MiddlewareFunc{
	"recover": middleware.Recover(),
	"request-logger": middleware.RequestLoggerWithConfig(middleware.RequestLoggerConfig{
		LogLatency: true, LogResponseSize: true, LogStatus: true,
		LogValuesFunc: func(*echo.Context, middleware.RequestLoggerValues) error { return nil },
	}),
	"cors":       middleware.CORS("http://page.example"),
	"gzip":       middleware.Gzip(),
	"gzip-min":   middleware.GzipWithConfig(middleware.GzipConfig{MinLength: 2048}),
	"limit":      middleware.BodyLimit(1000),
	"request-id": middleware.RequestID(),
	"secure":     middleware.Secure(),
	"jwt": middleware.KeyAuth(func(c *echo.Context, token string, _ middleware.ExtractorSource) (bool, error) {
		parsed, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return key, nil }, jwt.WithValidMethods([]string{"HS256"}))
		c.Set("user", parsed)
		return err == nil, nil
	}),
	"dump":       middleware.BodyDump(func(*echo.Context, []byte, []byte, error) {}),
	"decompress": middleware.Decompress(),
	"values": func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			c.Set("plan", "gold")
			c.Set("other", 5)
			return next(c)
		}
	},
	"answers": func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
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
	// Echo v5 has no Timeout any more; this is what it was made of.
	"timeout": echo.WrapMiddleware(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Minute, "late") }),
}

func TestEcho(t *testing.T) {
	token, err := jwt.New(jwt.SigningMethodHS256).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	echosuite.Run(t, echosuite.Face{
		New: func(t *testing.T, agents ...echosuite.Agent) http.Handler { return mapped(t, echo.New(), agents) },
		Get: func(ctx context.Context, key string) (string, bool) { return aguiecho5.Get[string](ctx, key) },
		Harmless: []string{
			"recover", "request-logger", "cors", "gzip", "gzip-min", "limit", "request-id", "secure", "jwt", "dump",
			"decompress", "values", "long-context-timeout",
		},
		Token: token,
		Decoding: map[string]func(*testing.T, ...echosuite.Agent) http.Handler{
			"values": func(t *testing.T, agents ...echosuite.Agent) http.Handler {
				return mapped(t, routed(echo.RouterConfig{UnescapePathParamValues: true}), agents)
			},
			"by path": func(t *testing.T, agents ...echosuite.Agent) http.Handler {
				return mapped(t, routed(echo.RouterConfig{UseEscapedPathForMatching: true}), agents)
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
		var r aguiecho5.Router = e
		if a.Group != "" {
			r = e.Group(a.Group)
		}
		route := aguiecho5.Map(r, a.Path, a.Client, a.Options, use...)
		if route.Method != http.MethodPost || route.Path != a.Group+a.Path {
			t.Errorf("route %+v", route)
		}
	}
	return e
}

func routed(c echo.RouterConfig) *echo.Echo {
	return echo.NewWithConfig(echo.Config{Router: echo.NewRouter(c)})
}
