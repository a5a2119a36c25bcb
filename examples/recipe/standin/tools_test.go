package standin

import (
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

func TestTools(t *testing.T) {
	_, c := start(t, nil)
	plan := `{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}`
	for _, tt := range []struct {
		name, said string
		tools      []string
		choice     any
		parallel   any
		want       string // calls, one a line; "" for text
	}{
		{name: "add", said: "add 2 cups of spinach", tools: []string{addTool, removeTool, scaleTool}, want: `add_ingredient {"icon":"🥬","name":"Spinach","amount":"2 cups"}`},
		{name: "several in parallel", said: "add 2 cups of spinach, 1 onion and remove the eggs", tools: []string{addTool, removeTool, scaleTool},
			want: `add_ingredient {"icon":"🥬","name":"Spinach","amount":"2 cups"}` + "\n" + `add_ingredient {"icon":"🧅","name":"Onion","amount":"1"}` + "\n" + `remove_ingredient {"name":"Eggs"}`},
		{name: "one by one", said: "add 2 cups of spinach and 1 onion", tools: []string{addTool}, parallel: false, want: `add_ingredient {"icon":"🥬","name":"Spinach","amount":"2 cups"}`},
		{name: "scale", said: "scale it by 1.5", tools: []string{addTool, scaleTool}, want: `scale {"factor":1.5}`},
		{name: "for people", said: "for 6 people", tools: []string{scaleTool}, want: `scale {"factor":1.5}`},
		{name: "servings", said: "double it", tools: []string{`set_servings|Set the servings.|{"type":"object","properties":{"servings":{"type":"integer"}},"required":["servings"]}`}, want: `set_servings {"servings":8}`},
		{name: "replace by two", said: "replace butter with olive oil", tools: []string{addTool, removeTool}, want: `remove_ingredient {"name":"Butter"}` + "\n" + `add_ingredient {"icon":"🫒","name":"Olive oil","amount":"1 1/2 tbsp"}`},
		{name: "replace by one", said: "replace butter with olive oil", tools: []string{addTool, removeTool, `swapIngredient|Swap.|{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"]}`}, want: `swapIngredient {"from":"Butter","to":"olive oil"}`},
		{name: "confirm first", said: "remove the eggs", tools: []string{removeTool, confirmTool}, want: `confirm_deletion {"message":"Remove Eggs?","name":"Eggs"}`},
		{name: "confirm beside what needs none", said: "double it and remove the eggs", tools: []string{scaleTool, removeTool, confirmTool}, want: `confirm_deletion {"message":"Remove Eggs?","name":"Eggs"}` + "\n" + `scale {"factor":2}`},
		{name: "clear asks itself", said: "start over", tools: []string{clearTool, confirmTool, writeTool}, want: `start_over {"title":""}`},
		{name: "clear after a confirmation", said: "clear the recipe", tools: []string{`clear_recipe|Clears it.|{"type":"object","properties":{}}`, confirmTool}, want: `confirm_deletion {"message":"Remove the whole recipe?","name":"the whole recipe"}`},
		{name: "a list of things", said: "remove the eggs and the salt", tools: []string{`remove_items|Remove.|` + plan}, want: `remove_items {"names":["Eggs"]}` + "\n" + `remove_items {"names":["Salt"]}`},
		{name: "spoken name", said: "please publish the recipe", tools: []string{addTool, publishTool}, want: `publish_recipe {"title":"Beef Tacos"}`},
		{name: "rename", said: "call it Night Bites", tools: []string{`rename_recipe|Rename.|{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`}, want: `rename_recipe {"title":"Night Bites"}`},
		{name: "what the tools can do", said: "make it spicy and double it", tools: []string{scaleTool}, want: `scale {"factor":2}`},
		{name: "a question needs no tool", said: "how many eggs?", tools: []string{addTool, removeTool}},
		{name: "no tool fits", said: "double it", tools: []string{removeTool}},
		{name: "none", said: "add 2 cups of spinach", tools: []string{addTool}, choice: "none"},
		{name: "so already", said: "remove the saffron", tools: []string{removeTool}},
		{name: "required", said: "how many eggs?", tools: []string{addTool}, choice: "required", want: `add_ingredient {"name":"","amount":""}`},
		{name: "named", said: "double it", tools: []string{addTool, scaleTool}, choice: openai.ToolChoice{Type: "function", Function: openai.ToolFunction{Name: "scale"}}, want: `scale {"factor":2}`},
		{name: "no parameters", said: "get the weather", tools: []string{`get_weather|The weather.|{"type":"object","properties":{}}`}, want: `get_weather {}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, c, openai.ChatCompletionRequest{
				Messages: []openai.ChatCompletionMessage{carrier(taco()), user(tt.said)},
				Tools:    tools(t, tt.tools...), ToolChoice: tt.choice, ParallelToolCalls: tt.parallel,
			})
			var lines []string
			ids := map[string]bool{}
			for _, k := range got.calls {
				lines = append(lines, k.Function.Name+" "+k.Function.Arguments)
				ids[k.ID] = true
			}
			if s := strings.Join(lines, "\n"); s != tt.want || len(ids) != len(got.calls) {
				t.Errorf("got  %s\nwant %s\ntext %q", s, tt.want, got.text)
			}
			finish := openai.FinishReasonToolCalls
			if tt.want == "" {
				finish = openai.FinishReasonStop
			}
			if got.finish != finish || (got.text == "") == (tt.want == "") {
				t.Errorf("finish %q, text %q", got.finish, got.text)
			}
		})
	}
}

func TestWholeRecipeTool(t *testing.T) {
	_, c := start(t, nil)
	got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(taco()), user("make it vegan")}, Tools: tools(t, writeTool, addTool, removeTool)})
	if len(got.calls) != 1 || got.calls[0].Function.Name != "generate_recipe" {
		t.Fatalf("got %+v", got)
	}
	args := got.calls[0].Function.Arguments
	if !strings.HasPrefix(args, `{"recipe":{"title":"Lentil Tacos","skill_level":"Intermediate","cooking_time":"30 min","special_preferences":["Vegan","Vegetarian"],"ingredients":[{"icon":"🫘","name":"Lentils","amount":"500 g"}`) {
		t.Errorf("got %s", args)
	}
	doc := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(taco()), user("double it")},
		Tools: tools(t, `write_document|Write a document.|{"type":"object","properties":{"document":{"type":"string","description":"Markdown"}},"required":["document"]}`)})
	if len(doc.calls) != 1 || !strings.Contains(doc.calls[0].Function.Arguments, `# Beef Tacos\n`) || !strings.Contains(doc.calls[0].Function.Arguments, `- Eggs (4-6)`) {
		t.Errorf("got %+v", doc.calls)
	}
}

// After the results the answer is text that tells what came of each call.
func TestAfterResults(t *testing.T) {
	_, c := start(t, nil)
	called := func(name, args, result string) []openai.ChatCompletionMessage {
		return []openai.ChatCompletionMessage{
			{Role: "assistant", ToolCalls: []openai.ToolCall{{ID: "call_1", Type: "function", Function: openai.FunctionCall{Name: name, Arguments: args}}}},
			{Role: "tool", ToolCallID: "call_1", Content: result},
		}
	}
	after := taco()
	after.Recipe.Ingredients = append(after.Recipe.Ingredients, ingredientDoc{"🥬", "Spinach", "2 cups"})
	for _, tt := range []struct {
		name, said string
		past       []openai.ChatCompletionMessage
		state      doc
		tools      []string
		want       []string // parts of the text, or one "name args" of a call
		call       bool
	}{
		{name: "fine", said: "add 2 cups of spinach", past: called("add_ingredient", `{"icon":"🥬","name":"Spinach","amount":"2 cups"}`, "added"), state: after, tools: []string{addTool}, want: []string{"Done: add ingredient (Spinach, 2 cups).", "Spinach (2 cups) is in the recipe."}},
		{name: "failed", said: "add 2 cups of spinach", past: called("add_ingredient", `{"icon":"🥬","name":"Spinach","amount":"2 cups"}`, "error: the pantry is locked"), state: taco(), tools: []string{addTool}, want: []string{"This did not work: add ingredient (Spinach, 2 cups) (error: the pantry is locked).", "Spinach is not in the recipe."}},
		{name: "scaled once", said: "double it", past: called("scale", `{"factor":2}`, "ok"), state: taco(), tools: []string{scaleTool}, want: []string{"Done: scale (2)."}},
		{name: "written once", said: "make it vegan", past: called("generate_recipe", `{}`, "ok"), state: taco(), tools: []string{writeTool}, want: []string{"Done: generate recipe.", "is not vegan"}},
		{name: "confirmed", said: "remove the eggs", past: called("confirm_deletion", `{"message":"Remove Eggs?"}`, `{"confirmed":true}`), state: taco(), tools: []string{removeTool, confirmTool}, call: true, want: []string{`remove_ingredient {"name":"Eggs"}`}},
		{name: "said no", said: "remove the eggs", past: called("confirm_deletion", `{"message":"Remove Eggs?"}`, `{"confirmed":false}`), state: taco(), tools: []string{removeTool, confirmTool}, want: []string{"Not done, because you said no: confirm deletion (Remove Eggs?).", "Eggs (2-3) is still in the recipe."}},
		{name: "said no to one of two", said: "double it and remove the eggs", past: called("confirm_deletion", `{"message":"Remove Eggs?"}`, "no"), state: taco(), tools: []string{scaleTool, removeTool, confirmTool}, call: true, want: []string{`scale {"factor":2}`}},
		{name: "said no, and the rest takes the whole", said: "make it vegan and remove the salt", past: called("confirm_deletion", `{"message":"Remove Salt?"}`, "no"), state: taco(), tools: []string{writeTool, removeTool, confirmTool}, call: true, want: []string{"generate_recipe", `"name":"Salt"`, `"Vegan"`}},
		{name: "cleared once", said: "start over", past: called("start_over", `{"title":"Edited"}`, "the recipe is empty"), state: taco(), tools: []string{clearTool}, want: []string{"Done: start over (Edited)."}},
		{name: "clearing denied", said: "start over", past: called("start_over", `{"title":""}`, "The person denied this call. Their reason: not yet"), state: taco(), tools: []string{clearTool}, want: []string{"Not done, because you said no: start over."}},
		{name: "the next of two", said: "add 2 cups of spinach and 1 onion", past: called("add_ingredient", `{"icon":"🥬","name":"Spinach","amount":"2 cups"}`, "added"), state: after, tools: []string{addTool}, call: true, want: []string{`add_ingredient {"icon":"🧅","name":"Onion","amount":"1"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := append([]openai.ChatCompletionMessage{user(tt.said)}, tt.past...)
			got := ask(t, c, openai.ChatCompletionRequest{Messages: append(m, carrier(tt.state)), Tools: tools(t, tt.tools...)})
			text := got.text
			for _, k := range got.calls {
				text += k.Function.Name + " " + k.Function.Arguments
			}
			for _, w := range tt.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in %q", w, text)
				}
			}
			if (len(got.calls) == 1) != tt.call {
				t.Errorf("calls %+v, text %q", got.calls, got.text)
			}
		})
	}
}

func TestDoneByToolsIsNotDoneAgainInJSON(t *testing.T) {
	_, c := start(t, nil)
	m := []openai.ChatCompletionMessage{
		user("double it"),
		{Role: "assistant", ToolCalls: []openai.ToolCall{{ID: "a", Type: "function", Function: openai.FunctionCall{Name: "scale", Arguments: `{"factor":2}`}}}},
		{Role: "tool", ToolCallID: "a", Content: "ok"}, carrier(taco()),
	}
	got := ask(t, c, openai.ChatCompletionRequest{Messages: m, ResponseFormat: format(stateSchema)})
	if !strings.Contains(got.text, `"amount":"500 g"`) {
		t.Errorf("got %s", got.text)
	}
}
