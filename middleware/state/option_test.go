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

// Each option alone and with all the others, in one run.
func TestOptionsTogether(t *testing.T) {
	type option struct {
		name string
		o    state.Option
	}
	refused := func(b Board) error {
		if b.Name == "bad" {
			return &chat.Error{Message: "bad names are not taken"}
		}
		return nil
	}
	options := []option{
		{"Announce", state.Announce()}, {"SnapshotsOnly", state.SnapshotsOnly()}, {"MaxBytes", state.MaxBytes(2000)},
		{"Validate", state.Validate(refused)}, {"Hide", state.Hide("/tasks/*/secret", "/owner")},
		{"PromptWith", state.PromptWith(func(doc json.RawMessage) (agui.Message, error) {
			return agui.SystemMessage("STATE " + string(doc)), nil
		})},
		{"Silent", state.Silent()}, {"Key", state.Key("/tasks", "id")}, {"Default", state.Default(Board{Name: "default"})},
		{"nil", nil},
	}
	const doc = `{"name":"board","owner":"me","tasks":[{"id":1,"title":"a","secret":"s1"},{"id":2,"title":"b","secret":"s2"},{"id":3,"title":"c","secret":"s3"}],"pad":"pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"}`
	tool := chat.NewTool("t", "", func(ctx ctxt, _ struct{}) (string, error) {
		return "ok", state.Update(ctx, func(b *Board) error {
			last := b.Tasks[2]
			last.Title += "!"
			b.Tasks = []Task{last, b.Tasks[0], b.Tasks[1]}
			return nil
		})
	})
	for set := range 1 << len(options) {
		if n := ones(set); n != 0 && n != 1 && n != 2 && n != len(options) {
			continue
		}
		var names []string
		var chosen []state.Option
		for i, o := range options {
			if set>>i&1 == 1 {
				names, chosen = append(names, o.name), append(chosen, o.o)
			}
		}
		has := func(name string) bool {
			for _, n := range names {
				if n == name {
					return true
				}
			}
			return false
		}
		t.Run(strings.Join(names, "+"), func(t *testing.T) {
			model := aguitest.NewModel(aguitest.Call("a", "t"), aguitest.Call("b", "t"), aguitest.Text("ok"))
			client := chat.NewBuilder(model).Use(state.Share[Board](chosen...)).
				Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).Build()
			events := runChain(t, client, inputWith(doc))
			aguitest.Verify(t, events)
			m := &mirror{t: t, doc: []byte(doc)}
			m.see(events...)
			secrets := []string{"s2", "s3", "s1"}
			var got struct {
				Owner string
				Tasks []struct {
					Title, Secret string
				}
			}
			must(t, json.Unmarshal(m.doc, &got))
			if got.Owner != "me" || len(got.Tasks) != 3 {
				t.Fatalf("%s", m.doc)
			}
			for i, task := range got.Tasks {
				// Moved and edited: the secret goes along with a Key.
				if has("Key") && task.Secret != secrets[i] {
					t.Errorf("task %d has %+v in %s", i, task, m.doc)
				}
			}
			snapshots := 0
			for _, e := range stateEvents(events) {
				if e.Type() == agui.TypeStateSnapshot {
					snapshots++
				}
			}
			if n := len(stateEvents(events)); has("SnapshotsOnly") && snapshots != n || has("Announce") && (n != 3 || events[1].Type() != agui.TypeStateSnapshot) || !has("Announce") && n != 2 {
				t.Errorf("events: %v", types(events))
			}
			out := model.Requests()[2].Outgoing
			last := out[len(out)-1].Content.Text()
			switch {
			case has("Silent") && strings.Contains(last, "task") || !has("Silent") && !strings.Contains(last, `"title":"c!"`):
				t.Errorf("the model is told %s", last)
			case has("Hide") && (strings.Contains(last, "secret") || strings.Contains(last, "owner")):
				t.Errorf("hidden members were told: %s", last)
			case has("PromptWith") && !has("Silent") && !strings.HasPrefix(last, "STATE {"):
				t.Errorf("PromptWith is not asked: %s", last)
			}
		})
	}
}

