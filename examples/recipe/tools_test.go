package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// confirmDeletion is the tool that the page offers.
var confirmDeletion = agui.Tool{
	Name: "confirm_deletion", Description: "Asks the user whether things may be deleted.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"string"}}},"required":["items"]}`),
}

// thread is a client that keeps a conversation, as a page does.
type thread struct {
	t          *testing.T
	messages   []agui.Message
	state      json.RawMessage
	interrupts []agui.Interrupt
}

// run sends what the thread holds to a server's /tools and folds the answer in.
func (c *thread) run(server *aguitest.Server, resume ...agui.ResumeEntry) *seen {
	c.t.Helper()
	in := ask(string(c.state), "")
	in.Messages, in.Tools, in.Resume = slices.Clone(c.messages), []agui.Tool{confirmDeletion}, resume
	s := &seen{state: c.state}
	for e, err := range server.Run(c.t.Context(), "/tools", in) {
		if err != nil {
			c.t.Fatal(err)
		}
		s.see(c.t, e)
		c.fold(e)
	}
	aguitest.Verify(c.t, s.events)
	c.state = s.state
	return s
}

func (c *thread) say(text string) { c.messages = append(c.messages, agui.UserMessage(text)) }

func (c *thread) fold(e agui.Event) {
	message := func(id string) *agui.Message {
		i := slices.IndexFunc(c.messages, func(m agui.Message) bool { return m.ID == id })
		if i < 0 {
			c.messages = append(c.messages, agui.Message{ID: id, Role: agui.RoleAssistant})
			i = len(c.messages) - 1
		}
		return &c.messages[i]
	}
	switch e := e.(type) {
	case *agui.TextMessageContent:
		m := message(e.MessageID)
		m.Content = agui.Text(m.Content.Text() + e.Delta)
	case *agui.ToolCallStart:
		m := message(e.ParentMessageID)
		m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName})
	case *agui.ToolCallArgs:
		c.call(e.ToolCallID).Arguments += e.Delta
	case *agui.ToolCallResult:
		c.messages = append(c.messages, agui.Message{ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: e.Content})
	case *agui.MessagesSnapshot:
		c.messages = e.Messages
	case *agui.RunFinished:
		c.interrupts = nil
		if e.Outcome != nil {
			c.interrupts = e.Outcome.Interrupts
		}
	}
}

func (c *thread) call(id string) *agui.ToolCall {
	for i := range c.messages {
		for j := range c.messages[i].ToolCalls {
			if c.messages[i].ToolCalls[j].ID == id {
				return &c.messages[i].ToolCalls[j]
			}
		}
	}
	c.t.Fatalf("there is no call %s", id)
	return nil
}

// open are the calls that wait for the client.
func (c *thread) open() []agui.ToolCall {
	var open []agui.ToolCall
	for _, m := range c.messages {
		for _, call := range m.ToolCalls {
			if !slices.ContainsFunc(c.messages, func(m agui.Message) bool { return m.ToolCallID == call.ID }) {
				open = append(open, call)
			}
		}
	}
	return open
}

func (c *thread) names() []string {
	c.t.Helper()
	var names []string
	for _, in := range (&seen{state: c.state}).recipe(c.t).Ingredients {
		names = append(names, in.Name)
	}
	return names
}

func newThread(t *testing.T, n int) (*thread, []string) {
	doc, names, _ := pantry(n)
	return &thread{t: t, state: json.RawMessage(doc)}, names
}

func types(events []agui.Event) []agui.EventType {
	var out []agui.EventType
	for _, e := range events {
		out = append(out, e.Type())
	}
	return out
}

