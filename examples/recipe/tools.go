package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// newWithTools builds the agent that changes the recipe by small tools. Its
// page offers one more, confirm_deletion, which asks the person in the browser:
// the run ends with that call, and the next one brings the answer.
//
// One tool waits for a person's approval. The answer may come to another
// process than the one that asked, if both have the key.
func newWithTools(model chat.Client, key []byte) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[State](state.Default(blank))).
		Use(state.Predict[State]("write_recipe", state.Prediction[State]{Argument: "recipe", Target: "/recipe"})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: recipeTools(), Key: key})).
		Use(instructions(toolInstructions)).
		Build()
}

const toolInstructions = "You keep a recipe together with the user, who sees it in a form next to this chat. " +
	"Carry out what the user's last message wishes with the tools, the smallest that will do, and only what it wishes. " +
	"Before remove_ingredient, ask with confirm_deletion, if you have it, and leave things alone if the answer is no. " +
	"When it is done, say in one to three sentences of plain text what the recipe is now, or answer the question."

// instructions puts instructions before the conversation of every model call.
func instructions(text string) chat.Middleware {
	return func(next chat.Client) chat.Client { return &instructed{chat.Delegating{Client: next}, text} }
}

type instructed struct {
	chat.Delegating
	text string
}

func (i *instructed) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return i.Client.Stream(ctx, instruct(req, i.text))
}

// approvalTime is how long the answer to a question is taken.
const approvalTime = time.Hour

// recipeTools are the tools that run here. What each changes is published when
// it returns; what it returns is told to the model.
func recipeTools() []chat.Tool {
	type named struct {
		Name string `json:"name" jsonschema:"as the recipe calls it"`
	}
	type titled struct {
		Title string `json:"title" jsonschema:"the new title"`
	}
	type fresh struct {
		Title string `json:"title" jsonschema:"what the new recipe is called, empty if nothing was said"`
	}
	return []chat.Tool{
		state.Tool("write_recipe", "Writes the whole recipe: a new one, or one that changes in many places.", writeWhole),
		state.Tool("add_ingredient", "Adds an ingredient, or changes its amount if it is there.", addIngredient),
		state.Tool("remove_ingredient", "Removes an ingredient.", func(_ context.Context, s *State, in named) (string, error) {
			i := s.Recipe.find(in.Name)
			if i < 0 {
				return "", toolError("the recipe has no ingredient %q", in.Name)
			}
			removed := s.Recipe.Ingredients[i].Name
			s.Recipe.Ingredients = slices.Delete(s.Recipe.Ingredients, i, i+1)
			return fmt.Sprintf("removed %s", removed), nil
		}),
		state.Tool("scale", "Multiplies every amount.", scale),
		state.Tool("set_title", "Gives the recipe another title.", func(_ context.Context, s *State, in titled) (string, error) {
			s.Recipe.Title = in.Title
			return fmt.Sprintf("the title is %q", in.Title), nil
		}),
		chat.RequireApproval(
			state.Tool("start_over", "Clears the recipe, all of it, to start a new one. The user is asked for approval before it runs, so do not ask yourself.",
				func(_ context.Context, s *State, in fresh) (string, error) {
					s.Recipe = blank.Recipe
					if in.Title != "" {
						s.Recipe.Title = in.Title
					}
					return "the recipe is empty", nil
				}),
			askToStartOver, approvalTime),
	}
}

type whole struct {
	Recipe Recipe `json:"recipe"`
}

func writeWhole(_ context.Context, s *State, in whole) (string, error) {
	s.Recipe = in.Recipe
	return fmt.Sprintf("the recipe is written: %s", contents(&s.Recipe)), nil
}

func addIngredient(_ context.Context, s *State, in Ingredient) (string, error) {
	if strings.TrimSpace(in.Name) == "" {
		return "", toolError("the ingredient has no name")
	}
	if i := s.Recipe.find(in.Name); i >= 0 {
		s.Recipe.Ingredients[i].Amount = in.Amount
		return fmt.Sprintf("the amount of %s is %s", s.Recipe.Ingredients[i].Name, in.Amount), nil
	}
	s.Recipe.Ingredients = append(s.Recipe.Ingredients, in)
	return fmt.Sprintf("added %s", in.Name), nil
}

type scaling struct {
	Factor float64 `json:"factor" jsonschema:"2 doubles the recipe, 0.5 halves it"`
}

func scale(_ context.Context, s *State, in scaling) (string, error) {
	if in.Factor <= 0 || in.Factor > 1000 {
		return "", toolError("the factor is more than 0 and at most 1000, not %v", in.Factor)
	}
	// As it is written: 0.1 is a tenth, not the binary fraction next to it.
	text := strconv.FormatFloat(in.Factor, 'f', -1, 64)
	factor, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", toolError("the factor %v is no number", in.Factor)
	}
	for i := range s.Recipe.Ingredients {
		s.Recipe.Ingredients[i].Amount = quantity.Scale(s.Recipe.Ingredients[i].Amount, factor)
	}
	return fmt.Sprintf("every amount is %s times what it was", text), nil
}

// askToStartOver is what the person reads. The call alone is known here, not
// the state: the page shows that beside the question.
func askToStartOver(call agui.ToolCall) string {
	var in struct{ Title string }
	if err := json.Unmarshal([]byte(call.Arguments), &in); err == nil && in.Title != "" {
		return fmt.Sprintf("Clear the recipe and start one called “%s”? Its title, ingredients, steps and preferences will be lost.", in.Title)
	}
	return "Clear the recipe? Its title, ingredients, steps and preferences will be lost."
}

// toolError is an error that the model may read.
func toolError(format string, a ...any) error {
	text := fmt.Sprintf(format, a...)
	return &chat.Error{Code: chat.CodeAgent, Message: text}
}

// find returns the place of the ingredient that goes by a name, or -1.
func (r *Recipe) find(name string) int {
	name = strings.TrimSpace(name)
	return slices.IndexFunc(r.Ingredients, func(in Ingredient) bool { return strings.EqualFold(strings.TrimSpace(in.Name), name) })
}

func contents(r *Recipe) string {
	return fmt.Sprintf("%d ingredients, %d steps", len(r.Ingredients), len(r.Instructions))
}
