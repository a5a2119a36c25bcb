package state_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Paper is a document that a tool writes, as in the AG-UI dojo's predictive
// state updates.
type Paper struct {
	Document string `json:"document"`
	Words    int    `json:"words"`
}

type write struct {
	Document string `json:"document"`
	Style    string `json:"style,omitempty"`
}

func TestGoldenPredictions(t *testing.T) {
	writeTool := state.Tool("write_document", "Writes the document.", func(_ ctxt, p *Paper, in write) (string, error) {
		if strings.Contains(in.Document, "forbidden") {
			return "", errors.New("no")
		}
		p.Document, p.Words = in.Document, len(strings.Fields(in.Document))
		return "written", nil
	})
	idle := chat.NewTool("write_document", "Does nothing to the state.", func(ctxt, write) (string, error) { return "ok", nil })
	mirror0 := state.Prediction[Paper]{Argument: "document", Target: "/document", Every: -1, Logger: quiet.Logger}
	keep := mirror0
	keep.Keep = true
	args := pieces(`{"style":"plain","document":"Once upon a time there was a document that grew."}`, 7)
	const before = `{"document":"","words":0,"author":"me"}`
	for name, c := range map[string]struct {
		tools []chat.Tool
		o     state.Prediction[Paper]
		turn  aguitest.Turn
		state string
		final string
	}{
		"server_tool":   {[]chat.Tool{writeTool}, mirror0, aguitest.Call("a", "write_document", args...), before, `{"document":"Once upon a time there was a document that grew.","words":10,"author":"me"}`},
		"in_one_piece":  {[]chat.Tool{writeTool}, mirror0, aguitest.Call("a", "write_document", strings.Join(args, "")), before, `{"document":"Once upon a time there was a document that grew.","words":10,"author":"me"}`},
		"from_nothing":  {[]chat.Tool{writeTool}, mirror0, aguitest.Call("a", "write_document", args...), `{}`, `{"document":"Once upon a time there was a document that grew.","words":10}`},
		"client_tool":   {nil, mirror0, aguitest.Call("a", "write_document", args...), before, `{"document":"Once upon a time there was a document that grew.","words":0,"author":"me"}`},
		"tool_fails":    {[]chat.Tool{writeTool}, mirror0, aguitest.Call("a", "write_document", pieces(`{"document":"this is forbidden here"}`, 6)...), before, before},
		"kept_fails":    {[]chat.Tool{writeTool}, keep, aguitest.Call("a", "write_document", pieces(`{"document":"this is forbidden here"}`, 6)...), before, before},
		"tool_idle":     {[]chat.Tool{idle}, mirror0, aguitest.Call("a", "write_document", args...), before, before},
		"kept":          {[]chat.Tool{idle}, keep, aguitest.Call("a", "write_document", args...), before, `{"document":"Once upon a time there was a document that grew.","words":0,"author":"me"}`},
		"cut":           {[]chat.Tool{writeTool}, mirror0, aguitest.Call("a", "write_document", args[:5]...).Cut(), before, before},
		"cut_by_tokens": {nil, mirror0, aguitest.Call("a", "write_document", args...).Finish(chat.FinishLength), before, before},
		"not_json":      {[]chat.Tool{writeTool}, mirror0, aguitest.Call("a", "write_document", `{"document":"abc`, `" oops`), before, before},
		"mapped": {[]chat.Tool{idle}, state.Prediction[Paper]{Every: -1, Keep: true, Map: func(p *Paper, raw json.RawMessage) error {
			var in write
			if err := json.Unmarshal(raw, &in); err != nil {
				return err
			}
			p.Document, p.Words = strings.ToUpper(in.Document), len(in.Document)
			return nil
		}}, aguitest.Call("a", "write_document", pieces(`{"document":"short and loud"}`, 6)...), before, `{"document":"SHORT AND LOUD","words":14,"author":"me"}`},
		"other_tool": {[]chat.Tool{writeTool}, mirror0, aguitest.Call("a", "confirm", `{}`), before, before},
	} {
		t.Run(name, func(t *testing.T) {
			client := chat.NewBuilder(aguitest.NewModel(c.turn, aguitest.Text("ok"))).
				Use(state.Share[Paper]()).
				Use(state.Predict("write_document", c.o)).
				Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: c.tools, Logger: quiet.Logger})).
				Build()
			in := inputWith(c.state)
			in.Tools = []agui.Tool{{Name: "confirm"}}
			if c.tools == nil {
				in.Tools = append(in.Tools, agui.Tool{Name: "write_document"})
			}
			events := runChain(t, client, in)
			aguitest.Verify(t, events)
			aguitest.Golden(t, filepath.Join("testdata", "predict", name+".jsonl"), events)
			m := &mirror{t: t, doc: []byte(c.state)}
			m.see(events...)
			m.holds(c.final)
		})
	}
}

