package standin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

// amounts in pairs: as the state has them, and doubled by hand.
var doubled = [][2]string{
	{"2 cups", "4 cups"}, {"1/2 tsp", "1 tsp"}, {"1 1/2 cups", "3 cups"}, {"½", "1"}, {"1½ dl", "3 dl"}, {"0.25 kg", "0.5 kg"},
	{"2-3 sprigs", "4-6 sprigs"}, {"3/4 cup", "1 1/2 cup"}, {"1,5 l", "3 l"}, {"1,25 l", "2,5 l"}, {"250g", "500g"}, {"1 (400 g) can", "2 (400 g) can"},
	{"to taste", "to taste"}, {"a pinch", "a pinch"}, {"", ""}, {"about 7 drops", "about 14 drops"}, {"2 to 4 leaves", "4 to 8 leaves"}, {"⅓ cup", "⅔ cup"},
	{"1,000 g", "2000 g"}, {"2 x 150 g", "4 x 150 g"}, {"½–¾ cup", "1–1½ cup"},
}

// invent makes up a name that no code can know.
func invent(r *rand.Rand) string {
	syllables := []string{"zor", "bla", "quim", "fex", "tru", "mib", "vask", "ghel", "plon", "dwy", "snar", "kiv"}
	var words []string
	for range 1 + r.IntN(2) {
		w := ""
		for range 2 + r.IntN(2) {
			w += syllables[r.IntN(len(syllables))]
		}
		words = append(words, upperFirst(w))
	}
	return strings.Join(words, " ")
}

func inventState(r *rand.Rand) (before, after doc) {
	before.Recipe = dishDoc{Title: invent(r), SkillLevel: "Beginner", CookingTime: "45 min", Preferences: []string{"Spicy"}, Instructions: []string{"Do what has to be done."}}
	seen := map[string]bool{}
	for len(before.Recipe.Ingredients) < 20 {
		name := invent(r)
		if seen[name] {
			continue
		}
		seen[name] = true
		before.Recipe.Ingredients = append(before.Recipe.Ingredients, ingredientDoc{"🧩", name, ""})
	}
	after = before
	after.Recipe.Ingredients = append([]ingredientDoc(nil), before.Recipe.Ingredients...)
	for i, j := range r.Perm(len(doubled))[:20] {
		before.Recipe.Ingredients[i].Amount, after.Recipe.Ingredients[i].Amount = doubled[j][0], doubled[j][1]
	}
	return before, after
}

func TestAnswersFromStateNeverSeen(t *testing.T) {
	_, c := start(t, nil)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		before, want := inventState(r)

		t.Run(fmt.Sprint("list/", seed), func(t *testing.T) {
			got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(before), user("list all the ingredients")}})
			for _, in := range before.Recipe.Ingredients {
				if !strings.Contains(got.text, in.Name) || !strings.Contains(got.text, in.Amount) {
					t.Errorf("%+v is not in %q", in, got.text)
				}
			}
		})
		t.Run(fmt.Sprint("double/", seed), func(t *testing.T) {
			if got := next(t, c, before, "double it"); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
		t.Run(fmt.Sprint("one/", seed), func(t *testing.T) {
			in := before.Recipe.Ingredients[r.IntN(20)]
			got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{user("How much " + in.Name + " do I need?"), carrier(before)}})
			if !strings.Contains(got.text, in.Name) || !strings.Contains(got.text, in.Amount) {
				t.Errorf("%+v is not in %q", in, got.text)
			}
		})
	}
}

// What the tests call things must not stand in the code that answers.
func TestNoNameOfATestInTheCode(t *testing.T) {
	var code strings.Builder
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(b)
	}
	all := strings.ToLower(code.String())
	names := []string{"Beef Tacos", "Moonberry", "Gooseberry", "Sunday Feast"}
	for seed := range uint64(20) {
		before, _ := inventState(rand.New(rand.NewPCG(seed, 7)))
		names = append(names, before.Recipe.Title)
		for _, in := range before.Recipe.Ingredients {
			names = append(names, in.Name)
		}
	}
	for _, n := range names {
		if strings.Contains(all, strings.ToLower(n)) {
			t.Errorf("the code knows %q", n)
		}
	}
}

func TestNewestStateCounts(t *testing.T) {
	_, c := start(t, nil)
	old, now := taco(), taco()
	old.Recipe.Title, now.Recipe.Title = "Yesterday's Pot", "Today's Pot"
	now.Recipe.Ingredients[0].Amount = "750 g"
	bare, err := json.Marshal(now.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(now)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string][]openai.ChatCompletionMessage{
		"system":        {carrier(old), user("what is it called?"), carrier(now)},
		"developer":     {carrier(old), user("what is it called?"), {Role: "developer", Content: "State: " + string(whole)}},
		"user":          {carrier(old), user("what is it called?"), user(string(whole))},
		"bare recipe":   {carrier(old), user("what is it called?"), system("The recipe: " + string(bare) + " That is all.")},
		"other braces":  {carrier(old), user("what is it called?"), system("Use {placeholders} and {\"a\":1}. " + string(whole) + " {")},
		"wish and all":  {user("what is it called?\n" + string(whole))},
		"content parts": {carrier(old), {Role: "user", MultiContent: []openai.ChatMessagePart{{Type: "text", Text: "what is it "}, {Type: "text", Text: "called?"}}}, carrier(now)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, c, openai.ChatCompletionRequest{Messages: m}); !strings.Contains(got.text, "Today's Pot") {
				t.Errorf("got %q", got.text)
			}
		})
	}
	t.Run("what changed", func(t *testing.T) {
		got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(old), user("what changed?"), carrier(now)}})
		if want := "The title went from Yesterday's Pot to Today's Pot; the amount of ground beef went from 500 g to 750 g."; got.text != want {
			t.Errorf("got %q, want %q", got.text, want)
		}
	})
}

func TestKeepsWhatItDoesNotKnow(t *testing.T) {
	_, c := start(t, nil)
	state := `{"rev":12345678901234567890,"recipe":{"x":{"y":null},"title":"T","servings":2,"ingredients":[{"name":"Plum","amount":"3","id":"p1"}],"instructions":["Eat."]},"tail":[1.50]}`
	got := ask(t, c, openai.ChatCompletionRequest{
		Messages:       []openai.ChatCompletionMessage{system(state + " Answer in JSON."), user("double it")},
		ResponseFormat: &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject},
	})
	want := `{"rev":12345678901234567890,"recipe":{"x":{"y":null},"title":"T","servings":4,"ingredients":[{"name":"Plum","amount":"6","id":"p1","icon":""}],"instructions":["Eat."],"skill_level":"","cooking_time":"","special_preferences":[]},"tail":[1.50]}`
	if got.text != want {
		t.Errorf("got  %s\nwant %s", got.text, want)
	}
}

func TestSummaryDoesNotChangeTwice(t *testing.T) {
	_, c := start(t, nil)
	for says, done := range map[string]bool{
		"Please give a concise summary of the state changes.": true,
		"Summarize what changed in one sentence.":             true,
		"The state has just been updated as the user wished.": true,
		"Be brief.": false,
		"Do not give a summary unless you are asked.": false,
	} {
		got := ask(t, c, openai.ChatCompletionRequest{
			Messages: []openai.ChatCompletionMessage{user("double it"), carrier(taco()), system(says)},
			Tools:    tools(t, scaleTool, addTool),
		})
		if (len(got.calls) == 0) != done || done && !strings.Contains(got.text, "Ground Beef (500 g)") {
			t.Errorf("%s: got %+v", says, got)
		}
	}
}
