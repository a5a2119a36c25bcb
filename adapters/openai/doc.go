// Package openai is the chat completions wire as a [chat.Client], on the
// go-openai SDK: OpenAI, Azure, Ollama, vLLM, llama.cpp, OpenRouter, LiteLLM,
// DeepSeek, DashScope, and whoever else speaks it.
//
//	client := openai.New("gpt-5-mini", nil)                       // OPENAI_API_KEY
//	client := openai.New("llama3.2", &openai.Options{BaseURL: "http://localhost:11434/v1"})
//
// [New] is the whole of it. [FromClient] takes a client of the SDK that you
// have configured yourself, best with a [Doer] in it; [Updates] takes a stream
// that you have opened.
//
// # What is sent
//
// The messages are those of [chat.Request.Outgoing], and nothing else. System
// and developer messages have the role that the model's family takes. An
// assistant that only calls has the content null; an empty tool result says so
// in words; the arguments of earlier calls are a JSON object, whatever the
// model wrote. Tool names that the wire does not allow are translated there
// and back. Images, audio and files have the parts of OpenAI, audio and video
// by address those of vLLM; the media of a tool's result follow in a user
// message. What cannot be sent is an error that names message and part.
//
// The number of tokens is max_completion_tokens for the reasoning models of
// OpenAI and max_tokens for others. Temperature 0 and seed 0 are sent. The
// members of Options.Extra are set in the request's body, and win; nil removes
// one. stream_options asks for usage, until the server refuses it.
//
// # What comes back
//
// Every chunk is one update, with the chunk in Raw, and one more has the usage
// and the finish reason. Text is whole characters; a refusal is text.
// reasoning_content, reasoning and reasoning_details are reasoning, once.
// Opaque reasoning goes into EncryptedReasoning, and is sent back from the
// messages and calls that carry it. The pieces of tool calls are told apart by
// index, id and name, as far as a server gives them, and each delta has an id
// that is unique in the conversation. The finish reason is tool_calls if and
// only if there are calls and the turn ended well: a server that says so and
// calls nothing, as some do whose parser lost the call, has stopped.
//
// A stream without a finish reason is an error, wherever it breaks off, and so
// is an error in the stream in any of the shapes that servers have for it.
//
// An error is a [chat.Error] with a code of package chat and a text that may be
// shown; what a server says of it is for the log only. When nothing came for
// Options.IdleTimeout the code is [chat.CodeTimeout] and the cause wraps
// [ErrIdle]. When the context has ended the error wraps its cause and is no
// chat.Error: the caller knows best.
//
// # Another SDK
//
// An adapter is one method. The example "anotherSDK" is a whole one: it sends
// messages, tools and a format, yields text, calls and usage, and takes a cut
// stream for an error. [aguitest.TestClient] tells whether yours keeps the
// laws.
//
// The Responses API of OpenAI is not covered: models that call tools only
// there need an adapter of their own.
//
// [aguitest.TestClient]: https://pkg.go.dev/github.com/aguistate/aguistate/middleware/aguitest#TestClient
package openai
