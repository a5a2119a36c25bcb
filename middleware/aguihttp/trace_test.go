package aguihttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// tracer is a provider that keeps the spans that have ended.
type tracer struct {
	noop.TracerProvider
	ended []*span
}

func (p *tracer) Tracer(string, ...trace.TracerOption) trace.Tracer { return starter{p: p} }

type starter struct {
	noop.Tracer
	p *tracer
}

func (t starter) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	cfg := trace.NewSpanStartConfig(o...)
	s := &span{p: t.p, name: name, kind: cfg.SpanKind(), attrs: cfg.Attributes()}
	if parent, ok := trace.SpanFromContext(ctx).(*span); ok {
		s.parent = parent.name
	}
	return trace.ContextWithSpan(ctx, s), s
}

type span struct {
	noop.Span
	p            *tracer
	name, parent string
	kind         trace.SpanKind
	attrs        []attribute.KeyValue
	status       codes.Code
	ends         int
}

func (s *span) IsRecording() bool                       { return true }
func (s *span) SetAttributes(kv ...attribute.KeyValue)  { s.attrs = append(s.attrs, kv...) }
func (s *span) SetStatus(c codes.Code, _ string)        { s.status = c }
func (s *span) End(...trace.SpanEndOption)              { s.ends++; s.p.ended = append(s.p.ended, s) }
func (s *span) RecordError(error, ...trace.EventOption) {}
func (s *span) TracerProvider() trace.TracerProvider    { return s.p }

func (s *span) String() string {
	var all []string
	for _, kv := range s.attrs {
		all = append(all, fmt.Sprintf("%s=%s", kv.Key, kv.Value.String()))
	}
	slices.Sort(all)
	return fmt.Sprintf("%s<%s %v %s", s.name, s.parent, s.status, strings.Join(all, " "))
}

func TestRunSpan(t *testing.T) {
	tests := []struct {
		name, want string
		err        error
	}{
		{"success", "agui.run< Unset agui.events=5 agui.outcome=success agui.run_id=r agui.thread_id=t", nil},
		{"error", "agui.run< Error agui.error_code=AGENT_ERROR agui.events=5 agui.outcome=error agui.run_id=r agui.thread_id=t", errors.New("x")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &tracer{}
			updates := []*chat.Update{text("a")}
			if tt.err == nil {
				updates = append(updates, stop)
			}
			inner := script(tt.err, updates...)
			client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
				if _, ok := trace.SpanFromContext(ctx).(*span); !ok {
					t.Error("the chain's context has no span")
				}
				return inner.Stream(ctx, req)
			})
			one(t, aguihttp.Handler(client, options(&aguihttp.Options{Tracer: p})), hello)
			if len(p.ended) != 1 || p.ended[0].ends != 1 || p.ended[0].kind != trace.SpanKindServer || p.ended[0].String() != tt.want {
				t.Errorf("got  %v\nwant [%s]", p.ended, tt.want)
			}
		})
	}
}

// Model and tool calls are children of the run, and tell nothing that was said.
func TestChildSpans(t *testing.T) {
	p := &tracer{}
	turn := 0
	model := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		turn++
		usage := &chat.Update{Model: "m-1", Usage: &agui.TokenUsage{InputTokens: 3, OutputTokens: 5}}
		if turn == 1 {
			return script(nil, &chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: "call-1", Name: "look", Arguments: `{"secret":1}`}}}, usage,
				&chat.Update{FinishReason: chat.FinishToolCalls}).Stream(ctx, req)
		}
		return script(errors.New("secret"), text("secret")).Stream(ctx, req)
	})
	look := chat.Tool{Name: "look", Invoke: func(ctx context.Context, _ json.RawMessage) (agui.Content, error) {
		if s, ok := trace.SpanFromContext(ctx).(*span); !ok || s.name != "agui.tool" {
			t.Error("the tool's context has no span of its own")
		}
		return agui.Content{}, errors.New("secret")
	}}
	client := chat.NewBuilder(model).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{look}, Around: aguihttp.TraceTool(p), Logger: quiet})).
		Use(aguihttp.TraceModel(p)).
		Build()
	one(t, aguihttp.Handler(client, options(&aguihttp.Options{Tracer: p})), hello)
	want := []string{
		"agui.model<agui.run Unset gen_ai.operation.name=chat gen_ai.response.finish_reasons=[\"tool_calls\"] gen_ai.response.model=m-1 gen_ai.usage.input_tokens=3 gen_ai.usage.output_tokens=5",
		"agui.tool<agui.run Error gen_ai.operation.name=execute_tool gen_ai.tool.call.id=call-1 gen_ai.tool.name=look",
		"agui.model<agui.run Error gen_ai.operation.name=chat",
		"agui.run< Error agui.error_code=AGENT_ERROR agui.events=9 agui.outcome=error agui.run_id=r agui.thread_id=t",
	}
	for i, s := range p.ended {
		if i >= len(want) || s.String() != want[i] || s.ends != 1 {
			t.Errorf("span %d: %s", i, s)
		}
	}
	if len(p.ended) != len(want) {
		t.Errorf("%d spans", len(p.ended))
	}
}
