package aguitest_test

import (
	"errors"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestRecorder(t *testing.T) {
	boom := errors.New("boom")
	custom := &agui.Custom{Name: "seen"}
	model := aguitest.NewModel(
		aguitest.Text("a", "b").Update(&chat.Update{Events: []agui.Event{custom}}),
		aguitest.Text("c").Fail(boom),
		aguitest.Text("d", "e"),
	)
	var rec aguitest.Recorder
	client := chat.NewBuilder(model).Use(rec.Middleware).Build()

	if found, ok := chat.Find[*aguitest.Model](client); !ok || found != model {
		t.Error("the recorder hides the model from Find")
	}
	stream := client.Stream(t.Context(), ask("one"))
	if len(rec.Exchanges()) != 0 {
		t.Error("recorded a call before anybody ranged")
	}
	for u, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		u.Text = "changed by its receiver"
	}
	if _, err := gather(client.Stream(t.Context(), ask("two"))); !errors.Is(err, boom) {
		t.Errorf("the error became %v", err)
	}
	for range client.Stream(t.Context(), ask("three")) {
		break
	}

	got := rec.Exchanges()
	if len(got) != 3 || len(rec.Requests()) != 3 {
		t.Fatalf("%d calls, want 3", len(got))
	}
	for i, want := range []struct {
		prompt, text string
		updates      int
		err          error
		broken       bool
	}{
		{"one", "ab", 4, nil, false},
		{"two", "c", 1, boom, false},
		{"three", "d", 1, nil, true},
	} {
		e := got[i]
		var text string
		for _, u := range e.Updates {
			text += u.Text
		}
		if p := e.Request.Messages[0].Content.Text(); p != want.prompt || text != want.text ||
			len(e.Updates) != want.updates || !errors.Is(e.Err, want.err) || e.Broken != want.broken || !e.Done {
			t.Errorf("call %d: prompt %q, text %q, %d updates, error %v, broken %v, done %v", i, p, text, len(e.Updates), e.Err, e.Broken, e.Done)
		}
	}
	if n := len(rec.Updates()); n != 6 {
		t.Errorf("%d updates, want 6", n)
	}
	if events := rec.Events(); len(events) != 1 || events[0] != agui.Event(custom) {
		t.Errorf("events %v", events)
	}
}
