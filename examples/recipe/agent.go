package main

import (
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// [agent]

// newAgent builds the recipe's chain around a model: the model writes the new
// recipe as JSON, which fills the form while it is written, and then says in
// the chat what it did.
func newAgent(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[State](state.Default(blank))).
		Use(state.Generate(state.Generation[State]{
			Instructions: "You keep a recipe together with the user.",
			Answer: "You keep a recipe together with the user, who sees it in a form next to this chat. " +
				"The wish in the user's last message has been carried out: the current state shows it. " +
				"Answer in one to three sentences of plain text: say what the recipe is now or answer the question. " +
				"Do not list the whole recipe unless asked to.",
			Retries: 1,
		})).
		Build()
}

// [end]
