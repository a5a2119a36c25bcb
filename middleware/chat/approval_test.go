package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// office is an agent with a tool that needs approval, a question and a plain
// tool. Every call makes another process of it, with the same key.
type office struct {
	mu      sync.Mutex
	deleted []string
	claims  chat.ResumeStore
	key     []byte
}

func (o *office) client(turns ...aguitest.Turn) (chat.Client, *aguitest.Model) {
	remove := chat.RequireApproval(chat.NewTool("delete", "Deletes.", func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.deleted = append(o.deleted, in.Name)
		return "deleted " + in.Name, nil
	}), func(call agui.ToolCall) string { return "Delete it? " + call.Arguments }, time.Hour)
	color := chat.NewQuestion[struct {
		Of string `json:"of"`
	}, struct {
		Color string `json:"color" enum:"red,green"`
	}]("ask_color", "Asks for a color.", func(in struct {
		Of string `json:"of"`
	}) string {
		return "Which color for " + in.Of + "?"
	})
	key := o.key
	if key == nil {
		key = []byte("a key of thirty-two bytes, secret")
	}
	model := aguitest.NewModel(turns...)
	return chat.NewBuilder(model).Use(chat.InvokeFunctions(chat.FunctionInvocation{
		Tools: []chat.Tool{remove, color, greet}, Key: key, Claims: o.claims, Logger: quiet.Logger,
	})).Build(), model
}

// asked runs a first turn that ends in questions, and returns the input of the
// next run, with the history as the client has it.
func (o *office) asked(t *testing.T, turn aguitest.Turn) (*agui.RunAgentInput, []agui.Interrupt, []agui.Event) {
	t.Helper()
	client, _ := o.client(turn)
	events := runEvents(t.Context(), client, input(), quiet)
	aguitest.Verify(t, events)
	finished, ok := events[len(events)-1].(*agui.RunFinished)
	if !ok || finished.Outcome == nil || finished.Outcome.Type != agui.OutcomeInterrupt {
		t.Fatalf("ended in %+v", events[len(events)-1])
	}
	next := input()
	next.RunID = "run-2"
	for _, e := range events {
		if s, ok := e.(*agui.MessagesSnapshot); ok {
			next.Messages = s.Messages
		}
	}
	return next, finished.Outcome.Interrupts, events
}

func resolved(i agui.Interrupt, payload string) agui.ResumeEntry {
	return agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
}

