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
		ours:   []string{"middleware/agui"},
		others: []string{"github.com/google/jsonschema-go", "go.opentelemetry.io/otel"},
	},
	"middleware/state": {
		ours:   []string{"middleware/agui", "middleware/chat", "internal/jsonpatch"},
		others: []string{"github.com/google/jsonschema-go", "github.com/go-json-experiment/json"},
	},
	"middleware/aguihttp":  {ours: []string{"middleware/agui", "middleware/chat"}, others: []string{"go.opentelemetry.io/otel"}},
	"middleware/aguiecho":  {ours: []string{"middleware/agui", "middleware/chat", "middleware/aguihttp"}, others: []string{"github.com/labstack/echo/v4"}},
	"middleware/aguiecho5": {ours: []string{"middleware/agui", "middleware/chat", "middleware/aguihttp"}, others: []string{"github.com/labstack/echo/v5"}},
	"middleware/aguiclient": {
		ours:   []string{"middleware/agui", "middleware/chat", "middleware/internal/flow", "internal/jsonpatch"},
		others: []string{"github.com/go-json-experiment/json"},
	},
	"middleware/aguitest":  {ours: []string{"middleware/agui", "middleware/chat"}, others: []string{"github.com/google/go-cmp"}},
	"adapters/openai":      {ours: []string{"middleware/agui", "middleware/chat", "adapters/internal/mask", "adapters/internal/pieces", "adapters/internal/silence", "adapters/internal/toolname"}, others: []string{"github.com/sashabaranov/go-openai"}},
	"adapters/langchaingo": {ours: []string{"middleware/agui", "middleware/chat", "adapters/internal/mask", "adapters/internal/pieces", "adapters/internal/silence", "adapters/internal/toolname"}, others: []string{"github.com/tmc/langchaingo"}},
}

// internals are what rooms share and users cannot import; any room may. Those
// without a line here may import the wire and nothing else.
var internals = map[string]room{
	"adapters/internal/mask":     {ours: []string{"middleware/chat"}},
	"adapters/internal/pieces":   {ours: []string{"middleware/chat", "adapters/internal/toolname"}},
	"adapters/internal/silence":  {},
	"adapters/internal/toolname": {ours: []string{"middleware/chat"}},
	"internal/jsonpatch":         {ours: []string{"middleware/agui"}, others: []string{"github.com/wI2L/jsondiff", "github.com/go-json-experiment/json"}},
	"middleware/internal/schema": {others: []string{"github.com/google/jsonschema-go"}},
}

func ruleOf(path string) (room, bool) {
	if r, ok := rooms[path]; ok {
		return r, true
	}
	if r, ok := internals[path]; ok {
		return r, true
	}
	return room{ours: []string{"middleware/agui"}}, strings.HasPrefix(path, "middleware/internal/")
}

func TestImports(t *testing.T) {
	found, _ := packages(t)
	for path, p := range found {
		if _, ok := rooms[path]; p.exported() && !ok {
			t.Errorf("%s is a room without a rule: give it one in rooms", path)
		}
	}
	// From the rooms inwards: what only tests import may import what it likes.
	checked := map[string]bool{}
	var check func(path string)
	check = func(path string) {
		p := found[path]
		allowed, known := ruleOf(path)
		if !known || p == nil || checked[path] {
			return
		}
		checked[path] = true
		for _, i := range p.ours() {
			if !slices.Contains(allowed.ours, i) && !strings.HasPrefix(i, "middleware/internal/") {
				t.Errorf("%s imports %s, and may import of ours: %s", path, i, strings.Join(allowed.ours, ", "))
			}
			check(i)
		}
		for _, i := range p.thirdParty() {
			if !slices.ContainsFunc(allowed.others, func(prefix string) bool { return i == prefix || strings.HasPrefix(i, prefix+"/") }) {
				t.Errorf("%s imports %s, and may import of others: %s", path, i, strings.Join(allowed.others, ", "))
			}
		}
	}
	for path := range rooms {
		check(path)
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
			inner, ok := ruleOf(i)
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