func TestToolsChangeTheRecipe(t *testing.T) {
	server, _ := start(t)
	c, names := newThread(t, 3)
	c.say("double it and add 2 cups of Wugflour")
	s := c.run(server)
	r := s.recipe(t)
	if len(r.Ingredients) != 4 || r.Ingredients[0].Amount != "6 cups" || r.Ingredients[3].Name != "Wugflour" || r.Ingredients[3].Amount != "2 cups" {
		t.Errorf("%+v", r.Ingredients)
	}
	if !strings.Contains(s.text, names[0]) || s.failed != nil {
		t.Errorf("%q, %+v", s.text, s.failed)
	}
	// What a tool changes lies inside its call.
	inside := []agui.EventType{agui.TypeToolCallArgs, agui.TypeStateSnapshot, agui.TypeToolCallEnd, agui.TypeToolCallResult}
	at := slices.Index(types(s.events), agui.TypeStateSnapshot)
	if got := types(s.events)[at-1 : at+3]; !slices.Equal(got, inside) {
		t.Errorf("around the state: %v", got)
	}
	c.say("call it Zibble")
	if s = c.run(server); s.recipe(t).Title != "Zibble" || !strings.Contains(string(s.state), `"theme":"dark"`) {
		t.Errorf("%s", s.state)
	}
}

// A swap is done once, whichever way round it was said.
func TestToolsSwapOnce(t *testing.T) {
	for _, wish := range []string{"swap %s for Wugflour", "substitute Wugflour for %s"} {
		server, _ := start(t)
		c, names := newThread(t, 3)
		c.say(fmt.Sprintf(wish, names[1]))
		s := c.run(server)
		if got, want := c.names(), []string{names[0], names[2], "Wugflour"}; !slices.Equal(got, want) || s.failed != nil {
			t.Errorf(wish+": got %v, want %v", names[1], got, want)
		}
		if n := len(s.recipe(t).Ingredients); n != 3 || !strings.Contains(s.text, "The recipe has wugflour (4 g), and no "+names[1]+".") {
			t.Errorf("%q", s.text)
		}
	}
}

// What a person changed after a tool ran is what the model answers from.
func TestEditsAfterToolsCount(t *testing.T) {
	server, _ := start(t)
	c, names := newThread(t, 3)
	c.say("add 2 cups of Wugflour")
	c.run(server)
	c.state = json.RawMessage(strings.Replace(string(c.state), `"2 cups"`, `"57 spoons"`, 1))
	c.say("list all the ingredients")
	if s := c.run(server); !strings.Contains(s.text, "57 spoons") || strings.Contains(s.text, "2 cups") || !strings.Contains(s.text, names[0]) {
		t.Errorf("%q", s.text)
	}
}

// A whole recipe shows while its tool's arguments are written.
func TestWholeRecipeShowsWhileItIsWritten(t *testing.T) {
	server, _ := start(t)
	c := &thread{t: t}
	c.say("make me a carrot soup")
	s := c.run(server)
	before := types(s.events)[:slices.Index(types(s.events), agui.TypeToolCallResult)]
	n := 0
	for _, e := range before {
		if e == agui.TypeStateSnapshot || e == agui.TypeStateDelta {
			n++
		}
	}
	if r := s.recipe(t); n < 5 || !strings.Contains(strings.ToLower(r.Title), "carrot") || len(r.Ingredients) < 3 || len(r.Instructions) < 2 {
		t.Errorf("%d state events before the result; %+v", n, r)
	}
}

func TestClientConfirmsADeletion(t *testing.T) {
	for answer, left := range map[string]int{`{"confirmed":true}`: 2, `{"confirmed":false}`: 3} {
		server, _ := start(t)
		c, names := newThread(t, 3)
		c.say("remove the " + names[1])
		s := c.run(server)
		open := c.open()
		if len(open) != 1 || open[0].Name != "confirm_deletion" || !strings.Contains(open[0].Arguments, names[1]) || s.failed != nil || len(c.interrupts) != 0 || len(c.names()) != 3 {
			t.Fatalf("%+v, %+v, %v", open, s.failed, c.names())
		}
		c.messages = append(c.messages, agui.ToolMessage(open[0].ID, answer))
		s = c.run(server)
		if got := c.names(); len(got) != left || slices.Contains(got, names[1]) != (left == 3) || s.text == "" || len(c.open()) != 0 {
			t.Errorf("%s: %v, %q", answer, got, s.text)
		}
	}
}

// One turn with a call of the server's, one that the client answers and one
// that waits for approval; the next run brings both answers.
func TestMixedTurn(t *testing.T) {
	for _, backend := range []string{"openai", "langchaingo"} {
		t.Run(backend, func(t *testing.T) { testMixedTurn(t, backend) })
	}
}

