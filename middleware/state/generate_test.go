package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Dish is a state that a model writes.
type Dish struct {
	Title string   `json:"title"`
	Level string   `json:"level" enum:"Easy,Hard"`
	Time  int      `json:"time"`
	Parts []Part   `json:"parts"`
	Steps []string `json:"steps"`
}

type Part struct {
	Icon string `json:"icon"`
	Name string `json:"name"`
}

type Kitchen struct {
	Dish  Dish   `json:"dish"`
	Notes string `json:"notes"`
}

const (
	oldKitchen = `{"theme":"dark","dish":{"title":"Old","level":"Easy","time":5,"parts":[{"icon":"🥕","name":"Carrot","id":7}],"steps":["Wash."]},"notes":"keep"}`
	newKitchen = `{"dish":{"title":"Crème \ud83c\udf6e \"brûlée\"","level":"Hard","time":45,"parts":[{"icon":"🥕","name":"Carrot"},{"icon":"🥚","name":"Egg"}],"steps":["Wash.","Stir it for a long while."]},"notes":"keep"}`
)

// pieces cuts text into pieces of n bytes, runes kept whole as a model
// keeps them.
func pieces(text string, n int) []string {
	var out []string
	for len(text) > n {
		cut := n
		for cut < len(text) && text[cut]&0xC0 == 0x80 {
			cut++
		}
		out, text = append(out, text[:cut]), text[cut:]
	}
	return append(out, text)
}

func kitchen(m chat.Client, o state.Generation[Kitchen], inner ...chat.Middleware) chat.Client {
	o.Every = -1
	b := chat.NewBuilder(m).Use(state.Share[Kitchen]()).Use(state.Generate(o))
	for _, l := range inner {
		b.Use(l)
	}
	return b.Build()
}

