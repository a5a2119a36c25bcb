package aguiecho5_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"

	"github.com/aguistate/aguistate/middleware/aguiecho5"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// A chain on Echo, in a group with a path parameter, behind a middleware that
// says who asks.
func Example() {
	chain := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			user, _ := aguiecho5.Get[string](ctx, "user")
			r, _ := aguihttp.RequestFrom(ctx)
			if yield(&chat.Update{MessageID: "m1", Text: "Hello " + user + " of " + r.PathValue("tenant")}, nil) {
				yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
			}
		}
	})
	auth := func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			c.Set("user", "Ada")
			return next(c)
		}
	}

	e := echo.New()
	e.Use(middleware.Recover(), middleware.CORS("https://app.example"))
	tenants := e.Group("/:tenant", auth)
	aguiecho5.Map(tenants, "/agent", chain, &aguihttp.Options{Runs: &aguihttp.Runs{Max: 500}})

	server := httptest.NewServer(e)
	defer server.Close()
	res, err := http.Post(server.URL+"/acme/agent", "application/json",
		strings.NewReader(`{"threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":"Hi"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	stream, err := io.ReadAll(res.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(stream))
	// Output:
	// data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}
	//
	// data: {"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}
	//
	// data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello Ada of acme"}
	//
	// data: {"type":"TEXT_MESSAGE_END","messageId":"m1"}
	//
	// data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
}