func TestAnswersToQuestions(t *testing.T) {
	both := aguitest.Text("I will.").Call("d1", "delete", `{"name":"a"}`).Call("g1", "greet", `{"name":"B"}`).Call("q1", "ask_color", `{"of":"the wall"}`)
	answers := func(d, q string) func([]agui.Interrupt) []agui.ResumeEntry {
		return func(i []agui.Interrupt) []agui.ResumeEntry {
			return []agui.ResumeEntry{resolved(i[1], q), resolved(i[0], d)}
		}
	}
	for name, c := range map[string]struct {
		resume  func([]agui.Interrupt) []agui.ResumeEntry
		forge   func(*agui.RunAgentInput)
		code    string
		deleted string
	}{
		"approved":     {resume: answers(`{"approved":true}`, `{"color":"red"}`), deleted: "a"},
		"edited":       {resume: answers(`{"approved":true,"arguments":{"name":"b"}}`, `{"color":"red"}`), deleted: "b"},
		"edited badly": {resume: answers(`{"approved":true,"arguments":{"nom":"b"}}`, `{"color":"red"}`)},
		"denied":       {resume: answers(`{"approved":false,"reason":"it is mine"}`, `{"color":"green"}`)},
		"cancelled": {resume: func(i []agui.Interrupt) []agui.ResumeEntry {
			return []agui.ResumeEntry{{InterruptID: i[0].ID, Status: agui.ResumeCancelled}, {InterruptID: i[1].ID, Status: agui.ResumeCancelled}}
		}},
		"pending": {resume: func([]agui.Interrupt) []agui.ResumeEntry { return nil }, code: chat.CodeInterruptPending},
		"partial": {resume: func(i []agui.Interrupt) []agui.ResumeEntry {
			return []agui.ResumeEntry{resolved(i[0], `{"approved":true}`)}
		}, code: chat.CodeInterruptPartial},
		"unknown": {resume: func(i []agui.Interrupt) []agui.ResumeEntry {
			return []agui.ResumeEntry{resolved(agui.Interrupt{ID: "nope"}, `{}`)}
		}, code: chat.CodeInterruptUnknown},
		"payload":     {resume: answers(`{"approved":"yes"}`, `{"color":"red"}`), code: chat.CodeInterruptPayload},
		"no payload":  {resume: answers(``, `{"color":"red"}`), code: chat.CodeInterruptPayload},
		"not offered": {resume: answers(`{"approved":true}`, `{"color":"blue"}`), code: chat.CodeInterruptPayload},
		"forged arguments": {resume: answers(`{"approved":true}`, `{"color":"red"}`), forge: func(in *agui.RunAgentInput) {
			for _, m := range in.Messages {
				if len(m.ToolCalls) > 0 {
					m.ToolCalls[0].Arguments = `{"name":"everything"}`
				}
			}
		}, code: chat.CodeInterruptUnknown},
		"another thread": {resume: answers(`{"approved":true}`, `{"color":"red"}`), forge: func(in *agui.RunAgentInput) { in.ThreadID = "other" }, code: chat.CodeInterruptUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // for the time in the ids
				var o office
				in, interrupts, first := o.asked(t, both)
				if len(o.deleted) != 0 {
					t.Fatal("the tool ran before it was approved")
				}
				in.Resume = c.resume(interrupts)
				if c.forge != nil {
					c.forge(in)
				}
				client, _ := o.client(aguitest.Text("Done."))
				events := runEvents(t.Context(), client, in, quiet)
				aguitest.Verify(t, events)
				if last, ok := events[len(events)-1].(*agui.RunError); ok {
					if last.Code != c.code {
						t.Errorf("code %s, want %q: %s", last.Code, c.code, last.Message)
					}
				} else if c.code != "" {
					t.Errorf("the run did not fail with %s", c.code)
				}
				if got := strings.Join(o.deleted, ","); got != c.deleted {
					t.Errorf("deleted %q, want %q", got, c.deleted)
				}
				aguitest.Golden(t, filepath.Join("testdata", "answers", strings.ReplaceAll(name, " ", "_")+".jsonl"), slices.Concat(first, events))
			})
		})
	}
}

func TestAnswerThatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o office
		in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
		if interrupts[0].ExpiresAt == "" {
			t.Fatal("no expiry")
		}
		time.Sleep(2 * time.Hour)
		client, _ := o.client(aguitest.Text("ok"))
		in.Resume = []agui.ResumeEntry{resolved(interrupts[0], `{"approved":true}`)}
		events := runEvents(t.Context(), client, in, quiet)
		if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeInterruptExpired {
			t.Errorf("ended in %+v", events[len(events)-1])
		}
		in.Resume[0] = agui.ResumeEntry{InterruptID: interrupts[0].ID, Status: agui.ResumeCancelled}
		events = runEvents(t.Context(), client, in, quiet)
		if events[len(events)-1].Type() != agui.TypeRunFinished || len(o.deleted) != 0 {
			t.Errorf("a late cancel: %+v", events[len(events)-1])
		}
	})
}

// once is a ResumeStore in memory.
type once struct{ m sync.Map }

func (o *once) Claim(_ context.Context, key string) (bool, error) {
	_, taken := o.m.LoadOrStore(key, true)
	return !taken, nil
}

func TestAnswerCountsOnce(t *testing.T) {
	for claims, want := range map[chat.ResumeStore]int{nil: 2, new(once): 1} {
		o := office{claims: claims}
		in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
		in.Resume = []agui.ResumeEntry{resolved(interrupts[0], `{"approved":true}`)}
		for _, payload := range []string{`{"approved":true}`, `{"approved":true,"reason":"again"}`} {
			in.Resume[0].Payload = json.RawMessage(payload)
			client, _ := o.client(aguitest.Text("ok"))
			events := runEvents(t.Context(), client, in, quiet)
			if events[len(events)-1].Type() != agui.TypeRunFinished {
				t.Errorf("ended in %+v", events[len(events)-1])
			}
		}
		if len(o.deleted) != want {
			t.Errorf("ran %d times, want %d", len(o.deleted), want)
		}
	}
}

