package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// said is a run of a server of ours: its events, the document that the server
// held at the end, and what a mirror made of it.
type said struct {
	Input  *agui.RunAgentInput `json:"input"`
	Events []json.RawMessage   `json:"events"`
	Server json.RawMessage     `json:"server"`
	held
}

func babbled(seed uint64) (*said, error) {
	b := &babbler{r: rand.New(rand.NewPCG(seed, 7))}
	in := &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion, State: json.RawMessage(`{"kept":[1,{"deep":true}]}`),
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.Text("go")}},
	}
	c := chat.NewBuilder(b).Use(state.Share[board](state.Silent())).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{b.tool()}, MaxConsecutiveErrors: -1})).Build()
	s := &said{Input: in}
	m := aguiclient.NewMirror(in.State, in.Messages)
	for e := range chat.Events(context.Background(), c, in, nil) {
		data, err := agui.AppendEvent(nil, e)
		if err != nil {
			return nil, err
		}
		s.Events, s.Types = append(s.Events, data), append(s.Types, e.Type())
		if err := m.Apply(e); err != nil {
			return nil, err
		}
	}
	s.State, s.Messages, s.Interrupts, s.Result, s.Stale = m.State(), m.Messages(), m.Interrupts(), m.Result(), m.Stale()
	s.Server = b.last
	return s, nil
}

// board is the state.
type board struct {
	Title string         `json:"title"`
	Items []item         `json:"items"`
	Names map[string]int `json:"names"`
}

type item struct {
	Name string `json:"name"`
	Done bool   `json:"done"`
}

// babbler is a model that says and calls what its seed has it.
type babbler struct {
	r     *rand.Rand
	turns int
	last  json.RawMessage // the document after the last edit
}

var words = []string{"tea", "a/b", "m~n", "naïve 🍮", "", "__proto__", "constructor", "toString", "0", "-"}

func (b *babbler) word() string { return words[b.r.IntN(len(words))] }

// tool edits the state at random, several times in one call.
func (b *babbler) tool() chat.Tool {
	return chat.NewTool("edit", "Edits the board.", func(ctx context.Context, _ struct{}) (string, error) {
		for range 1 + b.r.IntN(4) {
			if err := state.Update(ctx, b.edit); err != nil {
				return "", err
			}
			s, err := state.Of[board](ctx)
			if err != nil {
				return "", err
			}
			b.last = s.Document()
		}
		return b.word(), nil
	})
}

func (b *babbler) edit(v *board) error {
	n := len(v.Items)
	switch k := b.r.IntN(7); {
	case k == 0:
		v.Title = b.word()
	case k <= 2 || n == 0:
		at := b.r.IntN(n + 1)
		v.Items = append(v.Items[:at:at], append([]item{{Name: b.word()}}, v.Items[at:]...)...)
	case k == 3:
		at := b.r.IntN(n)
		v.Items = append(v.Items[:at], v.Items[at+1:]...)
	case k == 4:
		v.Items[b.r.IntN(n)].Done = true
	case k == 5:
		b.r.Shuffle(n, func(i, j int) { v.Items[i], v.Items[j] = v.Items[j], v.Items[i] })
	default:
		if v.Names == nil {
			v.Names = map[string]int{}
		}
		v.Names[b.word()] = b.r.IntN(5)
	}
	return nil
}

// Stream is one turn.
func (b *babbler) Stream(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		b.turns++
		var updates []*chat.Update
		add := func(u *chat.Update) { updates = append(updates, u) }
		for range b.r.IntN(3) {
			add(&chat.Update{Reasoning: b.word()})
		}
		for range b.r.IntN(4) {
			add(&chat.Update{Text: b.word(), Metadata: agui.Metadata{"k": b.r.IntN(3)}})
		}
		if b.r.IntN(3) == 0 {
			add(&chat.Update{Events: []agui.Event{&agui.ActivitySnapshot{MessageID: fmt.Sprint("act", b.r.IntN(2)), ActivityType: "PLAN", Content: json.RawMessage(`{"n":[1]}`)}}})
			add(&chat.Update{Events: []agui.Event{&agui.ActivityDelta{MessageID: "act0", ActivityType: "PLAN", Patch: agui.Patch{{Op: agui.OpReplace, Path: "/n/0", Value: json.RawMessage(`2`)}}}}})
		}
		finish := chat.FinishStop
		if b.turns < 4 {
			for i := range b.r.IntN(3) {
				finish = chat.FinishToolCalls
				id := fmt.Sprintf("call%d.%d", b.turns, i)
				add(&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, Name: "edit"}}})
				add(&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, Arguments: "{"}}})
				add(&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, Arguments: "}"}}})
			}
		}
		add(&chat.Update{FinishReason: finish, Usage: &agui.TokenUsage{Model: "babbler", OutputTokens: 1}})
		for _, u := range updates {
			if !yield(u, nil) {
				return
			}
		}
	}
}
