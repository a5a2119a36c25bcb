// Package langchaingo joins langchaingo and the chain of chat clients, both
// ways.
//
//	model, err := openai.New(openai.WithHTTPClient(langchaingo.HTTPClient(nil))) // langchaingo's openai
//
//	client := langchaingo.New(model, nil)          // a model as a client
//	client := langchaingo.NewChain(executor, nil)  // a chain or an agent as a client
//	model := langchaingo.NewModel(client)          // a chain of ours as a model
//	tool := langchaingo.NewTool(tools.Calculator{}) // tools, and NewAgentTool back
//
// # Models
//
// langchaingo gives a model's stream to a function as bytes: text, and from
// its openai provider the JSON of tool calls among it. What it loses on the
// way there cannot be had from the bytes. [HTTPClient] reads the answer where
// it comes in, on the wires of openai, anthropic and ollama, and gives [New]
// all of it: use it wherever you build the model yourself. Without it [New]
// takes what the provider hands over, and is careful with it: bytes are a tool
// call only if they are to the letter what langchaingo writes for one, and the
// response does not have them as text, for which they, and what comes behind
// them, wait; each text is said once, also what came only with the response;
// and what cannot be told apart is an error, not a guess.
//
// What comes through, provider by provider (v0.1.14):
//
//	                        openai       openai  anthropic    anthropic  ollama       ollama  googleai   mistral    bedrock    others
//	                        HTTPClient   bare    HTTPClient   bare       HTTPClient   bare
//	text streams            yes          yes     yes          yes        yes          yes     yes        yes        yes [3]    some [1]
//	tool calls              pieces       whole   pieces       whole      whole [2]    error   whole      whole      whole [3]  as given
//	calls that alternate    yes          error   yes          yes        -            -       -          -          -          error
//	reasoning               yes          [4]     yes          yes        yes          no      no         no         no         no
//	usage                   yes          yes     yes          yes        yes          yes     some       yes        yes        some
//	finish reason           yes          yes     yes          yes        yes          no      yes        yes        yes        some
//	a cut stream            error        error   error        error      error        [5]     [6]        [6]        [6]        [6]
//	an error in the stream  error        [7]     error        error      error        error   [6]        [6]        [6]        [6]
//	longest chunk           32 MiB       64 KiB  32 MiB       64 KiB     32 MiB       500 KB  -          -          -          -
//	tool choice             yes          yes     yes          words [8]  words [8]    -       words [8]  words [8]  yes        as given
//	a schema to answer in   yes          prompt  prompt       prompt     yes          prompt  prompt     prompt     prompt     prompt
//	temperature not set     not sent     0 sent  not sent     0 sent     not sent     0 sent  [10]       [10]       [10]       [10]
//	top_p                   yes          error   yes          yes        yes          yes     yes        yes        yes        as given
//	one call a turn         yes          error   yes          error      error        -       error      error      error      error
//	Options.Extra           body         [9]     body         [9]        body         [9]     [9]        [9]        [9]        [9]
//	images                  URL, data    same    data         data       data         data    data       no         data       as given
//
//	[1]  cloudflare, ernie, llamafile and maritaca stream; cohere, huggingface, local and watsonx do not: their text comes in one piece.
//	[2]  Ollama itself sends calls whole. langchaingo's provider drops tools and refuses earlier calls; HTTPClient sends both.
//	[3]  A streamed answer loses its calls: with tools it is not asked to stream.
//	[4]  reasoning_content, and not reasoning.
//	[5]  An error if text had come or no tokens are counted.
//	[6]  As far as the provider reports it: an empty finish reason is taken for stop.
//	[7]  langchaingo overlooks it; the missing finish reason makes it an incomplete answer.
//	[8]  The model is asked in words, and of a named tool no other is offered. "None" is kept: no tool is offered.
//	[9]  Goes into langchaingo's Metadata, which is what the provider makes of it. openai's puts it under "metadata".
//	[10] The provider's own: see its documentation.
//
// The columns of openai, anthropic and ollama are tested over HTTP, the others
// read from langchaingo's code.
//
// The id of a call is the provider's where it is free in the conversation, and
// a new one where not. Opaque reasoning comes out (Anthropic's signatures) and
// cannot be sent back. Of several choices the first counts.
//
// The messages are those of [chat.Request.Outgoing]. Tool names that providers
// refuse are translated there and back; the arguments of earlier calls are
// always a JSON object; an empty result says so in words; media in a tool's
// result follow in a user message. For anthropic, system messages inside the
// conversation become the user's in <system> tags, for the provider would move
// them to the front, and an assistant's parts become messages of their own,
// for it sends one part of each. No address of a user's is ever fetched by
// this process: where langchaingo would, it is an error. What cannot be sent
// is an error that names message and part.
//
// # Errors
//
// An error is a [chat.Error] with a code of package chat. langchaingo reduces
// errors to their text: behind [HTTPClient] the code comes from the status and
// the body, otherwise from what the text says. Once the context has ended the
// error wraps its cause, whatever langchaingo returns (of cancelled calls about
// half "succeed"). langchaingo's anthropic provider leaves a goroutine behind
// for each error inside a stream; behind [HTTPClient] it does not. Its mistral
// provider does not obey its context, and a cancelled run waits for it.
//
// # Chains and agents
//
// [NewChain] runs a chain as it is and adds what a stream needs: see there.
// [NewModel] brings a whole chain of ours, tools and state included, into a
// chain of langchaingo; [Handler] tells a run about chains that [NewChain]
// cannot look into. The program in examples/guides/langchaingo has a chain, a
// sequence and an agent, in about 30 lines each.
package langchaingo
