package aguiclient

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// What the fixtures' runs make of a client is the same behind a proxy of ours.
func TestAProxyOfTheFixtures(t *testing.T) {
	const (
		taken = "no id of the conversation is used again"
	)
	differ := deviations{
		"text/interleaved_in_start_order":                   "a message begins with what it says first",
		"text/id_from_history_appends":                      taken,
		"text/id_of_multimodal_history_overwrites":          taken,
		"text/id_of_activity_is_refused":                    taken,
		"reasoning/id_of_text_message_appends_there":        taken,
		"tool/known_from_history":                           taken,
		"messages/input_echo_adds_missing_only":             "the start of the agent's run is not the start of ours",
		"run/result_ignored_on_cancelled":                   "a cancelled run is an error",
		"messages/snapshot_mid_stream_removes_open_message": "what comes behind a snapshot is a message of its own",
		"tool/metadata_stays_on_call":                       "a message that says nothing is made by its call",
		"run/pending_tool_calls_named_win":                  "the endpoint finds out itself which calls have no result",
	}
	var names []string
	for _, c := range cases[applyCase](t, "apply.json") {
		if c.Rejected != nil {
			continue
		}
		events := decodeAll(t, c.Events)
		if n := slices.IndexFunc(events, terminal); n >= 0 && n < len(events)-1 {
			continue // several runs are several answers
		}
		names = append(names, c.Name)
		t.Run(c.Name, func(t *testing.T) {
			in := &agui.RunAgentInput{ThreadID: "t1", RunID: "r1", ProtocolVersion: "1.0", State: c.InitialState,
				Messages: append(slices.Clone(c.InitialMessages), agui.Message{ID: "asked", Role: agui.RoleUser, Content: agui.Text("?")})}
			replay := NewReplay(events)
			var applied []error
			proxy := New(replay, &Options{OnError: func(_ context.Context, err error) { applied = append(applied, err) }})
			var proxied []agui.Event
			for e, err := range run(t.Context(), Local(proxy, quiet), in, false) {
				if err != nil {
					t.Fatal(err)
				}
				if e, ok := e.(*agui.RunError); ok && !slices.ContainsFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeRunError }) {
					if _, listed := differ[c.Name]; !listed {
						t.Fatalf("the run failed: %+v", e)
					}
					differ.settle(t, c.Name, true)
					return
				}
				proxied = append(proxied, e)
			}
			got, want := kept(t, in, proxied), kept(t, in, events)
			if _, listed := differ[c.Name]; got != want && !listed {
				t.Logf("behind the proxy\n%s\nnot\n%s\nfrom\n%s", got, want, lines(t, proxied))
			}
			differ.settle(t, c.Name, got != want)
			for _, err := range applied {
				var e *ApplyError
				if !errors.As(err, &e) {
					t.Errorf("OnError was told %v", err)
				}
			}
		})
	}
	differ.complete(t, names)
}

// kept is what a client keeps of a run.
func kept(t *testing.T, in *agui.RunAgentInput, events []agui.Event) string {
	t.Helper()
	m := NewMirror(in.State, in.Messages)
	for _, e := range events {
		_ = m.Apply(e)
	}
	messages := m.Messages()
	for i := range messages {
		if messages[i].Role == agui.RoleReasoning {
			messages[i].ID = "reasoning"
		}
	}
	return strings.Join([]string{
		compacted(t, m.State()), string(mustJSON(t, messages)), string(mustJSON(t, m.Interrupts())),
		string(mustJSON(t, slices.Compact(m.PendingToolCallIDs()))), string(m.Result()),
	}, "\n")
}