// A document is written and shown meanwhile, then the person is asked to
// confirm it, as in the AG-UI dojo: the client's tool ends the run, and the
// next one begins with what the client then has.
func TestWriteADocumentThenConfirm(t *testing.T) {
	writeTool := state.Tool("write_document", "Writes the document.", func(_ ctxt, p *Paper, in write) (string, error) {
		p.Document = in.Document
		return "written", nil
	})
	const text = "Once upon a time there was a document."
	model := aguitest.NewModel(
		aguitest.Call("w", "write_document", pieces(`{"document":"`+text+`"}`, 6)...),
		aguitest.Call("c", "confirm_changes", `{}`),
		aguitest.Text("It stays."))
	client := chat.NewBuilder(model).Use(state.Share[Paper]()).
		Use(state.Predict("write_document", state.Prediction[Paper]{Argument: "document", Target: "/document", Every: -1})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{writeTool}})).Build()
	in := inputWith(`{"document":"","words":0}`)
	in.Tools = []agui.Tool{{Name: "confirm_changes"}}
	m := &mirror{t: t, doc: in.State}
	events := runChain(t, client, in)
	aguitest.Verify(t, events)
	grew := 0
	for _, e := range events {
		was := string(m.doc)
		m.see(e)
		if string(m.doc) != was && !strings.Contains(string(m.doc), text) {
			grew++
		}
	}
	m.holds(`{"document":"` + text + `","words":0}`)
	if last := events[len(events)-2]; grew < 3 || last.Type() != agui.TypeToolCallEnd {
		t.Errorf("grew %d times, ended in %s", grew, asJSON(t, last))
	}

	// The person rejects it: the client goes back, and its answer says so.
	next := inputWith(`{"document":"","words":0}`)
	next.Messages = append(next.Messages,
		agui.Message{ID: "a1", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c", Name: "confirm_changes", Arguments: "{}"}}},
		agui.Message{ID: "t1", Role: agui.RoleTool, ToolCallID: "c", Content: agui.Text("rejected")})
	events = runChain(t, client, next)
	if n := len(stateEvents(events)); n != 0 || events[len(events)-1].Type() != agui.TypeRunFinished {
		t.Errorf("%v", types(events))
	}
	told := model.Requests()[2].Outgoing
	if last := told[len(told)-1].Content.Text(); !strings.Contains(last, `"document":""`) {
		t.Errorf("the model is told %s", last)
	}
}

// A plan whose steps change the state one by one, as in the AG-UI dojo's
// agentic generative UI.
func TestPlanMovesStepByStep(t *testing.T) {
	type step struct {
		Description string `json:"description"`
		Status      string `json:"status"`
	}
	type plan struct {
		Steps []step `json:"steps"`
	}
	carryOut := chat.NewTool("carry_out", "Carries the plan out.", func(ctx ctxt, in struct {
		Steps []string `json:"steps"`
	}) (string, error) {
		err := state.Update(ctx, func(p *plan) error {
			p.Steps = nil
			for _, s := range in.Steps {
				p.Steps = append(p.Steps, step{s, "pending"})
			}
			return nil
		})
		for i := range in.Steps {
			if err == nil {
				err = state.Update(ctx, func(p *plan) error { p.Steps[i].Status = "completed"; return nil })
			}
		}
		return "done", err
	})
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "carry_out", `{"steps":["Fetch the parts","Glue them together","Paint what came out of it"]}`), aguitest.Text("ok"))).
		Use(state.Share[plan]()).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{carryOut}})).Build()
	events := runChain(t, client, inputWith("{}"))
	aguitest.Golden(t, filepath.Join("testdata", "events", "plan.jsonl"), events)
	m := &mirror{t: t}
	m.see(events...)
	m.holds(`{"steps":[{"description":"Fetch the parts","status":"completed"},{"description":"Glue them together","status":"completed"},{"description":"Paint what came out of it","status":"completed"}]}`)
}

