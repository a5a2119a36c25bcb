package aguihttp

import (
	"context"
	"iter"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// TraceModel returns the middleware that gives each model call a span
// "agui.model" with the model, the finish reason and the tokens, under the
// names of OpenTelemetry's conventions for generative AI. It records nothing
// that was said. Use it innermost, around the model. Nil is the global
// provider.
func TraceModel(p trace.TracerProvider) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return &tracedModel{Delegating: chat.Delegating{Client: next}, tracer: tracer(p)}
	}
}

type tracedModel struct {
	chat.Delegating
	tracer trace.Tracer
}

// Stream opens the span when the range starts, and closes it when it ends.
func (m *tracedModel) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		ctx, span := m.tracer.Start(ctx, "agui.model", trace.WithSpanKind(trace.SpanKindClient))
		defer span.End()
		if !span.IsRecording() {
			m.Client.Stream(ctx, req)(yield)
			return
		}
		span.SetAttributes(attribute.String("gen_ai.operation.name", "chat"))
		if req.Options.Model != "" {
			span.SetAttributes(attribute.String("gen_ai.request.model", req.Options.Model))
		}
		for u, err := range m.Client.Stream(ctx, req) {
			recordUpdate(span, u)
			if err != nil {
				span.SetStatus(codes.Error, "")
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

func recordUpdate(span trace.Span, u *chat.Update) {
	if u == nil {
		return
	}
	if u.Model != "" {
		span.SetAttributes(attribute.String("gen_ai.response.model", u.Model))
	}
	if u.FinishReason != "" {
		span.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(u.FinishReason)}))
	}
	if u.Usage != nil {
		span.SetAttributes(
			attribute.Int64("gen_ai.usage.input_tokens", u.Usage.InputTokens),
			attribute.Int64("gen_ai.usage.output_tokens", u.Usage.OutputTokens))
	}
}

// TraceTool returns what chat.FunctionInvocation takes as Around: it gives each
// tool call a span "agui.tool" with the tool's name and the call's id. It
// records neither arguments nor results. Nil is the global provider.
func TraceTool(p trace.TracerProvider) func(ctx context.Context, call *chat.Invocation, next func(context.Context) (agui.Content, error)) (agui.Content, error) {
	t := tracer(p)
	return func(ctx context.Context, call *chat.Invocation, next func(context.Context) (agui.Content, error)) (agui.Content, error) {
		ctx, span := t.Start(ctx, "agui.tool")
		defer span.End()
		if span.IsRecording() {
			span.SetAttributes(
				attribute.String("gen_ai.operation.name", "execute_tool"),
				attribute.String("gen_ai.tool.name", call.Tool.Name),
				attribute.String("gen_ai.tool.call.id", call.Call.ID))
		}
		content, err := next(ctx)
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		return content, err
	}
}
