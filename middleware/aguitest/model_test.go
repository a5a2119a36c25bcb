package aguitest_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func ask(text string) *chat.Request {
	return &chat.Request{Messages: []agui.Message{agui.UserMessage(text)}}
}

// gather ranges over a stream to its end.
func gather(seq iter.Seq2[*chat.Update, error]) (updates []*chat.Update, err error) {
	for u, e := range seq {
		if e != nil {
			return updates, e
		}
		updates = append(updates, u)
	}
	return updates, nil
}

func TestModelPlaysItsScript(t *testing.T) {
	boom := errors.New("boom")
	usage := agui.TokenUsage{InputTokens: 3, OutputTokens: 4}
	tests := []struct {
		name string
		turn aguitest.Turn
		want []*chat.Update
		err  error
	}{
		{"nothing said", aguitest.Turn{}, []*chat.Update{{FinishReason: chat.FinishStop}}, nil},
		{"text in pieces", aguitest.Text("Hel", "", "lo"),
			[]*chat.Update{{Text: "Hel"}, {}, {Text: "lo"}, {FinishReason: chat.FinishStop}}, nil},
		{"reasoning first", aguitest.Turn{}.Reasoning("hm").EncryptedReasoning("x").Text("yes"),
			[]*chat.Update{{Reasoning: "hm"}, {EncryptedReasoning: "x"}, {Text: "yes"}, {FinishReason: chat.FinishStop}}, nil},
		{"a call in fragments", aguitest.Call("c", "add", `{"n":`, `1}`), []*chat.Update{
			{ToolCalls: []chat.ToolCallDelta{{ID: "c", Name: "add"}}},
			{ToolCalls: []chat.ToolCallDelta{{ID: "c", Arguments: `{"n":`}}},
			{ToolCalls: []chat.ToolCallDelta{{ID: "c", Arguments: `1}`}}},
			{FinishReason: chat.FinishToolCalls}}, nil},
		{"calls that alternate, without ids", aguitest.Call("", "a").Call("", "b").Arguments(1, "B").Arguments(0, "A"), []*chat.Update{
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-1", Name: "a"}}},
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-2", Name: "b"}}},
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-2", Arguments: "B"}}},
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-1", Arguments: "A"}}},
			{FinishReason: chat.FinishToolCalls}}, nil},
		{"an id twice", aguitest.Call("c", "a").Call("c", "a"), []*chat.Update{
			{ToolCalls: []chat.ToolCallDelta{{ID: "c", Name: "a"}}},
			{ToolCalls: []chat.ToolCallDelta{{ID: "c-2", Name: "a"}}},
			{FinishReason: chat.FinishToolCalls}}, nil},
		{"usage behind the finish", aguitest.Text("x").Finish(chat.FinishLength).Usage(usage),
			[]*chat.Update{{Text: "x"}, {FinishReason: chat.FinishLength}, {Usage: &usage}}, nil},
		{"failing at once", aguitest.Fail(boom), nil, boom},
		{"failing at a point", aguitest.Text("x").Fail(boom).Text("never"), []*chat.Update{{Text: "x"}}, boom},
		{"cut", aguitest.Text("x").Cut(), []*chat.Update{{Text: "x"}}, io.ErrUnexpectedEOF},
		{"an update as it is", aguitest.Turn{}.Update(&chat.Update{Role: agui.RoleSystem, FinishReason: "odd"}),
			[]*chat.Update{{Role: agui.RoleSystem, FinishReason: "odd"}}, nil},
		{"computed", aguitest.Call("", "a").Func(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
			return aguitest.Text(req.Messages[0].Content.Text()).Call("", "b", "{}"), nil
		}), []*chat.Update{
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-1", Name: "a"}}},
			{Text: "hello"},
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-2", Name: "b"}}},
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-2", Arguments: "{}"}}},
			{FinishReason: chat.FinishToolCalls}}, nil},
		{"computed, failing", aguitest.Reply(func(context.Context, *chat.Request) (aguitest.Turn, error) {
			return aguitest.Text("never"), boom
		}), nil, boom},
		{"computed, finishing", aguitest.Reply(func(context.Context, *chat.Request) (aguitest.Turn, error) {
			return aguitest.Turn{}.Finish(chat.FinishContentFilter), nil
		}), []*chat.Update{{FinishReason: chat.FinishContentFilter}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := aguitest.NewModel(tt.turn)
			got, err := gather(model.Stream(t.Context(), ask("hello")))
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("updates (-want +got):\n%s", diff)
			}
			if err := model.Idle(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTurnMethodsLeaveTheirReceiver(t *testing.T) {
	base := aguitest.Text("a")
	left, right := base.Text("b"), base.Text("c")
	model := aguitest.NewModel(left, right, base)
	for _, want := range []string{"ab", "ac", "a"} {
		var got strings.Builder
		for u, err := range model.Stream(t.Context(), ask("")) {
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(u.Text)
		}
		if got.String() != want {
			t.Errorf("got %q, want %q", got.String(), want)
		}
	}
}

func TestModelRunsOutOfTurns(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("once"))
	stream := model.Stream(t.Context(), ask("hi"))
	if model.Left() != 1 {
		t.Errorf("a stream that nobody ranged over took a turn")
	}
	if _, err := gather(stream); err != nil {
		t.Fatal(err)
	}
	_, err := gather(stream)
	if err == nil || !strings.Contains(err.Error(), "has 1 turns and was called 2 times") {
		t.Errorf("got %v", err)
	}
	model.Add(aguitest.Text("more"), aguitest.Text("and more"))
	if _, err := gather(stream); err != nil {
		t.Errorf("after Add: %v", err)
	}
	if got := len(model.Requests()); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
}

func TestModelKeepsRequests(t *testing.T) {
	n := 0
	req := ask("hi")
	req.Live = []chat.Live{func(context.Context) (agui.Message, error) {
		n++
		return agui.SystemMessage(strings.Repeat("live", n)), nil
	}}
	req.Tools = []chat.Tool{{Name: "add"}}
	var seen []string
	turn := aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
		seen = append(seen, req.Messages[len(req.Messages)-1].Content.Text())
		return aguitest.Turn{}, nil
	})
	model := aguitest.NewModel(turn, turn)
	for range 2 {
		if _, err := gather(model.Stream(t.Context(), req)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"live", "livelive"}; !slices.Equal(seen, want) {
		t.Errorf("the model read %q, want %q", seen, want)
	}
	for i, r := range model.Requests() {
		if len(r.Outgoing) != 2 || r.Outgoing[1].Content.Text() != strings.Repeat("live", i+1) {
			t.Errorf("request %d went out as %+v", i, r.Outgoing)
		}
		if len(r.Messages) != 1 || r.Tools[0].Name != "add" {
			t.Errorf("request %d is %+v", i, r.Request)
		}
	}
	broken := errors.New("no state")
	req.Live = append(req.Live, func(context.Context) (agui.Message, error) { return agui.Message{}, broken })
	if _, err := gather(model.Stream(t.Context(), req)); !errors.Is(err, broken) {
		t.Errorf("a failing live message gave %v", err)
	}
	if got := len(model.Requests()); got != 2 {
		t.Errorf("a request that could not be made reached the model")
	}
}

func TestModelHonoursBreakAndContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		model := aguitest.NewModel(
			aguitest.Text("a").Pause(release).Text("b"),
			aguitest.Text("a").Pause(nil).Text("never"),
			aguitest.Text("a", "b", "c"),
		)
		var got []string
		done := make(chan error, 1)
		stream := func(ctx context.Context) {
			got = nil
			var err error
			for u, e := range model.Stream(ctx, ask("")) {
				if err = e; e == nil {
					got = append(got, u.Text)
				}
			}
			done <- err
		}

		go stream(t.Context())
		synctest.Wait()
		if !slices.Equal(got, []string{"a"}) {
			t.Errorf("paused after %q", got)
		}
		release <- struct{}{}
		if err := <-done; err != nil || !slices.Equal(got, []string{"a", "b", ""}) {
			t.Errorf("released: %q, %v", got, err)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		go stream(ctx)
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) || !slices.Equal(got, []string{"a"}) {
			t.Errorf("timed out: %q, %v", got, err)
		}

		for range model.Stream(t.Context(), ask("")) {
			break
		}
		if err := model.Idle(t.Context()); err != nil {
			t.Errorf("after a break the model still plays: %v", err)
		}
	})
}

func TestModelCancelledBetweenSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	model := aguitest.NewModel(aguitest.Text("a", "b"))
	var last error
	n := 0
	for _, err := range model.Stream(ctx, ask("")) {
		n++
		last = err
		cancel()
	}
	if n != 2 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d pairs, the last with %v", n, last)
	}
	if _, err := gather(model.Stream(ctx, ask(""))); !errors.Is(err, context.Canceled) {
		t.Errorf("a call under a cancelled context gave %v", err)
	}
	if len(model.Requests()) != 1 {
		t.Error("a call under a cancelled context reached the model")
	}
}

func TestModelIdleGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		model := aguitest.NewModel(aguitest.Turn{}.Pause(nil))
		done := make(chan struct{})
		go func() {
			defer close(done)
			gather(model.Stream(ctx, ask("")))
		}()
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := model.Idle(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Idle beside a playing call: %v", err)
		}
		cancel()
		<-done
		if err := model.Idle(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestModelConcurrently(t *testing.T) {
	const n = 20
	echo := aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
		return aguitest.Text(strings.Split(req.Messages[0].Content.Text(), "")...), nil
	})
	model := aguitest.NewModel(slices.Repeat([]aguitest.Turn{echo}, n)...)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			want := strings.Repeat("x", i)
			var got strings.Builder
			for u, err := range model.Stream(t.Context(), ask(want)) {
				if err != nil {
					t.Error(err)
					return
				}
				got.WriteString(u.Text)
			}
			if got.String() != want {
				t.Errorf("got %q, want %q", got.String(), want)
			}
		})
	}
	wg.Wait()
	if model.Left() != 0 {
		t.Errorf("%d turns left", model.Left())
	}
}

func TestTurnMistakesPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"arguments of no call": func() { aguitest.Text("x").Arguments(0, "{}") },
		"nil error":            func() { aguitest.Fail(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
