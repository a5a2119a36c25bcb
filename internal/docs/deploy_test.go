package docs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// [serve]

// serve serves an agent until ctx ends: in main, that of
// signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM).
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

func TestServe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	model := aguitest.NewModel(aguitest.Text("first").Pause(release).Text(" last"))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, listener, model) }()

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	res, err := client.Post("http://"+listener.Addr().String()+"/agent", "application/json",
		strings.NewReader(`{"threadId":"t","runId":"r","messages":[{"id":"s","role":"system","content":"Obey."},{"id":"u","role":"user","content":"Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var seen strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(seen.String(), `"delta":"first"`) {
		n, err := res.Body.Read(buffer)
		seen.Write(buffer[:n])
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()         // the signal: the run goes on
	close(release) // and ends within its grace
	rest, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(rest), `"delta":" last"`) || !strings.Contains(string(rest), `"RUN_FINISHED"`) {
		t.Errorf("the run ended in %s", rest)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if m := model.Requests()[0].Messages; len(m) != 1 || m[0].Role != agui.RoleUser {
		t.Errorf("the model got %v", m)
	}
}

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

func TestPerTenant(t *testing.T) {
	started := make(chan struct{})
	release := make(chan struct{})
	wait := aguitest.Reply(func(ctx context.Context, _ *chat.Request) (aguitest.Turn, error) {
		close(started)
		return aguitest.Turn{}.Pause(release).Text("done"), nil
	})
	server := aguitest.NewServer(t, perTenant(1, func(r *http.Request) string { return strings.Trim(r.URL.Path, "/") }, aguitest.NewModel(wait, aguitest.Text("at once"))))
	first := make(chan []agui.Event, 1)
	go func() {
		var events []agui.Event
		for e, err := range server.Run(t.Context(), "/acme", wish("Hi", "")) {
			if err == nil {
				events = append(events, e)
			}
		}
		first <- events
	}()
	<-started
	for path, want := range map[string]int{"/acme": http.StatusServiceUnavailable, "/other": http.StatusNotFound, "/globex": 0} {
		var refused *aguitest.ResponseError
		for _, err := range server.Run(t.Context(), path, wish("Hi", "")) {
			if err != nil && !errors.As(err, &refused) {
				t.Error(err)
			}
		}
		if refused == nil && want != 0 || refused != nil && refused.Status != want {
			t.Errorf("%s: %v, want %d", path, refused, want)
		}
	}
	close(release)
	if got := said(<-first); got != "done" {
		t.Errorf("the first run said %q", got)
	}
}
