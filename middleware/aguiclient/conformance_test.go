package aguiclient_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// The wire has no finish reasons and no tool choice.
func TestClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		s := httptest.NewServer(endpoint(t, m))
		t.Cleanup(s.Close)
		return aguiclient.New(aguiclient.HTTP(s.URL, &aguiclient.HTTPOptions{Client: s.Client()}), nil)
	}, aguitest.NoFinishReasons, aguitest.NoToolChoice)
}

// The same without a network.
func TestClientInMemory(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return aguiclient.New(aguiclient.Handler(endpoint(t, m), "/", nil), nil)
	}, aguitest.NoFinishReasons, aguitest.NoToolChoice)
}

// quiet keeps runs that fail on purpose out of the test's output.
var quiet = &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}

// endpoint is a server that speaks AG-UI for a model, event by event.
func endpoint(t *testing.T, m *aguitest.Model) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		in, err := agui.ParseInput(body)
		if err != nil {
			t.Error(err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var cut atomic.Bool
		// The model's errors are this agent's, and may be shown.
		c := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for u, err := range m.Stream(ctx, req) {
					if errors.Is(err, aguitest.ErrCut) {
						cut.Store(true)
					}
					if err != nil {
						err = &chat.Error{Message: err.Error(), Err: err}
					}
					if !yield(u, err) {
						return
					}
				}
			}
		})
		w.Header().Set("Content-Type", "text/event-stream")
		flusher := http.NewResponseController(w)
		for e := range chat.Events(r.Context(), c, in, quiet) {
			if cut.Load() {
				panic(http.ErrAbortHandler)
			}
			frame, err := agui.AppendFrame(nil, e)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := w.Write(frame); err != nil {
				return
			}
			if err := flusher.Flush(); err != nil {
				return
			}
		}
	})
}
