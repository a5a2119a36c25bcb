// Package runlog is the log of a run, for all its layers: where its lines go,
// and which run they are about.
package runlog

import (
	"context"
	"log/slog"
)

type key struct{}

// about is what a context says of the log of its run.
type about struct {
	logger      *slog.Logger
	thread, run string
}

// With returns a context for the layers of a run. A nil logger is that of the
// run around.
func With(ctx context.Context, logger *slog.Logger, thread, run string) context.Context {
	if logger == nil {
		if around, ok := ctx.Value(key{}).(*about); ok {
			logger = around.logger
		}
	}
	return context.WithValue(ctx, key{}, &about{logger, thread, run})
}

// Log writes a line about the run of ctx: to logger, or where that is nil to
// the run's, or to slog.Default. It stands between steps of a run, so a
// logger that panics is one that is not heard.
func Log(ctx context.Context, logger *slog.Logger, level slog.Level, msg string, attrs ...slog.Attr) {
	of, _ := ctx.Value(key{}).(*about)
	if logger == nil && of != nil {
		logger = of.logger
	}
	if logger == nil {
		logger = slog.Default()
	}
	defer func() { _ = recover() }()
	if !logger.Enabled(ctx, level) {
		return
	}
	if of != nil {
		attrs = append([]slog.Attr{slog.String("thread", of.thread), slog.String("run", of.run)}, attrs...)
	}
	logger.LogAttrs(ctx, level, msg, attrs...)
}