// An answer whose result is in the history runs nothing.
func TestAnswerInTheHistoryRunsNothing(t *testing.T) {
	var o office
	in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
	in.Resume = []agui.ResumeEntry{resolved(interrupts[0], `{"approved":true}`)}
	in.Messages = append(in.Messages, agui.ToolMessage("d", "deleted a"))
	client, _ := o.client(aguitest.Text("ok"))
	events := runEvents(t.Context(), client, in, quiet)
	if events[len(events)-1].Type() != agui.TypeRunFinished || len(o.deleted) != 0 {
		t.Errorf("ended in %+v, deleted %v", events[len(events)-1], o.deleted)
	}
}

// Another key is another deployment: it takes none of our answers.
func TestAnswerNeedsTheKey(t *testing.T) {
	var o office
	in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
	in.Resume = []agui.ResumeEntry{resolved(interrupts[0], `{"approved":true}`)}
	other := office{key: []byte("another key of thirty-two bytes!!")}
	client, _ := other.client(aguitest.Text("ok"))
	events := runEvents(t.Context(), client, in, quiet)
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeInterruptUnknown || len(other.deleted) != 0 {
		t.Errorf("ended in %+v", events[len(events)-1])
	}
}

// A middleware of one's own asks, and takes its answer before the layers
// below look at it.
func TestTakeResume(t *testing.T) {
	var got string
	var o office
	inner, _ := o.client(aguitest.Text("ok"), aguitest.Text("ok"))
	client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		if entry, rest, ok := chat.TakeResume(ctx, "mine"); ok {
			got, ctx = string(entry.Payload), rest
			if _, _, again := chat.TakeResume(ctx, "mine"); again {
				t.Error("an answer was taken twice")
			}
		}
		return inner.Stream(ctx, req)
	})
	in := input()
	in.Resume = []agui.ResumeEntry{resolved(agui.Interrupt{ID: "mine"}, `"yes"`)}
	events := runEvents(t.Context(), client, in, quiet)
	if events[len(events)-1].Type() != agui.TypeRunFinished || got != `"yes"` {
		t.Errorf("ended in %+v, got %s", events[len(events)-1], got)
	}
	events = runEvents(t.Context(), inner, in, quiet)
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeInterruptUnknown {
		t.Errorf("ended in %+v", events[len(events)-1])
	}
}

// An answer with edited arguments can be sent again after a run that failed,
// whatever of that run the client has seen.
func TestEditedAnswerCanBeSentAgain(t *testing.T) {
	var o office
	in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
	in.Resume = []agui.ResumeEntry{resolved(interrupts[0], `{"approved":true,"arguments":{ "name":"b" }}`)}
	edited := *in
	client, _ := o.client(aguitest.Fail(errors.New("the model is down")))
	for _, e := range runEvents(t.Context(), client, in, quiet) {
		if s, ok := e.(*agui.MessagesSnapshot); ok {
			edited.Messages = s.Messages
		}
	}
	answered := edited
	answered.Messages = append(slices.Clone(edited.Messages), agui.ToolMessage("d", "deleted b"))
	for name, again := range map[string]*agui.RunAgentInput{"cut before the snapshot": in, "cut before the result": &edited, "cut behind the result": &answered} {
		client, _ := o.client(aguitest.Text("ok"))
		events := runEvents(t.Context(), client, again, quiet)
		if events[len(events)-1].Type() != agui.TypeRunFinished {
			t.Errorf("%s: ended in %+v", name, events[len(events)-1])
		}
	}
	if len(o.deleted) != 3 {
		t.Errorf("deleted %v, want the first and two that had no result", o.deleted)
	}
	// Arguments that no answer has put there are refused.
	forged := edited
	forged.Messages = withArguments(edited.Messages, `{"name":"everything"}`)
	client, _ = o.client(aguitest.Text("ok"))
	events := runEvents(t.Context(), client, &forged, quiet)
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeInterruptUnknown {
		t.Errorf("ended in %+v", events[len(events)-1])
	}
}

