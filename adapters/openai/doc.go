// Package openai is the chat completions wire of OpenAI, spoken by many
// servers, as a [chat.Client], on the go-openai SDK.
package openai
