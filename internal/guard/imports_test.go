package guard

import (
	"slices"
	"strings"
	"testing"
)

// room says what a package may import: of ours, and of others by prefix.
type room struct {
	ours   []string
	others []string
}

// rooms are the packages that users import, from the wire outwards. One that
// is not here may not exist: put it here first.
var rooms = map[string]room{
	"middleware":      {},
	"middleware/agui": {others: []string{"github.com/google/uuid", "github.com/go-json-experiment/json"}},
	"middleware/chat": {
		ours:   []string{"middleware/agui", "middleware/internal/flow", "middleware/internal/schema"},
		others: []string{"github.com/google/jsonschema-go", "go.opentelemetry.io/otel"},
	},
	"middleware/state": {
		ours:   []string{"middleware/agui", "middleware/chat", "middleware/internal/flow", "middleware/internal/schema", "internal/jsonpatch"},
		others: []string{"github.com/google/jsonschema-go", "github.com/go-json-experiment/json"},
	},
	"middleware/aguihttp":  {ours: []string{"middleware/agui", "middleware/chat"}, others: []string{"go.opentelemetry.io/otel"}},
	"middleware/aguiecho":  {ours: []string{"middleware/agui", "middleware/chat", "middleware/aguihttp"}, others: []string{"github.com/labstack/echo/v4"}},
	"middleware/aguiecho5": {ours: []string{"middleware/agui", "middleware/chat", "middleware/aguihttp"}, others: []string{"github.com/labstack/echo/v5"}},
	"middleware/aguiclient": {
		ours:   []string{"middleware/agui", "middleware/chat", "internal/jsonpatch"},
		others: []string{"github.com/go-json-experiment/json"},
	},
	"middleware/aguitest":  {ours: []string{"middleware/agui", "middleware/chat"}, others: []string{"github.com/google/go-cmp"}},
	"adapters/openai":      {ours: []string{"middleware/agui", "middleware/chat"}, others: []string{"github.com/sashabaranov/go-openai"}},
	"adapters/langchaingo": {ours: []string{"middleware/agui", "middleware/chat"}, others: []string{"github.com/tmc/langchaingo"}},
}

// internals are the internal packages that rooms may import, and what those
// may import: nothing of the rooms but the wire.
var internals = map[string]room{
	"middleware/internal/flow":   {ours: []string{"middleware/agui"}},
	"middleware/internal/schema": {others: []string{"github.com/google/jsonschema-go"}},
	"internal/jsonpatch":         {ours: []string{"middleware/agui"}, others: []string{"github.com/wI2L/jsondiff", "github.com/go-json-experiment/json"}},
}

func TestImports(t *testing.T) {
	found, _ := packages(t)
	for path, p := range found {
		allowed, known := rooms[path]
		if !known {
			allowed, known = internals[path]
		}
		if !known {
			if p.exported() {
				t.Errorf("%s is a room without a rule: give it one in rooms", path)
			}
			continue
		}
		for _, i := range p.ours() {
			if !slices.Contains(allowed.ours, i) {
				t.Errorf("%s imports %s, and may import of ours: %s", path, i, strings.Join(allowed.ours, ", "))
			}
		}
		for _, i := range p.thirdParty() {
			if !slices.ContainsFunc(allowed.others, func(prefix string) bool { return i == prefix || strings.HasPrefix(i, prefix+"/") }) {
				t.Errorf("%s imports %s, and may import of others: %s", path, i, strings.Join(allowed.others, ", "))
			}
		}
	}
	for _, path := range []string{"middleware/agui", "middleware/chat", "middleware/aguitest"} {
		if found[path] == nil {
			t.Errorf("%s was not found: the guard looks in the wrong place", path)
		}
	}
}

// TestRoomsPointOneWay holds the table itself against the plan.
func TestRoomsPointOneWay(t *testing.T) {
	for path, r := range rooms {
		for _, i := range r.ours {
			inner, ok := rooms[i]
			if !ok {
				inner, ok = internals[i]
			}
			if !ok {
				t.Errorf("%s may import %s, which has no rule", path, i)
			}
			if slices.Contains(inner.ours, path) {
				t.Errorf("%s and %s may import each other", path, i)
			}
		}
		for _, o := range r.others {
			if strings.Contains(o, "labstack/echo") && !strings.HasPrefix(path, "middleware/aguiecho") {
				t.Errorf("%s may import Echo", path)
			}
			for _, provider := range []string{"go-openai", "langchaingo"} {
				if strings.Contains(o, provider) && !strings.HasPrefix(path, "adapters/") {
					t.Errorf("%s may import a provider: %s", path, o)
				}
			}
		}
	}
}
