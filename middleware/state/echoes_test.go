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

// A model that writes what it was shown beyond S changes nothing by it; one
// that invents members has written no state.
func TestGenerateIgnoresEchoes(t *testing.T) {
	const dish = `{"title":"New","level":"Hard","time":1,"parts":[{"id":7,"icon":"🥕","name":"Carrot"}],"steps":[]}`
	whole := func(theme string) string { return `{` + theme + `"dish":` + dish + `,"notes":"new"}` }
	const refused = "it does not fit the schema: "
	for name, c := range map[string]struct {
		o       state.Generation[Kitchen]
		options []state.Option
		wrote   string
		want    string // "" is the state before
		message string
	}{
		"as it was":       {wrote: whole(`"theme":"dark",`), want: whole(``)},
		"changed":         {wrote: whole(`"theme":{"light":[1]},`), want: whole(``)},
		"left out":        {wrote: whole(``), want: whole(``)},
		"in the target":   {o: state.Generation[Kitchen]{Target: "/dish"}, wrote: dish, want: `{"dish":` + dish + `,"notes":"keep"}`},
		"in a list":       {o: state.Generation[Kitchen]{Target: "/dish/parts"}, wrote: `{"value":[{"icon":"🥕","name":"Carrot","id":7},{"icon":"🥚","name":"Egg","id":8}]}`, want: strings.Replace(strings.Replace(oldKitchen, `,"id":7}`, `},{"icon":"🥚","name":"Egg"}`, 1), `"theme":"dark",`, ``, 1)},
		"in what changes": {o: state.Generation[Kitchen]{Merge: true}, wrote: `{"theme":"dark","notes":"new"}`, want: strings.Replace(oldKitchen, "keep", "new", 1)},
		"joined": {o: state.Generation[Kitchen]{Join: func(k *Kitchen, raw json.RawMessage) error {
			k.Notes = string(raw)
			return nil
		}}, wrote: whole(`"theme":"dark",`), want: strings.Replace(oldKitchen, `"keep"`, asJSON(t, strings.Replace(whole(``), `"id":7,`, ``, 1)), 1)},
		"invented":         {wrote: whole(`"colour":"dark",`), message: refused + `validating root: unexpected additional properties ["colour"]`},
		"in another place": {o: state.Generation[Kitchen]{Target: "/dish"}, wrote: `{"theme":"dark",` + dish[1:], message: refused + `validating root: unexpected additional properties ["theme"]`},
		"hidden":           {options: []state.Option{state.Hide("/theme")}, wrote: whole(`"theme":"dark",`), message: refused + `validating root: unexpected additional properties ["theme"]`},
		"null":             {wrote: `{"theme":"dark","dish":null,"notes":""}`, message: refused + `validating root: validating /properties/dish: it is null, want "object"`},
	} {
		t.Run(name, func(t *testing.T) {
			model := aguitest.NewModel(aguitest.Text(pieces(c.wrote, 5)...), aguitest.Text("ok"))
			events, m := generating(t, model, c.o, c.options...)
			want := c.want
			if want == "" {
				want = oldKitchen
			}
			m.holds(withUnknown(t, want, oldKitchen))
			message := ""
			if e, ok := events[len(events)-1].(*agui.RunError); ok {
				message = e.Message
			}
			if c.message != "" {
				c.message = "The state stayed as it was: " + c.message + "."
			}
			if message != c.message {
				t.Errorf("ended with %q, want %q", message, c.message)
			}
			if told := model.Requests()[0].Outgoing[0].Content.Text(); !strings.Contains(told, "leave it out") {
				t.Errorf("the model is told %s", told)
			}
		})
	}
}

// What one member of a map has beyond its type may be written of any.
func TestGenerateIgnoresEchoesInMaps(t *testing.T) {
	type box struct {
		N int `json:"n"`
	}
	type shelf struct {
		Boxes map[string]*box `json:"boxes"`
		Any   map[string]any  `json:"any"`
	}
	const before = `{"boxes":{"a/b":{"n":1,"x":1}},"any":{"x":1}}`
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text(`{"boxes":{"a/b":{"n":2,"x":1},"c":{"x":3,"n":3}},"any":{"y":1}}`))).
		Use(state.Share[shelf]()).Use(state.Generate(state.Generation[shelf]{Order: state.Instead})).Build()
	m := &mirror{t: t, doc: []byte(before)}
	m.see(runChain(t, client, inputWith(before))...)
	m.holds(`{"boxes":{"a/b":{"n":2,"x":1},"c":{"n":3}},"any":{"y":1}}`)
}
