package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aguistate/aguistate/internal/bench/load"
	"github.com/aguistate/aguistate/internal/bench/script"
	"github.com/aguistate/aguistate/middleware/aguihttp"
)

func serving(t *testing.T, reuse bool) (*httptest.Server, *script.Script) {
	t.Helper()
	work, err := script.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server(&scripted{work, reuse}, &aguihttp.Options{Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(s.Close)
	return s, work
}

// The server under test serves what the load expects, to the byte.
func TestWorkloads(t *testing.T) {
	for name, reuse := range map[string]bool{ours: false, "oursr": true} {
		s, work := serving(t, reuse)
		for w, c := range map[string]load.Config{"w1": {C: 4}, "w2": {C: 4, Poll: true}, "w3": {C: 4}} {
			t.Run(name+"/"+w, func(t *testing.T) {
				c.Name, c.URL, c.W, c.S, c.Warm, c.Dur = name, s.URL, w, work, time.Millisecond, 300*time.Millisecond
				r, err := load.Run(c)
				if err != nil || r.Errors != 0 || r.Runs < c.C || w != "w3" && r.Verified != 5 {
					t.Errorf("%v, %+v", err, r)
				}
			})
		}
	}
}

func TestLossRun(t *testing.T) {
	s, _ := serving(t, false)
	c := s.Client()
	for i := range 20 {
		if o, why := lossRun(t.Context(), c, s.URL+"/loss", fmt.Sprintf("run-%d", i), false); o != finished {
			t.Errorf("outcome %d: %s", o, why)
		}
	}
}

// The judge is not blind.
func TestLossRunJudges(t *testing.T) {
	right := func(run string) string {
		b := `{"type":"RUN_STARTED","runId":"` + run + `"}` + "\n"
		for _, w := range words(run) {
			b += fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","delta":%q}`+"\n", w)
		}
		return b
	}
	const run = "r"
	tests := map[string]struct {
		events string // a line each
		ends   func(w http.ResponseWriter)
		want   outcome
	}{
		"no terminal event": {right(run), nil, silent},
		"nothing":           {"", nil, silent},
		"wrong text":        {strings.Replace(right(run), "w1-", "w2-", 1) + `{"type":"RUN_FINISHED","runId":"r"}` + "\n", nil, wrong},
		"wrong run":         {right("other") + `{"type":"RUN_FINISHED","runId":"r"}` + "\n", nil, wrong},
		"no state":          {right(run) + `{"type":"RUN_FINISHED","runId":"r"}` + "\n", nil, wrong},
		"broken frame":      {"{\n", nil, wrong},
		"bad delta":         {`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/no","value":1}]}` + "\n", nil, wrong},
		"told":              {right(run) + `{"type":"RUN_ERROR"}` + "\n", nil, failed},
		"cut":               {right(run), func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, cut},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusOK)
				for line := range strings.Lines(tt.events) {
					_, _ = fmt.Fprintf(w, "data: %s\n", line)
				}
				_ = http.NewResponseController(w).Flush()
				if tt.ends != nil {
					tt.ends(w)
				}
			}))
			defer s.Close()
			if o, why := lossRun(t.Context(), s.Client(), s.URL, run, false); o != tt.want {
				t.Errorf("outcome %d, want %d: %s", o, tt.want, why)
			}
		})
	}
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if o, _ := lossRun(context.Background(), s.Client(), s.URL, run, false); o != refused {
		t.Errorf("outcome %d", o)
	}
}

func TestMedian(t *testing.T) {
	of := func(v ...float64) float64 {
		var rs []load.Result
		for _, x := range v {
			rs = append(rs, load.Result{CPU: x})
		}
		return median(rs, func(r load.Result) float64 { return r.CPU })
	}
	if a, b, c := of(), of(3, 1, 2), of(4, 1, 2, 3); a != 0 || b != 2 || c != 2.5 {
		t.Errorf("got %v, %v, %v", a, b, c)
	}
}
