package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// generating runs one generation of a kitchen over a share with options.
func generating(t *testing.T, model *aguitest.Model, o state.Generation[Kitchen], options ...state.Option) (events []agui.Event, m *mirror) {
	t.Helper()
	o.Every = -1
	client := chat.NewBuilder(model).Use(state.Share[Kitchen](options...)).Use(state.Generate(o)).Build()
	m = &mirror{t: t, doc: []byte(oldKitchen)}
	events = runChain(t, client, inputWith(oldKitchen))
	m.see(events...)
	return events, m
}

// A user's function that panics, and a validator that refuses, takes back what
// was shown; a text that may not be shown is not.
func TestLaw9FunctionsThatFail(t *testing.T) {
	whole := aguitest.Text(pieces(newKitchen, 20)...)
	for name, c := range map[string]struct {
		o       state.Generation[Kitchen]
		share   []state.Option
		message string
	}{
		"Join panics":     {state.Generation[Kitchen]{Join: func(*Kitchen, json.RawMessage) error { panic("secret") }}, nil, "it was refused."},
		"Join fails":      {state.Generation[Kitchen]{Join: func(*Kitchen, json.RawMessage) error { return errors.New("secret") }}, nil, "it was refused."},
		"Validate panics": {state.Generation[Kitchen]{}, []state.Option{state.Validate(func(k Kitchen) error { return panicIf(k.Dish.Time == 45, "secret") })}, "it was refused."},
		"Validate refuses": {state.Generation[Kitchen]{}, []state.Option{state.Validate(func(k Kitchen) error {
			if k.Dish.Time == 45 {
				return errors.New("secret")
			}
			return nil
		})}, "it was refused."},
		"Validate says why": {state.Generation[Kitchen]{}, []state.Option{state.Validate(func(k Kitchen) error {
			if k.Dish.Time == 45 {
				return &chat.Error{Message: "45 minutes are too long", Err: errors.New("secret")}
			}
			return nil
		})}, "it was refused: 45 minutes are too long."},
		"too large":         {state.Generation[Kitchen]{}, []state.Option{state.MaxBytes(len(oldKitchen) + 5)}, "it does not fit: the document: has "},
		"When panics":       {state.Generation[Kitchen]{When: func(ctxt, *agui.RunAgentInput) bool { panic("secret") }}, nil, "The agent failed"},
		"Say panics":        {state.Generation[Kitchen]{Join: func(*Kitchen, json.RawMessage) error { return errors.New("x") }, Say: func(error) string { panic("secret") }}, nil, "The agent failed"},
		"PromptWith panics": {state.Generation[Kitchen]{}, []state.Option{state.PromptWith(func(json.RawMessage) (agui.Message, error) { panic("secret") })}, "The agent failed"},
	} {
		t.Run(name, func(t *testing.T) {
			events, m := generating(t, aguitest.NewModel(whole), c.o, c.share...)
			m.holds(oldKitchen)
			last, ok := events[len(events)-1].(*agui.RunError)
			if !ok || !strings.Contains(last.Message, c.message) || strings.Contains(last.Message, "secret") {
				t.Errorf("ended in %s", asJSON(t, events[len(events)-1]))
			}
		})
	}
}

func panicIf(is bool, v any) error {
	if is {
		panic(v)
	}
	return nil
}

// The model that is asked again is told what was wrong, all of it.
func TestRetryTellsTheModelWhatWasWrong(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text(newKitchen), aguitest.Text(strings.Replace(newKitchen, "45", "40", 1)), aguitest.Text("ok"))
	_, m := generating(t, model, state.Generation[Kitchen]{Retries: 1}, state.Validate(func(k Kitchen) error {
		if k.Dish.Time == 45 {
			return errors.New("time must be at most 40")
		}
		return nil
	}))
	m.holds(withUnknown(t, strings.Replace(newKitchen, "45", "40", 1), oldKitchen))
	told := slices.ContainsFunc(model.Requests()[1].Outgoing, func(m agui.Message) bool {
		return strings.Contains(m.Content.Text(), "time must be at most 40")
	})
	if !told {
		t.Error("the model is not told what was wrong")
	}
}

