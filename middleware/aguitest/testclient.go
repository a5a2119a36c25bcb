package aguitest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/chat"
)

// Limit names something that an adapter's wire or SDK cannot carry. With it,
// [TestClient] expects less, and the adapter's documentation should say so.
type Limit string

// The limits that [TestClient] knows.
const (
	// NoReasoning: reasoning does not come through.
	NoReasoning Limit = "no reasoning"
	// NoUsage: tokens are not counted.
	NoUsage Limit = "no usage"
	// NoFinishReasons: only stop and tool_calls are told apart.
	NoFinishReasons Limit = "no finish reasons"
	// NoToolChoice: the model cannot be made to call a tool. It can still be
	// kept from it: no tool is offered.
	NoToolChoice Limit = "no tool choice"
	// NoInterleaving: fragments of calls that alternate end the stream with an
	// error, instead of reaching their calls.
	NoInterleaving Limit = "no interleaving"
	// WholeCalls: a call's arguments arrive in one piece, when it is whole.
	WholeCalls Limit = "whole calls"
)

// TestClient tests that an adapter keeps the laws of [chat.Client].
//
// The adapter is tested against its own wire: newClient starts a test server
// that speaks it, and returns a client of the adapter for that server. It is
// called once for each test, and cleans up with t. For each request the
// server
//
//   - reads the body to its end and translates it, as far as it goes, into a
//     [chat.Request]: what arrived, nothing repaired;
//   - ranges over [Model.Play] under the request's context, and writes and
//     flushes each [Step] as a chunk of its own;
//   - writes an error that comes first as a failed response with the error's
//     text, a later one as the wire has it, and for [ErrCut] breaks off
//     without a finish.
//
// What the wire can do and the adapter cannot is named by limits.
func TestClient(t *testing.T, newClient func(t *testing.T, m *Model) chat.Client, limits ...Limit) {
	t.Helper()
	for _, c := range checks() {
		if slices.Contains(limits, c.unless) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			// Far beyond what a check takes: an adapter that hangs fails here.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s := &subject{limits: limits, open: func(m *Model) chat.Client { return newClient(t, m) }}
			if err := c.run(ctx, s); err != nil {
				t.Error(err)
			}
		})
	}
}

// check is one law of an adapter.
type check struct {
	name   string
	unless Limit // not run under this limit
	run    func(ctx context.Context, s *subject) error
}

func checks() []check {
	return slices.Concat(streamChecks, callChecks, endChecks, requestChecks)
}

// subject is the adapter under test.
type subject struct {
	limits []Limit
	open   func(m *Model) chat.Client
}

func (s *subject) limited(l Limit) bool { return slices.Contains(s.limits, l) }

// ask opens a client whose provider plays the turns, and gathers its answer
// to the request.
func (s *subject) ask(ctx context.Context, req *chat.Request, turns ...Turn) (*answer, *Model) {
	m := NewModel(turns...)
	return gather(s.open(m).Stream(ctx, req), req), m
}
