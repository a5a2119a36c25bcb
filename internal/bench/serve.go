package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof" // on an address of its own, behind a flag
	"os"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/internal/bench/script"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguihttp"
)

// serve is the server under test: Echo, the endpoint with its defaults, and a
// chain of five layers, the shared state and a scripted model.
func serve(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	addr := flags.String("addr", "127.0.0.1:9100", "listen address")
	profile := flags.String("pprof", "", "address of net/http/pprof, or none")
	window := flags.Duration("window", 0, "the endpoint's FlushWindow")
	reuse := flags.Bool("reuse", false, "the models hand out one update again and again")
	grace := flags.Duration("grace", 200*time.Millisecond, "how long runs may go on after SIGTERM")
	if err := flags.Parse(args); err != nil {
		return err
	}
	work, err := script.Default()
	if err != nil {
		return err
	}
	if *profile != "" {
		go func() { fmt.Fprintln(os.Stderr, http.ListenAndServe(*profile, nil)) }()
	}

	runs := &aguihttp.Runs{}
	e := server(&scripted{work, *reuse}, &aguihttp.Options{
		Runs: runs, FlushWindow: *window,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	ln, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	e.Listener = ln
	served := make(chan error, 1)
	go func() { served <- e.Start("") }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), *grace)
	defer cancel()
	err = runs.Shutdown(end)
	closing, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err = errors.Join(err, e.Shutdown(closing))
	if s := <-served; !errors.Is(s, http.ErrServerClosed) {
		err = errors.Join(err, s)
	}
	return err
}

// server routes the workloads.
func server(models *scripted, o *aguihttp.Options) *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	aguiecho.Map(e, "/w1", chain[Small](models.w1()), o)
	aguiecho.Map(e, "/w2", chain[script.State](models.w2()), o)
	aguiecho.Map(e, "/w3", chain[Small](models.w3()), o)
	aguiecho.Map(e, "/loss", chain[tally](tallying()), o)
	return e
}