// What is hidden from the model stays as it is when the model writes around
// it: it is asked for nothing of it, and can change nothing of it.
func TestGenerateKeepsWhatIsHidden(t *testing.T) {
	hidden := state.Hide("/notes", "/dish/parts/*/icon")
	wrote := `{"dish":{"title":"New","level":"Hard","time":1,"parts":[{"name":"Egg"},{"name":"Carrot"}],"steps":[]}}`
	model := aguitest.NewModel(aguitest.Text(pieces(wrote, 9)...), aguitest.Text("ok"))
	events, m := generating(t, model, state.Generation[Kitchen]{}, hidden)
	for _, e := range events {
		m.see(e)
		if !strings.Contains(string(m.doc), `"notes":"keep"`) {
			t.Fatalf("what is hidden was lost for a while: %s", m.doc)
		}
	}
	m.holds(`{"theme":"dark","dish":{"title":"New","level":"Hard","time":1,"parts":[{"icon":"","name":"Egg"},{"icon":"🥕","name":"Carrot","id":7}],"steps":[]},"notes":"keep"}`)
	if s := string(model.Requests()[0].Request.ResponseFormat.Schema); strings.Contains(s, "notes") || strings.Contains(s, "icon") || !strings.Contains(s, "steps") {
		t.Errorf("the model is asked for %s", s)
	}

	// One that writes it all the same is refused, or changes nothing there.
	model = aguitest.NewModel(aguitest.Text(newKitchen), aguitest.Text("ok"))
	_, m = generating(t, model, state.Generation[Kitchen]{Merge: true}, hidden)
	if !strings.Contains(string(m.doc), `"notes":"keep"`) {
		t.Errorf("the model changed what is hidden: %s", m.doc)
	}

	// The same below a target.
	model = aguitest.NewModel(aguitest.Text(`{"title":"New","level":"Hard","time":1,"parts":[{"name":"Carrot"}],"steps":[]}`), aguitest.Text("ok"))
	_, m = generating(t, model, state.Generation[Kitchen]{Target: "/dish"}, hidden, state.Hide("/other/title", "/notes/title"))
	if s := string(model.Requests()[0].Request.ResponseFormat.Schema); strings.Contains(s, "icon") || !strings.Contains(s, "title") {
		t.Errorf("the model is asked for %s", s)
	}
	m.holds(`{"theme":"dark","dish":{"title":"New","level":"Hard","time":1,"parts":[{"icon":"🥕","name":"Carrot","id":7}],"steps":[]},"notes":"keep"}`)
}

// Options hold for what only shows as well.
func TestOptionsHoldWhileAGenerationShows(t *testing.T) {
	t.Run("SnapshotsOnly", func(t *testing.T) {
		events, m := generating(t, aguitest.NewModel(aguitest.Text(pieces(newKitchen, 9)...), aguitest.Text("ok")), state.Generation[Kitchen]{}, state.SnapshotsOnly())
		m.holds(withUnknown(t, newKitchen, oldKitchen))
		if n := len(stateEvents(events)); n < 5 || slices.ContainsFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeStateDelta }) {
			t.Errorf("%v", types(events))
		}
	})
	// A step that is too large shows nothing new, and takes nothing back.
	t.Run("MaxBytes of a step", func(t *testing.T) {
		text := `{"dish":{"title":"A title","level":"Hard","time":1,"parts":[{"icon":"i","name":"` + strings.Repeat("n", 200) + `"}`
		finished, shown := false, 0
		client := chat.NewBuilder(aguitest.NewModel(aguitest.Text(pieces(text, 9)...).Finish(chat.FinishLength))).
			Use(state.Share[Kitchen](state.MaxBytes(len(oldKitchen) + 40))).
			Use(state.Generate(state.Generation[Kitchen]{Every: -1})).
			Use(forward(func(_ ctxt, u *chat.Update) *chat.Update {
				finished = finished || u.FinishReason != ""
				return u
			})).Build()
		m := &mirror{t: t, doc: []byte(oldKitchen)}
		for e := range chat.Events(t.Context(), client, inputWith(oldKitchen), quiet) {
			m.see(e)
			if strings.Contains(string(m.doc), "A title") {
				shown++
			} else if shown > 0 && !finished {
				t.Fatalf("what was shown was taken back: %s", m.doc)
			}
		}
		m.holds(oldKitchen)
		if shown < 3 {
			t.Errorf("shown %d times", shown)
		}
	})
	// A tool and a generation that are too large together: the tool's edit
	// stands, what only shows goes.
	t.Run("MaxBytes", func(t *testing.T) {
		const limit = 230
		n := 0
		edit := forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if n++; n == 4 {
				must(t, state.Update(ctx, func(k *Kitchen) error { k.Notes = strings.Repeat("n", limit-len(oldKitchen)); return nil }))
			}
			return u
		})
		model := aguitest.NewModel(aguitest.Text(pieces(`{"dish":{"title":"A title that is longer than the old one was","level"`, 12)...).Finish(chat.FinishLength))
		client := chat.NewBuilder(model).Use(state.Share[Kitchen](state.MaxBytes(limit))).
			Use(state.Generate(state.Generation[Kitchen]{Every: -1})).Use(edit).Build()
		m := &mirror{t: t, doc: []byte(oldKitchen)}
		shown := false
		for _, e := range runChain(t, client, inputWith(oldKitchen)) {
			m.see(e)
			shown = shown || strings.Contains(string(m.doc), "A title")
			if len(m.doc) > limit {
				t.Errorf("the client was sent %d bytes", len(m.doc))
			}
		}
		if !shown {
			t.Error("nothing showed")
		}
		m.holds(strings.Replace(oldKitchen, "keep", strings.Repeat("n", limit-len(oldKitchen)), 1))
	})
}

