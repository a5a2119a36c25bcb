package aguihttp

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

const tracerName = "github.com/aguistate/aguistate/middleware/aguihttp"

func tracer(p trace.TracerProvider) trace.Tracer {
	if p == nil {
		p = otel.GetTracerProvider()
	}
	return p.Tracer(tracerName)
}

// startSpan begins a run's span. Where nobody traces, the run keeps neither the
// span that says so nor its context.
func startSpan(ctx context.Context, t trace.Tracer) (context.Context, trace.Span) {
	inner, span := t.Start(ctx, "agui.run", trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() && !span.SpanContext().IsValid() {
		span.End()
		return ctx, noop.Span{}
	}
	return inner, span
}

// nameSpan gives a run's span the ids.
func nameSpan(r *run) {
	if r.span.IsRecording() {
		r.span.SetAttributes(attribute.String("agui.thread_id", r.threadID), attribute.String("agui.run_id", r.runID))
	}
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
