package aguihttp

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/aguistate/aguistate/middleware/agui"
)

const tracerName = "github.com/aguistate/aguistate/middleware/aguihttp"

func tracer(p trace.TracerProvider) trace.Tracer {
	if p == nil {
		p = otel.GetTracerProvider()
	}
	return p.Tracer(tracerName)
}

// startSpan opens the span "agui.run".
func (e *endpoint) startSpan(ctx context.Context, in *agui.RunAgentInput) (context.Context, trace.Span) {
	ctx, span := e.tracer.Start(ctx, "agui.run", trace.WithSpanKind(trace.SpanKindServer))
	if span.IsRecording() {
		span.SetAttributes(attribute.String("agui.thread_id", in.ThreadID), attribute.String("agui.run_id", in.RunID))
	}
	return ctx, span
}

// endSpan closes a run's span with its outcome.
func endSpan(r *run, writeErr error) {
	if r.span.IsRecording() {
		r.span.SetAttributes(attribute.String("agui.outcome", r.outcome), attribute.Int("agui.events", r.sent))
		if r.outCode != "" {
			r.span.SetAttributes(attribute.String("agui.error_code", r.outCode))
			r.span.SetStatus(codes.Error, r.outCode)
		}
		if writeErr != nil {
			r.span.SetAttributes(attribute.Bool("agui.client_gone", true))
		}
	}
	r.span.End()
}