// A Map that panics or fails on what is half written shows nothing then.
func TestPredictMapThatFails(t *testing.T) {
	tool := chat.NewTool("write_document", "", func(ctxt, write) (string, error) { return "ok", nil })
	calls := 0
	o := state.Prediction[Paper]{Every: -1, Keep: true, Logger: quiet.Logger, Map: func(p *Paper, raw json.RawMessage) error {
		switch calls++; calls {
		case 1:
			panic("boom")
		case 2:
			return errors.New("not yet")
		}
		p.Words = len(raw)
		return nil
	}}
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "write_document", pieces(`{"document":"one two three four"}`, 5)...), aguitest.Text("ok"))).
		Use(state.Share[Paper]()).Use(state.Predict("write_document", o)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).Build()
	m := &mirror{t: t}
	m.see(runChain(t, client, inputWith(`{"document":"d","words":0}`))...)
	m.holds(fmt.Sprintf(`{"document":"d","words":%d}`, len(`{"document":"one two three four"}`)))
}

// Calls whose arguments are written in turns are shown each in its place, and
// settled each by its own result.
func TestPredictParallelCalls(t *testing.T) {
	type papers struct {
		Docs map[string]string `json:"docs"`
	}
	type write struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	tool := state.Tool("write", "", func(_ ctxt, p *papers, in write) (string, error) {
		if in.Name == "bad" {
			return "", errors.New("no")
		}
		p.Docs[in.Name] = in.Text
		return "ok", nil
	})
	o := state.Prediction[papers]{Every: -1, Map: func(p *papers, raw json.RawMessage) error {
		var in write
		err := json.Unmarshal(raw, &in)
		if in.Name != "" {
			p.Docs[in.Name] = "writing: " + in.Text
		}
		return err
	}}
	turn := aguitest.Turn{}.Call("a", "write", `{"name":"one"`).Call("b", "write", `{"name":"bad"`).
		Arguments(0, `,"text":"first`).Arguments(1, `,"text":"second"}`).Arguments(0, ` of all"}`)
	client := chat.NewBuilder(aguitest.NewModel(turn, aguitest.Text("ok"))).
		Use(state.Share[papers]()).Use(state.Predict("write", o)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}, Logger: quiet.Logger})).Build()
	m := &mirror{t: t}
	both := false
	for _, e := range runChain(t, client, inputWith(`{"docs":{}}`)) {
		m.see(e)
		both = both || strings.Contains(string(m.doc), "writing: second") && strings.Contains(string(m.doc), "writing: first")
	}
	if !both {
		t.Error("the two never showed together")
	}
	m.holds(`{"docs":{"one":"first of all"}}`)
}

// The model may write what the current document says, whatever its type is.
func TestGenerateTakesWhatTheStateEncodes(t *testing.T) {
	type Sheet struct {
		N     json.Number    `json:"n"`
		Bytes []byte         `json:"bytes"`
		Rows  map[int]string `json:"rows"`
		Text  int            `json:"text,string"`
	}
	const doc = `{"n":1e400,"bytes":"AQI=","rows":{"7":"a"},"text":"5"}`
	for _, written := range []string{doc, `{"n":2e400,"bytes":"AwQ=","rows":{"8":"b"},"text":"6"}`} {
		client := chat.NewBuilder(aguitest.NewModel(aguitest.Text(pieces(written, 3)...), aguitest.Text("ok"))).
			Use(state.Share[Sheet]()).Use(state.Generate(state.Generation[Sheet]{Every: -1})).Build()
		m := &mirror{t: t, doc: []byte(doc)}
		events := runChain(t, client, inputWith(doc))
		m.see(events...)
		m.holds(written)
		if e, failed := events[len(events)-1].(*agui.RunError); failed {
			t.Error(e.Message)
		}
	}
}

