package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
)

// proxy serves the agent at a URL behind an endpoint of ours, whose chain is
// nothing but the client; what is asked for below its own address is asked for
// below the URL. It says where, and ends when there is no more to read of in.
func proxy(out *json.Encoder, in io.Reader, url string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent := aguiclient.New(aguiclient.HTTP(url+strings.TrimSuffix(r.URL.Path, "/"), nil), nil)
		aguihttp.Handler(agent, &aguihttp.Options{Logger: slog.New(slog.DiscardHandler)}).ServeHTTP(w, r)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	if err := out.Encode(map[string]string{"url": "http://" + l.Addr().String()}); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, in)
	if err := server.Shutdown(context.Background()); err != nil {
		return err
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
