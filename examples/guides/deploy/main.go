// Command deploy is the program of the guide to deploying.

// [serve]

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(ctx, listener, &parrot.Model{Pace: time.Second}); err != nil {
		log.Fatal(err)
	}
}

// serve serves an agent until ctx ends.
func serve(ctx context.Context, listener net.Listener, client chat.Client) error {
	runs := &aguihttp.Runs{Max: 500}
	e := echo.New()
	e.Use(middleware.Recover())
	aguiecho.Map(e, "/agent", client, &aguihttp.Options{
		Runs:       runs,
		MaxRunTime: 10 * time.Minute,
		MaxBody:    1 << 20,
		System:     aguihttp.DropSystem,
	})
	server := &http.Server{
		Handler:           e,
		ReadHeaderTimeout: 10 * time.Second, // slow headers
		IdleTimeout:       2 * time.Minute,  // idle connections
		// No WriteTimeout and no ReadTimeout: the endpoint has its own.
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	err := runs.Shutdown(grace) // new runs get 503; at the end of grace the others get RUN_ERROR SHUTDOWN
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(last))
}

// [end]

// [limits]

// perTenant lets each tenant have a number of runs of its own.
func perTenant(most int, tenant func(*http.Request) string, client chat.Client) http.Handler {
	runs := map[string]http.Handler{}
	for _, name := range []string{"acme", "globex"} {
		runs[name] = aguihttp.Handler(client, &aguihttp.Options{Runs: &aguihttp.Runs{Max: most}})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := runs[tenant(r)]
		if !ok {
			http.Error(w, fmt.Sprintf("no tenant %q", tenant(r)), http.StatusNotFound)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// [end]
