package guard

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// reference is what a generation of @ag-ui/core says of events and the objects
// in them. scripts/fixtures writes the files, and a test of internal/e2e holds
// them against the installed packages.
func reference(t *testing.T, name string) (all map[string]members, protocol string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Protocol string
		Members  map[string]map[string]string
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	all = map[string]members{}
	for name, list := range file.Members {
		all[name] = members{}
		for member, presence := range list {
			all[name][member] = presence == "required"
		}
	}
	return all, file.Protocol
}

// moves names each place where a reference says otherwise than we do.
func moves(theirs, ours map[string]members) (places []string) {
	presence := map[bool]string{true: "required", false: "optional"}
	for name := range union(theirs, ours) {
		switch t, o := theirs[name], ours[name]; {
		case t == nil:
			places = append(places, name+": ours alone")
		case o == nil:
			places = append(places, name+": theirs alone")
		default:
			for member := range union(t, o) {
				required, there := t[member]
				must, here := o[member]
				switch place := name + "." + member; {
				case !there:
					places = append(places, place+": ours alone")
				case !here:
					places = append(places, place+": theirs alone")
				case required != must:
					places = append(places, place+": "+presence[required]+" there, "+presence[must]+" here")
				}
			}
		}
	}
	slices.Sort(places)
	return places
}

func union[K cmp.Ordered, V any](a, b map[K]V) map[K]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// generations are the clients that are served, by the names of their files,
// and where what they know is other than what we know. What is ours alone is kept from the older one where
// it would end its run: see agui.Downgrade.
var generations = map[string][]string{
	"reference": nil,
	"reference-older": {
		"CUSTOM.value: optional there, required here",
		"FileSource: ours alone",
		"ImagePart.id: ours alone",
		"RAW.event: optional there, required here",
		"RUN_STARTED.protocolVersion: ours alone",
		"RunAgentInput.context: required there, optional here",
		"RunAgentInput.protocolVersion: ours alone",
		"RunAgentInput.tools: required there, optional here",
		"RunFinishedCancelledOutcome: ours alone",
		"RunFinishedSuccessOutcome.pendingToolCallIds: ours alone",
		"STATE_SNAPSHOT.snapshot: optional there, required here",
		"THINKING_END: theirs alone",
		"THINKING_START: theirs alone",
		"THINKING_TEXT_MESSAGE_CONTENT: theirs alone",
		"THINKING_TEXT_MESSAGE_END: theirs alone",
		"THINKING_TEXT_MESSAGE_START: theirs alone",
		"TextPart.id: ours alone",
		"TextPart.metadata: ours alone",
		"TokenUsage.cacheWriteInputTokens: ours alone",
	},
}

func TestEventsAndMembersAreTheReferences(t *testing.T) {
	ours := ours(t)
	for name, known := range generations {
		theirs, _ := reference(t, name)
		found := moves(theirs, ours)
		for _, place := range found {
			if !slices.Contains(known, place) {
				t.Errorf("%s: %s", name, place)
			}
		}
		for _, place := range known {
			if !slices.Contains(found, place) {
				t.Errorf("%s: not so any more: %s", name, place)
			}
		}
	}
}

func TestProtocolIsTheReferences(t *testing.T) {
	if _, protocol := reference(t, "reference"); protocol != agui.ProtocolVersion {
		t.Errorf("the reference speaks %s, we say %s", protocol, agui.ProtocolVersion)
	}
}

func TestMovesNamesThePlace(t *testing.T) {
	theirs := map[string]members{"A": {"same": true, "gone": true, "was": false}, "B": {}}
	ours := map[string]members{"A": {"same": true, "new": false, "was": true}, "C": {}}
	got := moves(theirs, ours)
	want := []string{
		"A.gone: theirs alone", "A.new: ours alone", "A.was: optional there, required here",
		"B: theirs alone", "C: ours alone",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestEventTypesHaveStructs holds the constants against the events: none
// without a struct, none without a constant.
func TestEventTypesHaveStructs(t *testing.T) {
	ours := map[string]bool{}
	for _, e := range events() {
		ours[string(e.Type())] = true
	}
	found, _ := packages(t)
	constants := 0
	for _, f := range found["middleware/agui"].files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "EventType" {
				for _, value := range spec.Values {
					if lit, ok := value.(*ast.BasicLit); ok {
						constants++
						if name := strings.Trim(lit.Value, `"`); !ours[name] {
							t.Errorf("the constant %s has no event", name)
						}
					}
				}
			}
			return false
		})
	}
	if constants != len(ours) {
		t.Errorf("%d constants of type EventType, %d events", constants, len(ours))
	}
}

func TestEventsAreReadAsTheyAreWritten(t *testing.T) {
	for _, e := range events() {
		text, err := agui.AppendEvent(nil, filled(e))
		if err != nil {
			t.Errorf("%s: %v", e.Type(), err)
			continue
		}
		if back, err := agui.DecodeEvent(text); err != nil {
			t.Errorf("%s: reading back: %v\n%s", e.Type(), err, text)
		} else if again, err := agui.AppendEvent(nil, back); err != nil || string(again) != string(text) {
			t.Errorf("%s: written, read and written again, %v:\n%s\n%s", e.Type(), err, text, again)
		}
	}
}