func testMixedTurn(t *testing.T, backend string) {
	server, m := start(t, "-backend", backend)
	c, names := newThread(t, 3)
	c.say("double it, remove the " + names[1] + ", then start over")
	s := c.run(server)
	if s.recipe(t).Ingredients[0].Amount != "6 cups" {
		t.Errorf("the server's own call did not run: %s", s.state)
	}
	open := c.open()
	if len(open) != 2 || len(c.interrupts) != 1 || c.interrupts[0].ToolCallID != c.callNamed("start_over").ID {
		t.Fatalf("open %+v, interrupts %+v", open, c.interrupts)
	}
	c.messages = append(c.messages, agui.ToolMessage(c.callNamed("confirm_deletion").ID, `{"confirmed":true}`))
	s = c.run(server, agui.ResumeEntry{InterruptID: c.interrupts[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":false}`)})
	if got := c.names(); s.failed != nil || len(got) != 2 || slices.Contains(got, names[1]) {
		t.Errorf("%+v, %v", s.failed, got)
	}
	for _, r := range m.standIn.Requests() {
		if r.Status != 200 {
			t.Errorf("the model refused request %d: %s", r.ID, r.Body)
		}
	}
}

func (c *thread) callNamed(name string) agui.ToolCall {
	for _, call := range c.open() {
		if call.Name == name {
			return call
		}
	}
	c.t.Fatalf("no call of %s is open: %+v", name, c.open())
	return agui.ToolCall{}
}

// An approval asked by one process is given to another that has the key, and
// to no other.
func TestApprovalInAnotherProcess(t *testing.T) {
	key := base64.StdEncoding.EncodeToString([]byte("thirty-two bytes, and a few more"))
	other := base64.StdEncoding.EncodeToString([]byte("another thirty-two bytes and more"))
	for name, tt := range map[string]struct {
		payload string
		key     string
		code    string
		title   string
		left    int
		result  string
	}{
		"approved":     {payload: `{"approved":true}`, key: key, title: blank.Recipe.Title, result: "the recipe is empty"},
		"edited":       {payload: `{"approved":true,"arguments":{"title":"Frabjous pie"}}`, key: key, title: "Frabjous pie", result: "the recipe is empty"},
		"edited badly": {payload: `{"approved":true,"arguments":{"title":7}}`, key: key, title: "Quoxel", left: 3, result: "the arguments do not fit"},
		"denied":       {payload: `{"approved":false,"reason":"guests are coming"}`, key: key, title: "Quoxel", left: 3, result: "guests are coming"},
		"another key":  {payload: `{"approved":true}`, key: other, title: "Quoxel", left: 3, code: chat.CodeInterruptUnknown},
		"no fit":       {payload: `{"approved":"yes"}`, key: key, title: "Quoxel", left: 3, code: chat.CodeInterruptPayload},
		"no answer":    {key: key, title: "Quoxel", left: 3, code: chat.CodeInterruptPending},
	} {
		t.Run(name, func(t *testing.T) {
			asking, _ := start(t, "-key", key)
			answering, m := start(t, "-key", tt.key)
			c, _ := newThread(t, 3)
			c.say("start over")
			c.run(asking)
			if len(c.interrupts) != 1 || len(c.names()) != 3 {
				t.Fatalf("%+v, %v", c.interrupts, c.names())
			}
			i := c.interrupts[0]
			if i.Reason != chat.ReasonApproval || !strings.Contains(i.Message, "will be lost") || i.ExpiresAt == "" || i.ResponseSchema == nil {
				t.Errorf("%+v", i)
			}
			var resume []agui.ResumeEntry
			if tt.payload != "" {
				resume = append(resume, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(tt.payload)})
			}
			s := c.run(answering, resume...)
			if r := s.recipe(t); r.Title != tt.title || len(r.Ingredients) != tt.left {
				t.Errorf("%+v", r)
			}
			if tt.code != "" {
				if s.failed == nil || s.failed.Code != tt.code || len(m.standIn.Requests()) != 0 {
					t.Errorf("%+v", s.failed)
				}
				return
			}
			var result string
			for _, e := range s.events {
				switch e := e.(type) {
				case *agui.ToolCallResult:
					result += e.Content.Text()
				case *agui.ToolCallStart, *agui.ToolCallArgs, *agui.ToolCallEnd:
					t.Errorf("%s is sent again", e.Type())
				}
			}
			if !strings.Contains(result, tt.result) || s.text == "" || len(c.open()) != 0 {
				t.Errorf("result %q, text %q", result, s.text)
			}
		})
	}
}

func TestToolsRefuseWhatMakesNoSense(t *testing.T) {
	for _, tt := range []struct{ tool, arguments, want string }{
		{"remove_ingredient", `{"name":"nothing"}`, `no ingredient "nothing"`},
		{"add_ingredient", `{"icon":"","name":" ","amount":"1"}`, "no name"},
		{"scale", `{"factor":0}`, "more than 0"},
		{"scale", `{"factor":1e300}`, "at most 1000"},
		{"scale", `{"factor":"2"}`, "do not fit"},
		{"write_recipe", `{"recipe":{"title":"x"}}`, "do not fit"},
	} {
		doc, _, _ := pantry(2)
		model := aguitest.NewModel(aguitest.Call("c1", tt.tool, tt.arguments), aguitest.Text("I could not."))
		var s seen
		s.state = []byte(doc)
		in := ask(doc, "do it")
		for e := range chat.Events(t.Context(), newWithTools(model, nil), in, nil) {
			s.see(t, e)
		}
		aguitest.Verify(t, s.events)
		var result string
		for _, e := range s.events {
			if r, ok := e.(*agui.ToolCallResult); ok {
				result = r.Content.Text()
			}
		}
		if !strings.Contains(result, tt.want) || s.text != "I could not." {
			t.Errorf("%s %s: %q", tt.tool, tt.arguments, result)
		}
		if got := s.recipe(t); got.Title != "Quoxel" || len(got.Ingredients) != 2 {
			t.Errorf("%s %s changed the recipe: %+v", tt.tool, tt.arguments, got)
		}
	}
}

// A factor is what it is written as: a third of 3 cups is one, not 0.999.
func TestScaleTool(t *testing.T) {
	for _, tt := range []struct {
		factor         float64
		amount, scaled string
	}{{0.1, "10 g", "1 g"}, {1.5, "1 cup", "1 1/2 cup"}, {2, "to taste", "to taste"}, {0.5, "½ l", "¼ l"}} {
		s := &State{Recipe: Recipe{Ingredients: []Ingredient{{Name: "a", Amount: tt.amount}}}}
		if _, err := scale(context.Background(), s, scaling{tt.factor}); err != nil || s.Recipe.Ingredients[0].Amount != tt.scaled {
			t.Errorf("%v × %s = %s, %v", tt.factor, tt.amount, s.Recipe.Ingredients[0].Amount, err)
		}
	}
}

func TestKey(t *testing.T) {
	raw := []byte("\xff\xfe thirty-two bytes or so, and odd")
	env := map[string]string{}
	parse := func(args ...string) (*config, error) {
		return parseConfig(args, func(k string) string { return env[k] }, io.Discard)
	}
	for _, text := range []string{base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw)} {
		if c, err := parse("-key", text); err != nil || string(c.key) != string(raw) {
			t.Errorf("%v", err)
		}
		env["RECIPE_KEY"] = text
		if c, err := parse(); err != nil || string(c.key) != string(raw) {
			t.Errorf("%v", err)
		}
		delete(env, "RECIPE_KEY")
	}
	for text, want := range map[string]string{"no base64!": "not base64", "c2hvcnQ=": "5 bytes"} {
		if _, err := parse("-key", text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), text) {
			t.Errorf("%v", err)
		}
	}
	var usage strings.Builder
	env["RECIPE_KEY"] = base64.StdEncoding.EncodeToString(raw)
	if _, err := parseConfig([]string{"-h"}, func(k string) string { return env[k] }, &usage); err == nil || strings.Contains(usage.String(), env["RECIPE_KEY"]) {
		t.Errorf("the usage shows the key, or is none: %v", err)
	}
}

// Without a message no model is asked, and the state is told.
func TestToolsTellTheState(t *testing.T) {
	server, m := start(t)
	c, _ := newThread(t, 2)
	s := c.run(server)
	if !s.snapshot || len(s.events) != 3 || len(m.standIn.Requests()) != 0 {
		t.Errorf("%v, %d model calls", types(s.events), len(m.standIn.Requests()))
	}
}