func TestGoldenGenerations(t *testing.T) {
	writes := func(p ...string) aguitest.Turn { return aguitest.Text(p...) }
	answer := aguitest.Text("It is ", "done.")
	model := aguitest.NewModel
	for name, run := range map[string]struct {
		client chat.Client
		state  string
		final  string // what the client holds at the end; "" is the state it sent
	}{
		"whole":              {kitchen(model(writes(newKitchen), answer), state.Generation[Kitchen]{}), oldKitchen, newKitchen},
		"byte_by_byte":       {kitchen(model(writes(pieces(newKitchen, 1)...), answer), state.Generation[Kitchen]{}), oldKitchen, newKitchen},
		"odd_cuts":           {kitchen(model(writes(`{"dish":{"title":"Cr`, `ème \ud83c`, `\udf6e","level":"Ha`, `rd","time":4`, `5,"parts":[],"steps":["a\`, `"b"]},"notes":"k`, `eep"}`), answer), state.Generation[Kitchen]{}), oldKitchen, `{"dish":{"title":"Crème 🍮","level":"Hard","time":45,"parts":[],"steps":["a\"b"]},"notes":"keep"}`},
		"from_nothing":       {kitchen(model(writes(pieces(newKitchen, 9)...), answer), state.Generation[Kitchen]{}), ``, newKitchen},
		"unchanged":          {kitchen(model(writes(pieces(oldKitchen[:1]+oldKitchen[len(`{"theme":"dark",`):], 5)...), answer), state.Generation[Kitchen]{}), strings.Replace(oldKitchen, `,"id":7`, ``, 1), ``},
		"buffered":           {kitchen(model(writes(pieces(newKitchen, 7)...), answer), state.Generation[Kitchen]{Buffered: true}), oldKitchen, newKitchen},
		"target":             {kitchen(model(writes(pieces(`{"title":"New","level":"Easy","time":1,"parts":[],"steps":[]}`, 6)...), answer), state.Generation[Kitchen]{Target: "/dish"}), oldKitchen, `{"dish":{"title":"New","level":"Easy","time":1,"parts":[],"steps":[]},"notes":"keep"}`},
		"target_list":        {kitchen(model(writes(pieces(`{"value":["One.","Two."]}`, 4)...), answer), state.Generation[Kitchen]{Target: "/dish/steps"}), oldKitchen, strings.Replace(strings.Replace(oldKitchen, `"Wash."`, `"One.","Two."`, 1), `"theme":"dark",`, ``, 1)},
		"merge":              {kitchen(model(writes(`{"notes":"new"}`), answer), state.Generation[Kitchen]{Merge: true}), oldKitchen, strings.Replace(oldKitchen, "keep", "new", 1)},
		"join":               {kitchen(model(writes(pieces(newKitchen, 9)...), answer), state.Generation[Kitchen]{Join: func(k *Kitchen, raw json.RawMessage) error { k.Notes = fmt.Sprint(len(raw)); return nil }}), oldKitchen, strings.Replace(oldKitchen, "keep", fmt.Sprint(len(newKitchen)), 1)},
		"instead":            {kitchen(model(writes(newKitchen)), state.Generation[Kitchen]{Order: state.Instead}), oldKitchen, newKitchen},
		"after":              {kitchen(model(answer, writes(newKitchen)), state.Generation[Kitchen]{Order: state.After}), oldKitchen, newKitchen},
		"not_now":            {kitchen(model(answer), state.Generation[Kitchen]{When: func(context.Context, *agui.RunAgentInput) bool { return false }}), oldKitchen, ``},
		"reasoning":          {kitchen(model(aguitest.Turn{}.Reasoning("hm").Text(newKitchen), answer), state.Generation[Kitchen]{Reasoning: true}), oldKitchen, newKitchen},
		"fenced":             {kitchen(model(writes("Here it is:\n```json\n", newKitchen, "\n```\nEnjoy!"), answer), state.Generation[Kitchen]{}), oldKitchen, newKitchen},
		"cut_by_tokens":      {kitchen(model(writes(pieces(newKitchen[:60], 6)...).Finish(chat.FinishLength), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"cut_stream":         {kitchen(model(writes(pieces(newKitchen[:60], 6)...).Cut(), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"filtered":           {kitchen(model(writes(`{"dish":{"title":"New"`).Finish(chat.FinishContentFilter), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"refused":            {kitchen(model(writes("I cannot help with that."), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"prose_around":       {kitchen(model(writes("Here you go: ", newKitchen, " Enjoy!"), answer), state.Generation[Kitchen]{}), oldKitchen, newKitchen},
		"byte_order_mark":    {kitchen(model(writes("\ufeff", newKitchen), answer), state.Generation[Kitchen]{}), oldKitchen, newKitchen},
		"array_at_top":       {kitchen(model(writes("[", newKitchen, "]"), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"nothing_written":    {kitchen(model(writes().Finish(chat.FinishLength), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"two_objects":        {kitchen(model(writes(newKitchen, oldKitchen), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"does_not_fit":       {kitchen(model(writes(`{"dish":{"title":"N","level":"Medium","time":1,"parts":[],"steps":[]},"notes":""}`), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"lacks_members":      {kitchen(model(writes(`{"dish":{"title":"Shown for a while"`, `}}`), answer), state.Generation[Kitchen]{}), oldKitchen, ``},
		"fails_and_is_said":  {kitchen(model(writes("no"), answer), state.Generation[Kitchen]{Say: func(err error) string { return "Sorry: " + err.(*chat.Error).Message }}), oldKitchen, ``},
		"retried":            {kitchen(model(writes(`{"dish":{"title":"First try"`, `}}`), writes(newKitchen), answer), state.Generation[Kitchen]{Retries: 1}), oldKitchen, newKitchen},
		"retried_for_naught": {kitchen(model(writes("no"), writes("no again")), state.Generation[Kitchen]{Retries: 1}), oldKitchen, ``},
	} {
		t.Run(name, func(t *testing.T) {
			events := runChain(t, run.client, inputWith(run.state))
			aguitest.Verify(t, events)
			aguitest.Golden(t, filepath.Join("testdata", "generate", name+".jsonl"), events)
			m := &mirror{t: t, doc: []byte(run.state)}
			m.see(events...)
			final := run.final
			if final == "" {
				final = run.state
			}
			m.holds(withUnknown(t, final, run.state))
			for _, e := range events {
				if c, ok := e.(*agui.TextMessageContent); ok && strings.ContainsAny(c.Delta, `{}[]`) {
					t.Errorf("JSON is in the text: %q", c.Delta)
				}
			}
		})
	}
}

// withUnknown adds to a document the members that Kitchen does not know and
// that are kept.
func withUnknown(t *testing.T, doc, from string) string {
	t.Helper()
	var d, f map[string]any
	must(t, json.Unmarshal([]byte(doc), &d))
	if from != "" {
		must(t, json.Unmarshal([]byte(from), &f))
	}
	if theme, ok := f["theme"]; ok {
		d["theme"] = theme
	}
	// The carrot stays the one with the id.
	parts, _ := d["dish"].(map[string]any)["parts"].([]any)
	if len(parts) > 0 && strings.Contains(from, `"id":7`) {
		parts[0].(map[string]any)["id"] = 7
	}
	return asJSON(t, d)
}

// The private call offers no tools and asks for the schema; the second call
// sees the new state.
func TestGenerateAsksInPrivate(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text(newKitchen), aguitest.Text("ok"))
	client := kitchen(model, state.Generation[Kitchen]{Instructions: "You are a cook.", Answer: "Be brief."},
		chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTool}}))
	in := inputWith(oldKitchen)
	in.Tools = []agui.Tool{{Name: "confirm"}}
	runChain(t, client, in)
	requests := model.Requests()
	first, second := requests[0].Request, requests[1].Request
	if len(first.Tools) != 0 || first.ToolChoice.Mode != chat.ToolsNone || first.ResponseFormat == nil || !first.ResponseFormat.Strict {
		t.Errorf("the private call: %+v", first)
	}
	if got := requests[0].Outgoing[0].Content.Text(); !strings.HasPrefix(got, "You are a cook.") {
		t.Errorf("instructions: %s", got)
	}
	if len(second.Tools) != 2 || second.ResponseFormat != nil {
		t.Errorf("the answer: %+v", second)
	}
	out := requests[1].Outgoing
	if last := out[len(out)-1].Content.Text(); !strings.Contains(last, "brûlée") {
		t.Errorf("the second call does not see the new state: %s", last)
	}
	for _, m := range out {
		if strings.Contains(m.Content.Text(), `"title":"Old"`) || m.Role == agui.RoleAssistant {
			t.Errorf("the second call sees %s: %s", m.Role, m.Content.Text())
		}
	}
}

// A failing generation takes back its own and nothing else.
func TestToolEditsDuringAFailingGeneration(t *testing.T) {
	edit := layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
		n := 0
		for u, err := range next.Stream(ctx, req) {
			if n++; n == 3 {
				// As a parallel tool would, while the model writes.
				err = errors.Join(err, state.Update(ctx, func(k *Kitchen) error { k.Notes = "by a tool"; return nil }))
				s, _ := state.Of[Kitchen](ctx)
				if s.State().Dish.Title != "Old" {
					err = errors.Join(err, fmt.Errorf("a tool sees what is not settled: %q", s.State().Dish.Title))
				}
			}
			if !yield(u, err) {
				return
			}
		}
	})
	model := aguitest.NewModel(aguitest.Text(`{"dish":{"title":"Half`, ` a title","lev`, `el":"Hard"`, `,"time":9`).Finish(chat.FinishLength))
	events := runChain(t, kitchen(model, state.Generation[Kitchen]{}, edit), inputWith(oldKitchen))
	m := &mirror{t: t, doc: []byte(oldKitchen)}
	shown := false
	for _, e := range events {
		m.see(e)
		shown = shown || strings.Contains(string(m.doc), "Half a title") && strings.Contains(string(m.doc), "by a tool")
	}
	if !shown {
		t.Error("the title and the tool's note never showed together")
	}
	m.holds(strings.Replace(oldKitchen, "keep", "by a tool", 1))
}

// Two generators on different members do not wipe each other.
func TestTwoGenerators(t *testing.T) {
	model := aguitest.NewModel(
		aguitest.Text(pieces(`{"title":"New","level":"Easy","time":1,"parts":[],"steps":[]}`, 8)...),
		aguitest.Text(pieces(`{"value":"new notes"}`, 4)...), aguitest.Text("ok"))
	client := chat.NewBuilder(model).Use(state.Share[Kitchen]()).
		Use(state.Generate(state.Generation[Kitchen]{Target: "/dish", Every: -1})).
		Use(state.Generate(state.Generation[Kitchen]{Target: "/notes", Every: -1})).
		Build()
	// The second generator stands inside the first: the first's private call
	// passes it.
	m := &mirror{t: t, doc: []byte(oldKitchen)}
	m.see(runChain(t, client, inputWith(oldKitchen))...)
	m.holds(`{"theme":"dark","dish":{"title":"New","level":"Easy","time":1,"parts":[],"steps":[]},"notes":"new notes"}`)
}

// A user who stops has the state that was settled.
func TestStoppedGenerationIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		model := aguitest.NewModel(aguitest.Text(pieces(newKitchen[:60], 6)...).Pause(nil).Text("never"))
		m := &mirror{t: t, doc: []byte(oldKitchen)}
		shown := false
		var last agui.Event
		for e := range chat.Events(ctx, kitchen(model, state.Generation[Kitchen]{}), inputWith(oldKitchen), quiet) {
			m.see(e)
			last = e
			if strings.Contains(string(m.doc), "Crème") {
				shown = true
				cancel()
			}
		}
		cancel()
		if failed, ok := last.(*agui.RunError); !shown || !ok || failed.Code != chat.CodeCancelled {
			t.Errorf("shown %v, ended in %+v", shown, last)
		}
		m.holds(oldKitchen)
	})
}

// For every document and every way of cutting it, each step is valid for the
// client, nothing that appeared is taken back, and the last is what a buffered
// run gives.
func TestEveryCutGivesTheSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		doc := asJSON(t, randomKitchen(rnd))
		var cut []string
		for rest := doc; rest != ""; {
			n := min(1+rnd.IntN(12), len(rest))
			for n < len(rest) && rest[n]&0xC0 == 0x80 {
				n++
			}
			cut, rest = append(cut, rest[:n]), rest[n:]
		}
		from := oldKitchen
		if i%3 == 0 {
			from = "{}"
		}
		m := &mirror{t: t, doc: []byte(from)}
		title := ""
		for e := range chat.Events(t.Context(), kitchen(aguitest.NewModel(aguitest.Text(cut...)), state.Generation[Kitchen]{Order: state.Instead}), inputWith(from), quiet) {
			m.see(e)
			var k Kitchen
			must(t, json.Unmarshal(m.doc, &k))
			if k.Dish.Title != "Old" {
				if !strings.HasPrefix(k.Dish.Title, title) {
					t.Errorf("%q was taken back to %q", title, k.Dish.Title)
				}
				title = k.Dish.Title
			}
			if failed, ok := e.(*agui.RunError); ok {
				t.Fatalf("%s: %s", failed.Message, doc)
			}
		}
		var got, want Kitchen
		must(t, json.Unmarshal(m.doc, &got))
		must(t, json.Unmarshal([]byte(doc), &want))
		if asJSON(t, got) != asJSON(t, want) {
			t.Fatalf("\n got %s\nwant %s", asJSON(t, got), asJSON(t, want))
		}
	}
}

func randomKitchen(rnd *rand.Rand) Kitchen {
	word := func() string {
		var b strings.Builder
		for range rnd.IntN(20) {
			b.WriteString([]string{"a", "é", "🍮", `"`, `\`, "<", "\n", " ", "x"}[rnd.IntN(9)])
		}
		return b.String()
	}
	k := Kitchen{Notes: word(), Dish: Dish{Title: word(), Level: []string{"Easy", "Hard"}[rnd.IntN(2)], Time: rnd.IntN(1000) - 500, Parts: []Part{}, Steps: []string{}}}
	for range rnd.IntN(4) {
		k.Dish.Parts = append(k.Dish.Parts, Part{word(), word()})
		k.Dish.Steps = append(k.Dish.Steps, word())
	}
	return k
}

// A run that brings a result or an answer has nothing new to carry out.
func TestGenerateWaitsForThePerson(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("ok"), aguitest.Text("ok"))
	inner := kitchen(model, state.Generation[Kitchen]{})
	client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		_, ctx, _ = chat.TakeResume(ctx, "i")
		return inner.Stream(ctx, req)
	})
	in := inputWith(oldKitchen)
	in.Messages = append(in.Messages,
		agui.Message{ID: "a", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c", Name: "confirm", Arguments: "{}"}}},
		agui.ToolMessage("c", "yes"))
	resumed := inputWith(oldKitchen)
	resumed.Resume = []agui.ResumeEntry{{InterruptID: "i", Status: agui.ResumeResolved}}
	for _, in := range []*agui.RunAgentInput{in, resumed} {
		wantTypes(t, runChain(t, client, in), agui.TypeRunStarted, agui.TypeTextMessageStart, agui.TypeTextMessageContent, agui.TypeTextMessageEnd, agui.TypeRunFinished)
	}
}

// Null is a value where the type says so, and an absent member where it does
// not.
func TestGenerateTakesNull(t *testing.T) {
	type due struct {
		Day int `json:"day"`
	}
	type task struct {
		Title string `json:"title"`
		Level string `json:"level" enum:"low,high"`
		Note  string `json:"note,omitempty"`
		Due   *due   `json:"due"`
		Any   any    `json:"any"`
	}
	const before = `{"title":"a","level":"low","note":"keep","due":{"day":1},"any":[1]}`
	for name, c := range map[string]struct {
		merge       bool
		wrote, want string
	}{
		"null is written":             {false, `{"title":"b","level":"low","note":null,"due":null,"any":null}`, `{"title":"b","level":"low","due":null,"any":null}`},
		"merge keeps":                 {true, `{"title":"b"}`, `{"title":"b","level":"low","note":"keep","due":{"day":1},"any":[1]}`},
		"merge takes null for absent": {true, `{"title":"b","level":null,"note":null}`, `{"title":"b","level":"low","note":"keep","due":{"day":1},"any":[1]}`},
		"merge writes null":           {true, `{"due":null}`, `{"title":"a","level":"low","note":"keep","due":null,"any":[1]}`},
		"merge fits the schema":       {true, `{"level":"middling"}`, before},
	} {
		t.Run(name, func(t *testing.T) {
			client := chat.NewBuilder(aguitest.NewModel(aguitest.Text(pieces(c.wrote, 5)...))).Use(state.Share[task]()).
				Use(state.Generate(state.Generation[task]{Order: state.Instead, Merge: c.merge, Every: -1})).Build()
			m := &mirror{t: t, doc: []byte(before)}
			m.see(runChain(t, client, inputWith(before))...)
			m.holds(c.want)
		})
	}
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "is no object to merge into") {
			t.Errorf("panicked with %q", s)
		}
	}()
	state.Generate(state.Generation[Kitchen]{Target: "/dish/steps", Merge: true})
}

// A target below what is not there makes it.
func TestGenerateBelowNothing(t *testing.T) {
	type inner struct {
		Steps []string `json:"steps"`
	}
	type outer struct {
		Inner *inner           `json:"inner"`
		More  map[string]inner `json:"more"`
	}
	for target, want := range map[string]string{
		"/inner/steps":  `{"inner":{"steps":["a"]},"more":{}}`,
		"/more/x/steps": `{"inner":null,"more":{"x":{"steps":["a"]}}}`,
	} {
		client := chat.NewBuilder(aguitest.NewModel(aguitest.Text(pieces(`{"value":["a"]}`, 3)...))).Use(state.Share[outer]()).
			Use(state.Generate(state.Generation[outer]{Order: state.Instead, Target: target, Every: -1})).Build()
		m := &mirror{t: t}
		m.see(runChain(t, client, inputWith("{}"))...)
		m.holds(want)
	}
}
