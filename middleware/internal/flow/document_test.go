package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// The nearest document counts, within its run.
func TestDocuments(t *testing.T) {
	share := func(ctx context.Context, doc string) context.Context {
		return flow.WithDocument(ctx, func(context.Context) (json.RawMessage, error) { return json.RawMessage(doc), nil })
	}
	run := flow.WithScope(t.Context())
	for name, tt := range map[string]struct {
		ctx  context.Context
		want string
	}{
		"none":                    {run, ""},
		"of the run":              {share(run, "1"), "1"},
		"the nearest":             {share(share(run, "1"), "2"), "2"},
		"of a run around":         {flow.WithScope(share(run, "1")), ""},
		"of both runs":            {share(flow.WithScope(share(run, "1")), "2"), "2"},
		"outside any run":         {share(t.Context(), "1"), "1"},
		"of none, in a run in it": {flow.WithScope(share(t.Context(), "1")), ""},
	} {
		if got, err := flow.DocumentFrom(tt.ctx); string(got) != tt.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
	fault := errors.New("fault")
	ctx := flow.WithDocument(run, func(context.Context) (json.RawMessage, error) { return nil, fault })
	if _, err := flow.DocumentFrom(ctx); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
}