// An argument that is whole covers all that the state has at its place, also
// while the arguments behind it are being written.
func TestPredictArgumentThatIsWhole(t *testing.T) {
	tool := chat.NewTool("cook", "", func(ctxt, struct{ Dish, Style any }) (string, error) { return "ok", nil })
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "cook", `{"dish":{"title":"New"`, `}`, `,"style":{"a":"b`, `c"}}`), aguitest.Text("ok"))).
		Use(state.Share[Kitchen]()).
		Use(state.Predict("cook", state.Prediction[Kitchen]{Argument: "dish", Target: "/dish", Every: -1})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).Build()
	m := &mirror{t: t, doc: []byte(oldKitchen)}
	var levels []string
	for _, e := range stateEvents(runChain(t, client, inputWith(oldKitchen))) {
		m.see(e)
		var k Kitchen
		must(t, json.Unmarshal(m.doc, &k))
		levels = append(levels, k.Dish.Title+" "+k.Dish.Level)
	}
	if got := strings.Join(levels, ", "); got != "New Easy, New , Old Easy" {
		t.Errorf("the client saw %s", got)
	}
}

// What nobody has approved is no state.
func TestPredictionOfACallThatIsAsked(t *testing.T) {
	tool := chat.RequireApproval(state.Tool("write_document", "Writes.", func(_ ctxt, p *Paper, in write) (string, error) {
		p.Document = in.Document
		return "written", nil
	}), nil, 0)
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "write_document", pieces(`{"document":"a guess"}`, 6)...))).
		Use(state.Share[Paper]()).
		Use(state.Predict("write_document", state.Prediction[Paper]{Argument: "document", Target: "/document", Every: -1, Keep: true})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}, Logger: quiet.Logger})).
		Build()
	m := &mirror{t: t, doc: []byte(`{"document":"old","words":0}`)}
	shown := false
	for _, e := range runChain(t, client, inputWith(string(m.doc))) {
		m.see(e)
		shown = shown || strings.Contains(string(m.doc), "a guess")
	}
	if !shown {
		t.Error("the guess never showed")
	}
	m.holds(`{"document":"old","words":0}`)
}

// What cannot become the state is said, and nothing of it stays.
func TestPredictionThatCannotBecomeTheState(t *testing.T) {
	short := state.Validate(func(p Paper) error {
		if len(p.Document) > 10 {
			return &chat.Error{Message: "it is too long"}
		}
		return nil
	})
	idle := chat.NewTool("write_document", "Does nothing to the state.", func(ctxt, write) (string, error) { return "ok", nil })
	for name, tools := range map[string][]chat.Tool{"server": {idle}, "client": nil} {
		client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "write_document", pieces(`{"document":"longer than ten"}`, 6)...), aguitest.Text("ok"))).
			Use(state.Share[Paper](short)).
			Use(state.Predict("write_document", state.Prediction[Paper]{Argument: "document", Target: "/document", Every: -1, Keep: true})).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools})).
			Build()
		in := inputWith(`{"document":"old","words":0}`)
		in.Tools = []agui.Tool{{Name: "write_document"}}
		m := &mirror{t: t, doc: in.State}
		events := runChain(t, client, in)
		m.see(events...)
		m.holds(`{"document":"old","words":0}`)
		if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != state.CodeGeneration || !strings.Contains(e.Message, "too long") {
			t.Errorf("%s: ended in %+v", name, events[len(events)-1])
		}
	}
}

