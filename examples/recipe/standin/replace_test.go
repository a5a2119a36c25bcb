package standin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

const swapTool = `swapIngredient|Swap.|{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"]}`

// carried runs a wish to its end as the recipe's agent does: each turn sees the
// state that the calls before it left behind.
func carried(t *testing.T, c *openai.Client, state doc, wish string, parallel any, specs ...string) (doc, []string, string) {
	t.Helper()
	messages := []openai.ChatCompletionMessage{user(wish)}
	var calls []string
	for range 6 {
		raw, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		got := ask(t, c, openai.ChatCompletionRequest{Messages: append(slices.Clone(messages), told(t, string(raw))), Tools: tools(t, specs...), ParallelToolCalls: parallel})
		if len(got.calls) == 0 {
			return state, calls, got.text
		}
		messages = append(messages, openai.ChatCompletionMessage{Role: "assistant", ToolCalls: got.calls})
		for _, k := range got.calls {
			calls = append(calls, k.Function.Name+" "+k.Function.Arguments)
			messages = append(messages, openai.ChatCompletionMessage{Role: "tool", ToolCallID: k.ID, Content: execute(t, &state, k.Function)})
		}
	}
	t.Fatalf("%q does not come to an end: %q", wish, calls)
	return state, calls, ""
}

// execute does what the tools of the tests say they do.
func execute(t *testing.T, d *doc, f openai.FunctionCall) string {
	t.Helper()
	var in struct{ Name, Amount, From, To string }
	if err := json.Unmarshal([]byte(f.Arguments), &in); err != nil {
		t.Fatal(err)
	}
	list := &d.Recipe.Ingredients
	at := func(name string) int {
		return slices.IndexFunc(*list, func(i ingredientDoc) bool { return strings.EqualFold(i.Name, name) })
	}
	*list = slices.Clone(*list)
	switch f.Name {
	case "add_ingredient":
		*list = append(*list, ingredientDoc{"", in.Name, in.Amount})
		return "added"
	case "remove_ingredient", "swapIngredient":
		i := at(in.Name + in.From)
		if i < 0 {
			return "error: the recipe has no such ingredient"
		}
		if f.Name == "swapIngredient" {
			(*list)[i].Name = in.To
			return "swapped"
		}
		*list = slices.Delete(*list, i, i+1)
		return "removed"
	}
	t.Fatalf("no tool %q", f.Name)
	return ""
}

func TestSwapIsNotUndone(t *testing.T) {
	_, c := start(t, nil)
	const plain = "Ground Beef, Butter, Peanut Butter, Eggs, Chicken stock, Salt"
	oils := taco()
	oils.Recipe.Ingredients = []ingredientDoc{{"", "Oil", "1 dl"}, {"", "Salt", "1 g"}}
	olive := taco()
	olive.Recipe.Ingredients = []ingredientDoc{{"", "Olive oil", "1 dl"}, {"", "Salt", "1 g"}}
	both := taco()
	both.Recipe.Ingredients = []ingredientDoc{{"", "Oil", "1 dl"}, {"", "Olive oil", "1 g"}}
	for _, tt := range []struct {
		state      doc
		wish       string
		want       string // the names, in any order
		says       string
		calls      int // where two tools do it, in parallel
		callsByOne int // where one tool does it
	}{
		{taco(), "swap butter for margarine", strings.Replace(plain, "Butter", "Margarine", 1), "The recipe has margarine (1 1/2 tbsp), and no butter.", 2, 1},
		{taco(), "Swap the eggs for tofu, please", strings.Replace(plain, "Eggs", "Tofu", 1), "The recipe has tofu (2-3), and no eggs.", 2, 1},
		{taco(), "substitute margarine for butter", strings.Replace(plain, "Butter", "Margarine", 1), "The recipe has margarine (1 1/2 tbsp), and no butter.", 2, 1},
		{taco(), "substitute butter with margarine", strings.Replace(plain, "Butter", "Margarine", 1), "The recipe has margarine (1 1/2 tbsp), and no butter.", 2, 1},
		{taco(), "replace butter with margarine", strings.Replace(plain, "Butter", "Margarine", 1), "The recipe has margarine (1 1/2 tbsp), and no butter.", 2, 1},
		{taco(), "swap saffron for margarine", plain, "The recipe has no saffron to replace.", 0, 1},
		{oils, "swap oil for olive oil", "Olive oil, Salt", "The recipe has olive oil (1 dl)", 2, 1},
		{oils, "substitute olive oil for oil", "Olive oil, Salt", "The recipe has olive oil (1 dl)", 2, 1},
		{oils, "replace oil with olive oil", "Olive oil, Salt", "The recipe has olive oil (1 dl)", 2, 1},
		{olive, "substitute oil for olive oil", "Oil, Salt", "The recipe has oil (1 dl)", 2, 1},
		{olive, "swap olive oil for oil", "Oil, Salt", "The recipe has oil (1 dl)", 2, 1},
		{both, "remove the oil", "Olive oil", "", 1, 1},
		{both, "remove the olive oil and the oil", "", "", 2, 2},
	} {
		t.Run(tt.wish, func(t *testing.T) {
			for how, specs := range map[string][]string{"by two": {addTool, removeTool, scaleTool}, "one by one": {addTool, removeTool}, "by one": {addTool, removeTool, swapTool}} {
				var parallel any
				if how == "one by one" {
					parallel = false
				}
				got, calls, text := carried(t, c, tt.state, tt.wish, parallel, specs...)
				var names []string
				for _, in := range got.Recipe.Ingredients {
					names = append(names, upperFirst(in.Name))
				}
				slices.Sort(names)
				want := strings.Split(tt.want, ", ")
				slices.Sort(want)
				n := tt.calls
				if how == "by one" {
					n = tt.callsByOne
				}
				if strings.Join(names, ", ") != strings.Join(want, ", ") || len(calls) != n {
					t.Errorf("%s: got %v by %q", how, names, calls)
				}
				if how == "by two" && !strings.Contains(text, tt.says) {
					t.Errorf("%s: %q is not in %q", how, tt.says, text)
				}
			}
		})
	}
}

// What could not be taken out is not made up for, and nothing is tried twice.
func TestSwapThatFails(t *testing.T) {
	_, c := start(t, nil)
	raw, err := json.Marshal(taco())
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]string{"remove_ingredient": `{"name":"Butter"}`, "swapIngredient": `{"from":"Butter","to":"margarine"}`} {
		m := []openai.ChatCompletionMessage{
			user("swap butter for margarine"),
			{Role: "assistant", ToolCalls: []openai.ToolCall{{ID: "a", Type: "function", Function: openai.FunctionCall{Name: name, Arguments: args}}}},
			{Role: "tool", ToolCallID: "a", Content: "error: the pantry is locked"}, told(t, string(raw)),
		}
		specs := []string{addTool, removeTool}
		if name == "swapIngredient" {
			specs = append(specs, swapTool)
		}
		if got := ask(t, c, openai.ChatCompletionRequest{Messages: m, Tools: tools(t, specs...)}); len(got.calls) > 0 || !strings.Contains(got.text, "did not work") {
			t.Errorf("%s: %s", name, fmt.Sprint(got))
		}
	}
}
