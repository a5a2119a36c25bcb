package state_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

type inner struct {
	Inner int `json:"inner"`
}

// innerAgent is an agent with a state of its own.
func innerAgent(share chat.Middleware) chat.Client {
	set := chat.NewTool("set", "", func(ctx ctxt, _ struct{}) (string, error) {
		return "ok", state.Update(ctx, func(i *inner) error { i.Inner++; return nil })
	})
	return chat.NewBuilder(aguitest.NewModel(aguitest.Call("i", "set"), aguitest.Text("inner answer"), aguitest.Call("i", "set"), aguitest.Text("inner answer"))).
		Use(share).
		Use(forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if u.Text != "" { // outside a run of its own
				if err := state.Update(ctx, func(i *inner) error { i.Inner++; return nil }); err != nil {
					panic(err)
				}
			}
			return u
		})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{set}})).
		Build()
}

// The documents of an agent that is a tool never become those of the agent
// whose tool it is, however the tool passes on what the inner one says.
func TestLaw2AnAgentAsAToolHasItsOwnState(t *testing.T) {
	var agent chat.Client
	seen := 0
	for name, ask := range map[string]func(ctx ctxt) error{
		"all its updates are emitted": func(ctx ctxt) error {
			for u, err := range agent.Stream(ctx, &chat.Request{Messages: []agui.Message{agui.UserMessage("x")}}) {
				if err == nil {
					err = chat.Emit(ctx, &chat.Update{Events: u.Events})
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
		"it is collected": func(ctx ctxt) error {
			_, err := chat.Collect(agent.Stream(ctx, &chat.Request{Messages: []agui.Message{agui.UserMessage("x")}}))
			return err
		},
		"a run of its own, whose state events are passed on": func(ctx ctxt) error {
			for e := range chat.Events(ctx, agent, inputWith(`{"inner":5}`), quiet) {
				if len(stateEvents([]agui.Event{e})) == 0 {
					continue
				}
				seen++
				if s, ok := e.(*agui.StateSnapshot); ok { // as a layer does that tags them
					c := *s
					c.SubagentRunID = new("inner")
					e = &c
				}
				if err := chat.Emit(ctx, &chat.Update{Events: []agui.Event{e}}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			agent = innerAgent(state.Share[inner](state.Announce(), state.PromptWith(func(doc json.RawMessage) (agui.Message, error) {
				told = append(told, string(doc))
				return state.Prompt(doc)
			})))
			asked := 0
			tool := chat.NewTool("ask", "", func(ctx ctxt, _ struct{}) (string, error) {
				if asked++; asked > 2 {
					return "", errors.New("enough")
				}
				err := ask(ctx)
				return "ok", errors.Join(err, addTo(ctx, asked))
			})
			m := &mirror{t: t, doc: []byte(boardOf(0))}
			events := runChain(t, chainOf(state.Share[Board](), tool), inputWith(boardOf(0)))
			m.see(events...)
			m.holds(`{"name":"board","tasks":[{"id":1,"title":""},{"id":2,"title":""}]}`)
			if first := told[0]; first != `{"inner":0}` && first != `{"inner":5}` {
				t.Errorf("the inner agent begins with %s", first)
			}
			for _, e := range stateEvents(events) {
				if strings.Contains(asJSON(t, e), "inner") {
					t.Errorf("the inner agent's state reached the client: %s", asJSON(t, e))
				}
			}
		})
	}
	if seen == 0 {
		t.Error("a run of its own has no state events")
	}
}

// An agent without a state of its own edits the one around it, whether the
// tool passes its updates on or keeps them.
func TestLaw2AnAgentAsAToolEditsTheStateAround(t *testing.T) {
	for _, emits := range []bool{true, false} {
		agent := chat.NewBuilder(aguitest.NewModel(aguitest.Call("i", "add_task", `{"title":"inner"}`), aguitest.Text("done"))).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTool}})).Build()
		tool := chat.NewTool("ask", "", func(ctx ctxt, _ struct{}) (string, error) {
			for u, err := range agent.Stream(ctx, &chat.Request{Messages: []agui.Message{agui.UserMessage("x")}}) {
				if err == nil && emits {
					err = chat.Emit(ctx, &chat.Update{Events: u.Events})
				}
				if err != nil {
					return "", err
				}
			}
			return "ok", rename(ctx, "outer")
		})
		client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "ask"), aguitest.Text("ok"))).Use(state.Share[Board]()).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}, Logger: quiet.Logger})).Build()
		m := &mirror{t: t, doc: []byte(boardOf(0))}
		events := runChain(t, client, inputWith(boardOf(0)))
		m.see(events...)
		m.holds(`{"name":"outer","tasks":[{"id":1,"title":"inner"}]}`)
		if n := len(stateEvents(events)); n != 2 {
			t.Errorf("emitted %v: %d events", emits, n)
		}
	}
}

// A chain that calls itself has one state.
func TestLaw2AChainThatCallsItself(t *testing.T) {
	var client chat.Client
	depth := 0
	again := chat.NewTool("again", "", func(ctx ctxt, _ struct{}) (string, error) {
		depth++
		if err := addTo(ctx, depth); err != nil || depth > 2 {
			return "ok", err
		}
		for u, err := range client.Stream(ctx, &chat.Request{Messages: []agui.Message{agui.UserMessage("again")}}) {
			if err == nil {
				err = chat.Emit(ctx, &chat.Update{Events: u.Events})
			}
			if err != nil {
				return "", err
			}
		}
		return "ok", nil
	})
	model := aguitest.NewModel(aguitest.Call("a", "again"), aguitest.Call("b", "again"), aguitest.Call("c", "again"),
		aguitest.Text("3"), aguitest.Text("2"), aguitest.Text("1"))
	client = chat.NewBuilder(model).Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{again}, Logger: quiet.Logger})).Build()
	m := &mirror{t: t, doc: []byte(boardOf(0))}
	m.see(runChain(t, client, inputWith(boardOf(0)))...)
	m.holds(`{"name":"board","tasks":[{"id":1,"title":""},{"id":2,"title":""},{"id":3,"title":""}]}`)
	for i, r := range model.Requests() {
		if last := r.Outgoing[len(r.Outgoing)-1].Content.Text(); !strings.Contains(last, "```json") {
			t.Errorf("call %d is not told the state: %s", i, last)
		}
	}
}