func withArguments(messages []agui.Message, arguments string) []agui.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		for j := range out[i].ToolCalls {
			out[i].ToolCalls[j].Arguments = arguments
		}
	}
	return out
}

// The first answer counts, also a denial.
func TestDenialCounts(t *testing.T) {
	o := office{claims: new(once)}
	in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
	for _, payload := range []string{`{"approved":false}`, `{"approved":true}`} {
		in.Resume = []agui.ResumeEntry{resolved(interrupts[0], payload)}
		client, _ := o.client(aguitest.Text("ok"))
		runEvents(t.Context(), client, in, quiet)
	}
	if len(o.deleted) != 0 {
		t.Errorf("deleted %v after a denial", o.deleted)
	}
}

// The answer to a question is its result, of whatever type it is.
func TestAnswersOfAnyType(t *testing.T) {
	tools := []chat.Tool{chat.NewQuestion[noArguments, string]("ask", "Asks.", nil)}
	agent := func(turns ...aguitest.Turn) (chat.Client, *aguitest.Model) {
		m := aguitest.NewModel(turns...)
		return chat.NewBuilder(m).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools, Key: []byte("a key of thirty-two bytes, secret")})).Build(), m
	}
	client, _ := agent(aguitest.Call("q", "ask"))
	in := input()
	for _, e := range runEvents(t.Context(), client, in, quiet) {
		switch e := e.(type) {
		case *agui.MessagesSnapshot:
			in.Messages = e.Messages
		case *agui.RunFinished:
			in.Resume = []agui.ResumeEntry{resolved(e.Outcome.Interrupts[0], `"red"`)}
		}
	}
	client, model := agent(aguitest.Text("ok"))
	runEvents(t.Context(), client, in, quiet)
	out := model.Requests()[0].Outgoing
	if got := out[len(out)-1]; got.Role != agui.RoleTool || got.Content.Text() != `"red"` {
		t.Errorf("the model is told %+v", got)
	}
}

// A call that was cut off is neither run nor put to a person.
func TestCutCallsAreNotRun(t *testing.T) {
	for _, reason := range []chat.FinishReason{chat.FinishLength, chat.FinishContentFilter} {
		ran := false
		clear := chat.NewTool("clear", "Clears.", func(context.Context, noArguments) (string, error) { ran = true; return "", nil })
		tools := []chat.Tool{clear, chat.RequireApproval(chat.NewTool("clear_all", "Clears.", func(context.Context, noArguments) (string, error) { return "", nil }), nil, 0)}
		model := aguitest.NewModel(aguitest.Turn{}.Call("a", "clear", "").Call("b", "clear_all", "").Finish(reason), aguitest.Text("ok"))
		events := runEvents(t.Context(), withTools(chat.FunctionInvocation{Tools: tools, Logger: quiet.Logger}, model), input(), quiet)
		if f, ok := events[len(events)-1].(*agui.RunFinished); !ok || f.Outcome != nil || ran {
			t.Errorf("%s: ended in %+v, ran %v", reason, events[len(events)-1], ran)
		}
	}
}

// An interrupt ends the loop, whoever raises it.
func TestInterruptEndsTheLoop(t *testing.T) {
	raise := chat.NewTool("raise", "Asks.", func(ctx context.Context, _ noArguments) (string, error) {
		return "asked", chat.Emit(ctx, &chat.Update{Interrupts: []agui.Interrupt{{ID: "i", Reason: "ask"}}})
	})
	model := aguitest.NewModel(aguitest.Call("a", "raise"), aguitest.Text("went on"))
	runEvents(t.Context(), withTools(chat.FunctionInvocation{Tools: []chat.Tool{raise}}, model), input(), quiet)
	if model.Left() != 1 {
		t.Error("the model was called again without an answer")
	}
}