// What turns out to be no guess is taken back, at once where that is seen while
// it is written. The log says of which call, but not what the model wrote.
func TestPredictionsThatAreTakenBack(t *testing.T) {
	const before = `{"document":"old","words":0}`
	mapped := func(p *Paper, raw json.RawMessage) error {
		if strings.Contains(string(raw), "sour") {
			panic("no lemons")
		}
		p.Document = string(raw)
		return nil
	}
	for name, c := range map[string]struct {
		o     state.Prediction[Paper]
		args  []string
		shown string // at some time
		want  string // in the log
		final string
		code  string // of the run's error: what is whole and cannot become the state is one
	}{
		"no JSON":       {state.Prediction[Paper]{Argument: "document", Target: "/document"}, []string{`{"document":"secret`, `" oops`}, "secret", `offset=21`, before, ""},
		"cut JSON":      {state.Prediction[Paper]{Argument: "document", Target: "/document"}, []string{`{"document":"secret`}, "secret", `offset=19`, before, ""},
		"nothing":       {state.Prediction[Paper]{Argument: "document", Target: "/document"}, []string{" "}, "old", ``, before, ""},
		"a Map's panic": {state.Prediction[Paper]{Map: mapped}, []string{`{"document":"secret `, `sour `, `cream"}`}, "secret", `error="panic: no lemons" stack=`, before, state.CodeGeneration},
		"a Map that heals": {state.Prediction[Paper]{Map: func(p *Paper, raw json.RawMessage) error {
			return mapped(p, []byte(strings.Replace(string(raw), "sour milk", "cream", 1)))
		}}, []string{`{"document":"secret `, `sour`, ` milk"}`}, "secret", `panic: no lemons`, `{"document":"{\"document\":\"secret cream\"}","words":0}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			c.o.Every, c.o.Logger = -1, slog.New(slog.NewTextHandler(&log, nil))
			client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("call-1", "write_document", c.args...))).
				Use(state.Share[Paper]()).
				Use(state.Predict("write_document", c.o)).
				Use(chat.InvokeFunctions(chat.FunctionInvocation{Logger: quiet.Logger})).
				Build()
			in := inputWith(before)
			in.Tools = []agui.Tool{{Name: "write_document"}}
			m := &mirror{t: t, doc: in.State}
			shown, code := false, ""
			for _, e := range runChain(t, client, in) {
				m.see(e)
				shown = shown || strings.Contains(string(m.doc), c.shown)
				if e.Type() == agui.TypeToolCallEnd && name != "cut JSON" {
					m.holds(c.final)
				}
				if e, ok := e.(*agui.RunError); ok {
					code = e.Code
				}
			}
			if !shown {
				t.Errorf("%q never showed", c.shown)
			}
			m.holds(c.final)
			if code != c.code {
				t.Errorf("the run ended in the code %q, want %q", code, c.code)
			}
			lines := strings.Count(log.String(), "\n")
			if c.want == "" && lines != 0 || c.want != "" && lines != 1 {
				t.Fatalf("the log has %d lines:\n%s", lines, &log)
			}
			for _, part := range []string{c.want, "level=WARN", "tool=write_document", "call=call-1"} {
				if c.want != "" && !strings.Contains(log.String(), part) {
					t.Errorf("the log does not say %q:\n%s", part, &log)
				}
			}
			if strings.Contains(log.String(), "secret") {
				t.Errorf("the log says what the model wrote:\n%s", &log)
			}
		})
	}
}

// A target must lead somewhere, by the names that the type's JSON has.
func TestTargetsThatLeadNowhere(t *testing.T) {
	type sheet struct {
		Paper `json:"paper"`
		*Board
		ByNumber map[int]Paper `json:"byNumber"`
	}
	makes := func(target string) (panicked any) {
		defer func() { panicked = recover() }()
		state.Predict("x", state.Prediction[sheet]{Argument: "a", Target: target})
		state.Generate(state.Generation[sheet]{Target: target})
		return nil
	}
	for _, target := range []string{"", "/paper/document", "/name", "/tasks/0/title", "/byNumber/-7/words"} {
		if v := makes(target); v != nil {
			t.Errorf("%q: %v", target, v)
		}
	}
	for _, target := range []string{"paper", "/document", "/Paper", "/Board", "/tasks/-", "/tasks/01", "/tasks/-1", "/byNumber/k", "/byNumber/07", "/paper/~2"} {
		if makes(target) == nil {
			t.Errorf("%q leads somewhere", target)
		}
	}
}
