package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
		for e, err := range server.Run(t.Context(), "/acme", try.Wish("Hi", "")) {
			if err == nil {
				events = append(events, e)
			}
		}
		first <- events
	}()
	<-started
	for path, want := range map[string]int{"/acme": http.StatusServiceUnavailable, "/other": http.StatusNotFound, "/globex": 0} {
		var refused *aguitest.ResponseError
		for _, err := range server.Run(t.Context(), path, try.Wish("Hi", "")) {
			if err != nil && !errors.As(err, &refused) {
				t.Error(err)
			}
		}
		if refused == nil && want != 0 || refused != nil && refused.Status != want {
			t.Errorf("%s: %v, want %d", path, refused, want)
		}
	}
	close(release)
	if got := try.Said(<-first); got != "done" {
		t.Errorf("the first run said %q", got)
	}
}
