// Command recipe serves a recipe that a person and an agent write together: a
// page with a form and a chat, and the AG-UI endpoints behind it. There are
// three, which work in three ways: /agent has the model write the recipe
// (state.Generate), /tools has it call tools, one of which waits for a
// person's approval, and /byhand shows a middleware of one's own.
//
// Without a key and a base URL it talks to a stand-in for a model, which it
// starts itself on the loopback interface; see package standin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aguistate/aguistate/middleware/aguihttp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "recipe:", err)
		os.Exit(1)
	}
}

// grace is how long runs may go on after the first signal.
const grace = 5 * time.Second

// run serves until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, out *os.File) error {
	cfg, err := parseConfig(args, getenv, os.Stderr)
	if err != nil {
		return err
	}
	// First, for nothing else is of use without it.
	listener, err := net.Listen("tcp", cfg.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: something is served there already; -addr names another", err)
	} else if err != nil {
		return err
	}
	defer listener.Close() // once more, where the server has done so
	model, err := newModel(cfg)
	if err != nil {
		return err
	}
	defer model.close()
	runs := &aguihttp.Runs{Max: cfg.maxRuns}
	server := &http.Server{
		Handler:           newServer(cfg, model, runs),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	url := "http://" + listener.Addr().String()
	fmt.Fprintf(out, "The recipe is at %s/ and its AG-UI endpoint at %s/agent\n", url, url)
	if model.standIn != nil {
		fmt.Fprintf(out, "No key, no base URL: a stand-in answers instead of a model (its wire: %s)\n", model.baseURL)
	} else {
		fmt.Fprintf(out, "The model is %s, by way of %s\n", model, cfg.backend)
	}
	if cfg.key == nil {
		slog.Info("approvals are taken by this process only; set RECIPE_KEY for more than one")
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	slog.Info("shutting down", "active_runs", runs.Active())
	end, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := runs.Shutdown(end); err != nil {
		slog.Error("shutting down", "error", err)
	}
	last, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return server.Shutdown(last)
}
