package main

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/encoding/sse"
	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sdkServer is a server written with the official Go SDK: it reads the input
// with the SDK's types and writes what run returns with the SDK's writer.
func sdkServer(t *testing.T, run func(in *types.RunAgentInput) []sdk.Event) string {
	t.Helper()
	writer := sse.NewSSEWriter().WithLogger(slog.New(slog.DiscardHandler))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var in types.RunAgentInput
		if err == nil {
			err = json.Unmarshal(body, &in)
		}
		if err != nil {
			t.Errorf("the SDK cannot read %s: %v", body, err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range run(&in) {
			if err := writer.WriteEvent(r.Context(), w, e); err != nil {
				t.Errorf("the SDK cannot write %s: %v", e.Type(), err)
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func whole(in *types.RunAgentInput, events ...sdk.Event) []sdk.Event {
	all := append([]sdk.Event{sdk.NewRunStartedEvent(in.ThreadID, in.RunID)}, events...)
	return append(all, sdk.NewRunFinishedEvent(in.ThreadID, in.RunID))
}

func TestAServerWithTheOfficialSDK(t *testing.T) {
	url := sdkServer(t, func(in *types.RunAgentInput) []sdk.Event {
		last := in.Messages[len(in.Messages)-1]
		if string(last.Role) == "tool" {
			answer, _ := last.Content.(string)
			return whole(in, sdk.NewTextMessageStartEvent("m2", sdk.WithRole("assistant")),
				sdk.NewTextMessageContentEvent("m2", "So it is "+answer+"."), sdk.NewTextMessageEndEvent("m2"))
		}
		if len(in.Tools) != 1 || in.Tools[0].Name != "weather" {
			t.Errorf("the SDK read the tools %+v", in.Tools)
		}
		return whole(in,
			sdk.NewStepStartedEvent("s"),
			sdk.NewReasoningStartEvent("r"), sdk.NewReasoningMessageStartEvent("r", "reasoning"), sdk.NewReasoningMessageContentEvent("r", "hm"), sdk.NewReasoningMessageEndEvent("r"), sdk.NewReasoningEndEvent("r"),
			sdk.NewStateSnapshotEvent(map[string]any{"state": in.State, "n": 1}),
			sdk.NewStateDeltaEvent([]sdk.JSONPatchOperation{{Op: "replace", Path: "/n", Value: 2}, {Op: "add", Path: "/list", Value: []int{1}}, {Op: "move", From: "/list/0", Path: "/moved"}}),
			sdk.NewTextMessageStartEvent("m1", sdk.WithRole("assistant")), sdk.NewTextMessageContentEvent("m1", "Let me "), sdk.NewTextMessageContentEvent("m1", "see. <&>"), sdk.NewTextMessageEndEvent("m1"),
			sdk.NewToolCallStartEvent("c1", "weather", sdk.WithParentMessageID("m1")), sdk.NewToolCallArgsEvent("c1", `{"city":`), sdk.NewToolCallArgsEvent("c1", `"Oslo"}`), sdk.NewToolCallEndEvent("c1"),
			sdk.NewCustomEvent("n", sdk.WithValue(map[string]any{"x": nil})),
			sdk.NewRawEvent(map[string]any{"any": 1}),
			sdk.NewStepFinishedEvent("s"),
		)
	})
	h := ask(t.Context(), url)
	if h.Error != "" || h.Stale {
		t.Fatalf("the run failed: %s, stale %v", h.Error, h.Stale)
	}
	var state struct {
		State any
		N     int
		Moved int
		List  []int
	}
	if err := json.Unmarshal(h.State, &state); err != nil {
		t.Fatal(err)
	}
	sent := map[string]any{"count": 1.0, "list": []any{"a", nil}, "nothing": nil}
	if !reflect.DeepEqual(state.State, sent) || state.N != 2 || state.Moved != 1 || len(state.List) != 0 {
		t.Errorf("the state is %s", h.State)
	}
	var conversation []string
	for _, m := range h.Messages {
		s := string(m.Role) + ":" + m.Content.Text()
		for _, c := range m.ToolCalls {
			s += " " + c.Name + c.Arguments
		}
		conversation = append(conversation, s)
	}
	if got := strings.Join(conversation, " | "); got != `user:go | reasoning:hm | assistant:Let me see. <&> weather{"city":"Oslo"} | tool:rain in Oslo | assistant:So it is rain in Oslo.` {
		t.Errorf("the conversation is %s", got)
	}
}

func TestTheSDKsErrors(t *testing.T) {
	url := sdkServer(t, func(in *types.RunAgentInput) []sdk.Event {
		return []sdk.Event{sdk.NewRunStartedEvent(in.ThreadID, in.RunID), sdk.NewRunErrorEvent("It broke.", sdk.WithErrorCode("BROKEN"))}
	})
	_, err := chat.Collect(aguiclient.New(aguiclient.HTTP(url, nil), nil).Stream(t.Context(), &chat.Request{Messages: []agui.Message{agui.UserMessage("go")}}))
	var e *chat.Error
	var peer *aguiclient.PeerError
	if !errors.As(err, &e) || !errors.As(err, &peer) || e.Code != "BROKEN" || peer.Message != "It broke." {
		t.Errorf("the error is %v", err)
	}
	// Its helper for errors writes no RUN_ERROR but a CUSTOM event without a
	// name: no success, and not taken for the peer's own word.
	writer := sse.NewSSEWriter().WithLogger(slog.New(slog.DiscardHandler))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = writer.WriteEvent(r.Context(), w, sdk.NewRunStartedEvent("t", "r"))
		_ = writer.WriteErrorEvent(r.Context(), w, errors.New("bang"), "r")
	}))
	defer s.Close()
	h := ask(t.Context(), s.URL)
	if h.Peer || h.Code != chat.CodeBadResponse || !h.Stale {
		t.Errorf("held %+v", h)
	}
}

// The runs that Node checks are checked here too, as far as Go can.
func TestBabbledRuns(t *testing.T) {
	deltas := 0
	for seed := range uint64(100) {
		s, err := babbled(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if n := len(s.Types); s.Types[n-1] != agui.TypeRunFinished {
			t.Fatalf("seed %d: %s", seed, s.Events[n-1])
		}
		for _, typ := range s.Types {
			if typ == agui.TypeStateDelta {
				deltas++
			}
		}
		var state, server any
		if s.Server == nil {
			continue
		}
		if json.Unmarshal(s.State, &state) != nil || json.Unmarshal(s.Server, &server) != nil || !reflect.DeepEqual(state, server) || s.Stale {
			t.Errorf("seed %d: the mirror holds %s, the server %s", seed, s.State, s.Server)
		}
	}
	if deltas < 30 {
		t.Errorf("only %d deltas were told", deltas)
	}
}
