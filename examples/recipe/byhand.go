package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// newByHand builds the same agent as newAgent around a middleware of one's
// own, to show how one is written.
func newByHand(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[State](state.Default(blank))).
		Use(writeRecipe).
		Build()
}

// [by-hand]

// writeRecipe is a middleware of one's own, in the style of .NET's delegating
// chat clients: it calls the next client twice, first for the new recipe as
// JSON, which becomes the state, then for a summary, which becomes the text.
func writeRecipe(next chat.Client) chat.Client {
	return &recipeWriter{Delegating: chat.Delegating{Client: next}, format: chat.FormatFor[State]("recipe", "The whole recipe.")}
}

type recipeWriter struct {
	chat.Delegating
	format *chat.ResponseFormat
}

// [end]

const (
	writeInstructions = "You keep a recipe together with the user. Answer with the whole recipe as JSON, changed as the user's " +
		"last message wishes. Keep everything that the wish does not touch exactly as it is, and everything if there is nothing to change."
	summaryInstructions = "You keep a recipe together with the user, who sees it in a form next to this chat. " +
		"The wish in the user's last message has been carried out: the current state shows it. Answer in one to three sentences of plain text: " +
		"say what the recipe is now or answer the question. Do not list the whole recipe unless asked to."
)

// [by-hand-stream]

// Stream makes the two calls.
func (w *recipeWriter) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		if _, ok := chat.InputFrom(ctx); !ok {
			yield(nil, fmt.Errorf("recipe: the chain runs outside an AG-UI run"))
			return
		}
		usage, err := w.write(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		// No text: the state goes out before the summary is even asked for.
		if !yield(&chat.Update{Usage: usage}, nil) {
			return
		}
		for u, err := range w.Client.Stream(ctx, instruct(req, summaryInstructions)) {
			if !yield(u, err) {
				return
			}
		}
	}
}

// write asks for the new recipe and makes it the state. Of this call the
// client sees nothing but the state.
func (w *recipeWriter) write(ctx context.Context, req *chat.Request) (*agui.TokenUsage, error) {
	session, err := state.Of[State](ctx)
	if err != nil {
		return nil, err
	}
	ask := instruct(req, writeInstructions)
	ask.Tools, ask.ToolChoice = nil, chat.ToolChoice{Mode: chat.ToolsNone}
	ask.ResponseFormat = w.format
	answer, err := chat.Collect(w.Client.Stream(ctx, ask))
	if err != nil {
		return nil, err
	}
	if answer.FinishReason != chat.FinishStop {
		return nil, &chat.Error{Code: "NO_RECIPE", Message: "The model did not finish the recipe, so it stays as it was.", Err: fmt.Errorf("finish reason %q", answer.FinishReason)}
	}
	var next State
	if err := json.Unmarshal([]byte(answer.Text()), &next); err != nil {
		return nil, &chat.Error{Code: "NO_RECIPE", Message: "The model's answer was no recipe, so it stays as it was.", Err: err}
	}
	var usage *agui.TokenUsage
	if len(answer.Usage) > 0 {
		usage = &answer.Usage[0]
	}
	return usage, session.Update(func(s *State) error { *s = next; return nil })
}

// [end]

// instruct returns the request with instructions before the conversation.
func instruct(req *chat.Request, text string) *chat.Request {
	c := req.Clone()
	c.Messages = append([]agui.Message{agui.SystemMessage(text)}, c.Messages...)
	return c
}
