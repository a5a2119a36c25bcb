package state_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// What a Stream method publishes outside any run goes out, all of it and in
// order, before the next update.
func TestLaw2PublishesOutsideARun(t *testing.T) {
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("one", "two"))).Use(state.Share[Board]()).
		Use(forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if u.Text != "" {
				for id := range 3 {
					must(t, addTo(ctx, id))
				}
			}
			return u
		})).Build()
	events := runChain(t, client, inputWith(boardOf(20)))
	wantTypes(t, events, agui.TypeRunStarted,
		agui.TypeStateSnapshot, agui.TypeStateDelta, agui.TypeStateDelta, agui.TypeTextMessageStart, agui.TypeTextMessageContent,
		agui.TypeStateDelta, agui.TypeStateDelta, agui.TypeStateDelta, agui.TypeTextMessageContent, agui.TypeTextMessageEnd, agui.TypeRunFinished)
}

// What Edit left, and nobody has published, stays upon a document that a layer
// sends by hand.
func TestLaw2AnUnsentEditStays(t *testing.T) {
	n := 0
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("one", "two", "three"))).Use(state.Share[Board]()).
		Use(forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			s, err := state.Of[Board](ctx)
			must(t, err)
			switch n++; n {
			case 1:
				s.Edit(func(b *Board) { b.Tasks = append(b.Tasks, Task{ID: 2}) })
			case 2:
				return &chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage(`{"name":"by hand","tasks":[{"id":1,"title":"x"}]}`)}}}
			case 3:
				must(t, s.Publish())
			}
			return u
		})).Build()
	m := &mirror{t: t}
	m.see(runChain(t, client, inputWith(`{"name":"b","tasks":[{"id":1,"title":"x"}]}`))...)
	m.holds(`{"name":"by hand","tasks":[{"id":1,"title":"x"},{"id":2,"title":""}]}`)
}

// Whoever answers an interrupt starts from the document of the last snapshot
// before it, with nothing told of the state between the two.
func TestLaw1AnInterruptIsPrecededByASnapshot(t *testing.T) {
	for name, c := range map[string]struct {
		publish []int // edits before the nth text; 3 is with the interrupt
		want    []agui.EventType
	}{
		"nothing was published":   {nil, []agui.EventType{agui.TypeStateSnapshot}},
		"it was published before": {[]int{1}, []agui.EventType{agui.TypeStateSnapshot}},
		"a delta was told":        {[]int{1, 2}, []agui.EventType{agui.TypeStateSnapshot, agui.TypeStateDelta, agui.TypeStateSnapshot}},
		"a delta is on its way":   {[]int{1, 3}, []agui.EventType{agui.TypeStateSnapshot, agui.TypeStateDelta, agui.TypeStateSnapshot}},
		"a snapshot is":           {[]int{3}, []agui.EventType{agui.TypeStateSnapshot}},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("one", "two", "three"))).Use(state.Share[Board]()).
				Use(forward(func(ctx ctxt, u *chat.Update) *chat.Update {
					n++
					for _, at := range c.publish {
						if at == n {
							must(t, addTo(ctx, n))
						}
					}
					if n == 3 {
						return &chat.Update{Interrupts: []agui.Interrupt{{ID: "i", Reason: "ask"}}}
					}
					return u
				})).Build()
			events := runChain(t, client, inputWith(boardOf(20)))
			wantTypes(t, stateEvents(events), c.want...)
			last := stateEvents(events)[len(c.want)-1].(*agui.StateSnapshot)
			var b Board
			must(t, json.Unmarshal(last.Snapshot, &b))
			if len(b.Tasks) != 20+len(c.publish) {
				t.Errorf("the last snapshot is %s", last.Snapshot)
			}
		})
	}
}

// Of questions one after the other, one is preceded by the snapshot for all of
// them, unless the state changes between them.
func TestLaw1ManyQuestionsOneSnapshot(t *testing.T) {
	snapshot, change := agui.TypeStateSnapshot, agui.TypeStateDelta
	for name, c := range map[string]struct {
		between func(*testing.T, ctxt) // what happens before the second of three
		want    []agui.EventType
	}{
		"nothing between": {func(*testing.T, ctxt) {}, []agui.EventType{snapshot}},
		"an edit between": {func(t *testing.T, ctx ctxt) { must(t, addTo(ctx, 1)) }, []agui.EventType{snapshot, change, snapshot}},
		"a reset between": {func(t *testing.T, ctx ctxt) {
			s, err := state.Of[Board](ctx)
			must(t, err)
			s.Reset()
			must(t, s.Publish())
		}, []agui.EventType{snapshot, snapshot}},
	} {
		t.Run(name, func(t *testing.T) {
			client := chat.NewBuilder(aguitest.NewModel()).Use(state.Share[Board]()).
				Use(layer(func(ctx ctxt, _ chat.Client, _ *chat.Request, yield func(*chat.Update, error) bool) {
					for i, id := range []string{"a", "b", "c"} {
						if i == 1 {
							c.between(t, ctx)
						}
						if !yield(&chat.Update{Interrupts: []agui.Interrupt{{ID: id, Reason: "ask"}}}, nil) {
							return
						}
					}
				})).Build()
			events := runChain(t, client, inputWith(boardOf(20)))
			aguitest.Verify(t, events)
			wantTypes(t, stateEvents(events), c.want...)
		})
	}
}

// A Run around Share is not the way of what is published inside it.
func TestLaw2ARunAroundShare(t *testing.T) {
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("one", "two"))).
		Use(layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			for u, err := range chat.Run(ctx, func(ctx ctxt) error {
				for u, err := range next.Stream(ctx, req) {
					if err != nil {
						return err
					}
					if err := chat.Emit(ctx, u); err != nil {
						return err
					}
				}
				return nil
			}) {
				if !yield(u, err) {
					return
				}
			}
		})).
		Use(state.Share[Board]()).
		Use(forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if u.Text != "" {
				must(t, addTo(ctx, 7))
			}
			return u
		})).Build()
	events := runChain(t, client, inputWith(boardOf(20)))
	wantTypes(t, stateEvents(events), agui.TypeStateSnapshot, agui.TypeStateDelta)
	m := &mirror{t: t}
	m.see(events...)
	m.holds(strings.Replace(boardOf(20), `"task 20"}`, `"task 20"},{"id":7,"title":""},{"id":7,"title":""}`, 1))
}