func ones(n int) (sum int) {
	for ; n != 0; n &= n - 1 {
		sum++
	}
	return sum
}

// Options that can never do what they say are refused when the chain is made.
func TestOptionsThatAreNone(t *testing.T) {
	for want, f := range map[string]func(){
		`Hide: "name" is no JSON Pointer`:      func() { state.Share[Board](state.Hide("/a", "name")) },
		`Key: "tasks" is no JSON Pointer`:      func() { state.Share[Board](state.Key("tasks", "id")) },
		`At: "tasks" is no JSON Pointer`:       func() { state.At("tasks") },
		`Validate is for func(state_test.Doc)`: func() { state.Share[Board](state.Validate(func(Doc) error { return nil })) },
		`the default value: bad`: func() {
			state.Share[Board](state.Default(Board{Name: "bad"}), state.Validate(func(Board) error { return errors.New("bad") }))
		},
		`NewSession: Hide: "x~2"`: func() { _, _ = state.NewSession[Board](nil, nil, state.Hide("x~2")) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("panicked with %q, want …%s…", got, want)
				}
			}()
			f()
			t.Errorf("did not panic with %s", want)
		}()
	}
	// An empty form may be incomplete: the first change is checked.
	s, _ := session[Board](t, "", state.Validate(func(b Board) error {
		if b.Name == "" {
			return errors.New("no name")
		}
		return nil
	}))
	wantErr(t, s.Update(func(b *Board) error { b.Tasks = []Task{{ID: 1}}; return nil }), "no name")
	must(t, s.Update(func(b *Board) error { b.Name = "x"; return nil }))
}

func TestHide(t *testing.T) {
	const doc = `{"a":{"x":1,"y":2},"list":[{"s":1,"k":1},{"k":2},{"s":3,"k":3}],"by":{"p":{"s":1},"q":{"s":2,"k":1}},"e/~":1,"n":5,"z":[1,2,3,4,5,6,7,8,9,10,11,12]}`
	for name, c := range map[string]struct {
		hide []string
		want string
	}{
		"nothing there":           {[]string{"/nothing", "/a/x/y", "/list/7"}, doc},
		"a member and its parent": {[]string{"/a", "/a/x"}, strings.Replace(doc, `"a":{"x":1,"y":2},`, "", 1)},
		"the same twice":          {[]string{"/a/x", "/a/x", "/a/*"}, strings.Replace(doc, `"x":1,"y":2`, "", 1)},
		"of each element":         {[]string{"/list/*/s"}, strings.Replace(doc, `[{"s":1,"k":1},{"k":2},{"s":3,"k":3}]`, `[{"k":1},{"k":2},{"k":3}]`, 1)},
		"of each member":          {[]string{"/by/*/s"}, strings.Replace(doc, `{"p":{"s":1},"q":{"s":2,"k":1}}`, `{"p":{},"q":{"k":1}}`, 1)},
		"elements":                {[]string{"/z/10", "/z/2", "/z/0", "/z/9"}, strings.Replace(doc, `[1,2,3,4,5,6,7,8,9,10,11,12]`, `[2,4,5,6,7,8,9,12]`, 1)},
		"an escaped name":         {[]string{"/e~1~0"}, strings.Replace(doc, `"e/~":1,`, "", 1)},
		"all":                     {[]string{""}, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			model := aguitest.NewModel(aguitest.Text("ok"))
			client := chat.NewBuilder(model).Use(state.Share[struct{}](state.Hide(c.hide...))).Build()
			runChain(t, client, inputWith(doc))
			out := model.Requests()[0].Outgoing
			_, told, _ := strings.Cut(out[len(out)-1].Content.Text(), "```json\n")
			if told, _, _ = strings.Cut(told, "\n```"); told != c.want {
				t.Errorf("\n got %s\nwant %s", told, c.want)
			}
		})
	}
}