// Wherever a run is stopped, by its context or by a layer outside Share, the
// client is left with the state as it was settled, and not with half a guess.
func TestLaw9WhereverTheRunIsStopped(t *testing.T) {
	const before, after = `{"document":"old","words":0,"x":1}`, `{"document":"a new text","words":0,"x":1}`
	args := pieces(`{"document":"a new text"}`, 2)
	tool := state.Tool("write", "", func(_ ctxt, p *Paper, in write) (string, error) { p.Document = in.Document; return "ok", nil })
	calls := chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}, Logger: quiet.Logger})
	inner := map[string]func() chat.Client{
		"Generate": func() chat.Client {
			model := aguitest.NewModel(aguitest.Text(pieces(`{"document":"a new text","words":0}`, 2)...), aguitest.Text("an", "swer"))
			return state.Share[Paper]()(state.Generate(state.Generation[Paper]{Every: -1})(model))
		},
		"Predict": func() chat.Client {
			model := aguitest.NewModel(aguitest.Call("a", "write", args...), aguitest.Text("an", "swer"))
			predict := state.Predict("write", state.Prediction[Paper]{Argument: "document", Target: "/document", Every: -1})
			return state.Share[Paper]()(predict(calls(model)))
		},
	}
	// after stops a chain after n updates: with an error, or as if it were over.
	stops := func(n int, err error) chat.Middleware {
		return layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			for u := range next.Stream(ctx, req) {
				if n--; n < 0 {
					if err != nil {
						yield(nil, err)
					}
					return
				}
				if !yield(u, nil) {
					return
				}
			}
		})
	}
	for name, chain := range inner {
		for n := range 24 {
			for how, run := range map[string]func(yield func(agui.Event) bool){
				"by its context": func(yield func(agui.Event) bool) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					left := n
					for e := range chat.Events(ctx, chain(), inputWith(before), quiet) {
						if yield(e); left == 0 {
							cancel()
						}
						left--
					}
				},
				"by an error": func(yield func(agui.Event) bool) {
					chat.Events(t.Context(), stops(n, errors.New("enough"))(chain()), inputWith(before), quiet)(yield)
				},
				"by a layer that has enough": func(yield func(agui.Event) bool) {
					chat.Events(t.Context(), stops(n, nil)(chain()), inputWith(before), quiet)(yield)
				},
			} {
				m := &mirror{t: t, doc: []byte(before)}
				var events []agui.Event
				run(func(e agui.Event) bool {
					m.see(e)
					events = append(events, e)
					return true
				})
				aguitest.Verify(t, events)
				if got := exactly(t, m.doc); !reflect.DeepEqual(got, exactly(t, []byte(before))) && !reflect.DeepEqual(got, exactly(t, []byte(after))) {
					t.Errorf("%s, stopped %s after %d: the client holds %s", name, how, n, m.doc)
				}
			}
		}
	}
}

// A chain that was left and is asked again tells the state anew.
func TestLaw9AskedAgainAfterItWasLeft(t *testing.T) {
	model := aguitest.NewModel(
		aguitest.Text(pieces(`{"document":"first try","words":0}`, 2)...),
		aguitest.Text(pieces(`{"document":"second","words":2}`, 2)...), aguitest.Text("ok"))
	again := layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
		n := 0
		for u, err := range next.Stream(ctx, req) {
			if n++; n > 3 || !yield(u, err) {
				break
			}
		}
		next.Stream(ctx, req)(yield)
	})
	m := &mirror{t: t}
	client := again(state.Share[Paper]()(state.Generate(state.Generation[Paper]{Every: -1})(model)))
	events := runChain(t, client, inputWith(`{"document":"old","words":0,"x":1}`))
	aguitest.Verify(t, events)
	m.see(events...)
	m.holds(`{"document":"second","words":2,"x":1}`)
}
