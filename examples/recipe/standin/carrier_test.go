package standin

import (
	"encoding/json"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/state"
)

// told is the message that tells the state as the library has it.
func told(t *testing.T, doc string) openai.ChatCompletionMessage {
	t.Helper()
	m, err := state.Prompt(json.RawMessage(doc))
	if err != nil {
		t.Fatal(err)
	}
	if m.Role != agui.RoleUser {
		t.Fatalf("the role is %s", m.Role)
	}
	return user(m.Content.Text())
}

func says(s string) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: "assistant", Content: s}
}

// Whatever the document of the carrier holds is the state, and nothing else is.
func TestCarrierByItsShape(t *testing.T) {
	_, c := start(t, nil)
	const plum = `{"recipe":{"title":"Plum Pot","ingredients":[{"icon":"","name":"Plum","amount":"3"}],"instructions":["Eat."]}}`
	const another = `{"recipe":{"title":"Another","ingredients":[{"icon":"","name":"Pear","amount":"1"}],"instructions":["Wait."]}}`
	type messages = []openai.ChatCompletionMessage
	for _, tt := range []struct {
		name     string
		messages messages
		want     string // part of the JSON
		not      string // no part of it
	}{
		{"no recipe", messages{user("call it Night Bites"), told(t, `{"theme":"dark"}`)}, `{"theme":"dark","recipe":{"title":"Night Bites"`, ""},
		{"an id alone", messages{user("call it Night Bites"), told(t, `{"id":1}`)}, `{"id":1,"recipe":{"title":"Night Bites"`, ""},
		{"another case", messages{user("call it Night Bites"), told(t, `{"Recipe":{}}`)}, `{"Recipe":{},"recipe":{"title":"Night Bites"`, ""},
		{"a title that is not the recipe's", messages{user("add 2 eggs"), told(t, `{"title":"My App"}`)}, `{"title":"My App","recipe":{"title":""`, ""},
		{"what looks like a schema", messages{user("call it Night Bites"), told(t, `{"type":"object","properties":{}}`)}, `"recipe":{"title":"Night Bites"`, ""},
		{"null", messages{user("call it Night Bites"), told(t, `null`)}, `{"recipe":{"title":"Night Bites"`, ""},
		{"the newest counts", messages{told(t, plum), says("yes"), user("call it Night Bites"), told(t, `{"theme":"dark"}`)}, `{"theme":"dark","recipe":{"title":"Night Bites"`, "Plum"},
		{"an older one without a recipe is no wish", messages{user("call it Night Bites"), told(t, `{"theme":"light"}`), told(t, plum)}, `{"recipe":{"title":"Night Bites"`, "theme"},
		{"JSON of a person's is a wish", messages{user("double it"), says("Done."), user(another), told(t, plum)}, `"amount":"3"`, "Another"},
		{"and no state", messages{user(another), says("?"), user("double it"), told(t, plum)}, `"amount":"6"`, "Another"},
		{"wish and state in one", messages{user("double it\n```json\n" + another + "\n```"), says("Done."), user("call it Night Bites\n```json\n" + plum + "\n```")}, `{"recipe":{"title":"Night Bites","ingredients":[{"icon":"","name":"Plum","amount":"3"}]`, ""},
		{"from the application", messages{user("double it"), system("State:\n```json\n" + plum + "\n```\n")}, `"amount":"6"`, ""},
		{"corrected by the user", messages{user("double it"), says(`{"recipe":{"title":`), user("That is not the state: it was cut. Write it again, whole."), told(t, plum)}, `"amount":"6"`, ""},
		{"corrected by the system", messages{user("double it"), says("No."), system(`That is not the state: it does not fit: {"recipe":{"title":"Wrong"}} has been changed already. Write it again, whole.`), told(t, plum)}, `"amount":"6"`, "Wrong"},
		{"corrected twice, without an answer", messages{user("double it"), user("That is not the state: it is empty. Write it again, whole."), user("That is not the state: it is empty. Write it again, whole."), told(t, plum)}, `"amount":"6"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, c, openai.ChatCompletionRequest{Messages: tt.messages, ResponseFormat: &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}})
			if !strings.Contains(got.text, tt.want) || tt.not != "" && strings.Contains(got.text, tt.not) {
				t.Errorf("got %s\nwant %s, not %q", got.text, tt.want, tt.not)
			}
		})
	}
}

// A correction is not answered: what was wished before it is.
func TestCorrectionIsNoWish(t *testing.T) {
	_, c := start(t, nil)
	doc, err := json.Marshal(taco())
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, c, openai.ChatCompletionRequest{
		Messages: []openai.ChatCompletionMessage{user("list all the ingredients"), says("{"), user("That is not the state: it was cut. Write it again, whole."), told(t, string(doc))},
	})
	if !strings.Contains(got.text, "- Ground Beef (500 g)") {
		t.Errorf("got %q", got.text)
	}
	// The first thing a person says is a wish, whatever it sounds like.
	got = ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{user("That is not the state: write it again"), told(t, string(doc))}})
	if !strings.Contains(got.text, "did not understand “That is not the state") {
		t.Errorf("got %q", got.text)
	}
}
