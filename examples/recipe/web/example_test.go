package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/web"
)

// The page goes beside the agent: it asks for "agent" on its own server.
func Example() {
	mux := http.NewServeMux()
	mux.Handle("GET /", web.Handler())
	server := httptest.NewServer(mux)
	defer server.Close()

	res, err := http.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	fmt.Println(res.Status, err, strings.Contains(string(page), "<title>Two cooks"))
	// Output: 200 OK <nil> true
}
