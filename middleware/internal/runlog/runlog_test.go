package runlog_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// to is a logger without times.
func to(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func TestLog(t *testing.T) {
	var fallback, runs, own bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(to(&fallback))
	outside := t.Context()
	inRun := runlog.With(outside, to(&runs), "t", "r")
	for name, tt := range map[string]struct {
		ctx    context.Context
		logger *slog.Logger
		to     *bytes.Buffer
		want   string
	}{
		"outside a run":         {outside, nil, &fallback, `level=WARN msg=m k=v`},
		"in a run":              {inRun, nil, &runs, `level=WARN msg=m thread=t run=r k=v`},
		"with a logger":         {inRun, to(&own), &own, `level=WARN msg=m thread=t run=r k=v`},
		"in a run with none":    {runlog.With(outside, nil, "t", "r"), nil, &fallback, `level=WARN msg=m thread=t run=r k=v`},
		"in a run inside a run": {runlog.With(inRun, nil, "t", "inner"), nil, &runs, `level=WARN msg=m thread=t run=inner k=v`},
	} {
		fallback.Reset()
		runs.Reset()
		own.Reset()
		runlog.Log(tt.ctx, tt.logger, slog.LevelWarn, "m", slog.String("k", "v"))
		if got := strings.TrimSpace(tt.to.String()); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if n := fallback.Len() + runs.Len() + own.Len(); n != tt.to.Len() {
			t.Errorf("%s: it is told elsewhere too", name)
		}
	}
	runlog.Log(inRun, nil, slog.LevelDebug, "m")
	if strings.Contains(runs.String(), "DEBUG") {
		t.Error("what nobody asked for is told")
	}
}

type broken struct{ slog.Handler }

func (broken) Enabled(context.Context, slog.Level) bool { panic("enabled") }

type brokenLater struct{ slog.Handler }

func (brokenLater) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenLater) Handle(context.Context, slog.Record) error { panic("handle") }
func (h brokenLater) WithAttrs([]slog.Attr) slog.Handler      { return h }

// A logger that panics is not heard.
func TestLoggersThatPanic(t *testing.T) {
	for _, h := range []slog.Handler{broken{}, brokenLater{}} {
		runlog.Log(t.Context(), slog.New(h), slog.LevelError, "m")
	}
}
