package langchaingo

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// endResponse ends an answer by what the model returned: it says what the
// streaming function has not said.
func (r *reader) endResponse(resp *llms.ContentResponse) error {
	choices := r.choices(resp)
	if len(choices) == 0 {
		return chat.ModelError(chat.CodeBadResponse, errors.New("langchaingo: the model returned no answer"))
	}
	var content, thoughts string
	var theirs []llms.ToolCall
	reason := ""
	for _, c := range choices {
		content += c.Content
		thoughts += thoughtsOf(c)
		theirs = append(theirs, c.ToolCalls...)
		if len(c.ToolCalls) == 0 && c.FuncCall != nil {
			theirs = append(theirs, llms.ToolCall{FunctionCall: c.FuncCall})
		}
		if reason == "" {
			reason = c.StopReason
		}
		if u, ok := usageOf(c.GenerationInfo); ok && r.usage == nil {
			r.usage = &u
		}
		r.opaque.WriteString(infoString(c.GenerationInfo, "ThinkingSignature"))
	}
	if reason == "null" {
		reason = ""
	}
	var u chat.Update
	if err := r.settle(&u, content); err != nil {
		return r.fail(err)
	}
	var failed error
	switch {
	case r.broken(content, reason):
		failed = cut(nil)
	case reason == "error", reason == "abort", reason == "insufficient_system_resource":
		failed = chat.ModelError(chat.CodeUnavailable, fmt.Errorf("langchaingo: the model stopped with %s", reason))
	}
	if failed != nil {
		if u.Text != "" || u.ToolCalls != nil {
			if err := r.emit(&u); err != nil {
				return err
			}
		}
		return r.fail(failed)
	}
	if !r.mused {
		u.Reasoning = pieces.Mend(thoughts)
	}
	if len(r.calls.All()) == 0 {
		for i, t := range theirs {
			if t.FunctionCall == nil {
				return r.fail(chat.ModelError(chat.CodeBadResponse, fmt.Errorf("langchaingo: tool call %d has no function", i)))
			}
			u.ToolCalls = r.calls.Add(u.ToolCalls, pieces.Piece{
				Index: int64(i), Indexed: true, ID: t.ID, Name: t.FunctionCall.Name, Arguments: t.FunctionCall.Arguments,
			})
		}
	}
	// Without the tap nobody can tell a server that calls nothing from a
	// provider that has lost the calls, which most such answers are.
	if len(r.out.options.Tools) > 0 && len(r.calls.All()) == 0 && finishReason(reason, true) == chat.FinishToolCalls && strings.Contains(reason, "call") {
		return r.fail(chat.ModelError(chat.CodeBadResponse, errors.New("langchaingo: the model ended to call tools, and its provider has lost the calls: build it with langchaingo.HTTPClient")))
	}
	return r.finishWith(&u, reason)
}

// choices are the parts of the answer: the blocks of it, or the first of
// several alternatives.
func (r *reader) choices(resp *llms.ContentResponse) []*llms.ContentChoice {
	if resp == nil {
		return nil
	}
	var out []*llms.ContentChoice
	for _, c := range resp.Choices {
		if c == nil {
			continue
		}
		out = append(out, c)
		if !r.c.provider.blocks {
			break
		}
	}
	return out
}

// broken reports whether an answer that the provider takes for complete is
// not: it has no finish reason where there always is one. Ollama's provider
// has none ever, and returns nothing at all when the stream was cut.
func (r *reader) broken(content, reason string) bool {
	switch {
	case reason != "" || r.c.provider.quiet || r.c.o.Streaming == StreamNever && r.c.provider.noReason:
		return false
	case r.c.provider.noReason:
		return content == "" && (r.said.Len() > 0 || r.usage == nil)
	}
	return true
}

// unsaid returns what of an answer's text has not been streamed: all of it
// when the provider did not stream, the rest when it kept some back, which
// langchaingo does with text beside a tool call. An answer that the provider
// has changed since is left as it was streamed.
func unsaid(said, content string) string {
	if rest, ok := strings.CutPrefix(content, said); ok {
		return rest
	}
	// Something is missing inside: what stands around it tells what.
	head := 0
	for head < len(said) && head < len(content) && said[head] == content[head] {
		head++
	}
	if tail, gap := said[head:], len(content)-len(said); gap > 0 && strings.HasSuffix(content, tail) {
		return content[head : head+gap]
	}
	return ""
}

// thoughtsOf returns a choice's reasoning, under whatever name.
func thoughtsOf(c *llms.ContentChoice) string {
	if c.ReasoningContent != "" {
		return c.ReasoningContent
	}
	if _, thinkingBlock := c.GenerationInfo["ThinkingSignature"]; thinkingBlock || c.Content == "" {
		return infoString(c.GenerationInfo, "ThinkingContent")
	}
	return "" // thoughts that were found in the text are in the text
}

func infoString(info map[string]any, key string) string {
	s, _ := info[key].(string)
	return s
}

// usageOf reads token counts under the names that providers have for them.
// All zero is unknown: openai's provider has zeros when the server said
// nothing.
func usageOf(info map[string]any) (agui.TokenUsage, bool) {
	n := func(keys ...string) int64 {
		for _, k := range keys {
			if v := number(info[k]); v > 0 {
				return v
			}
		}
		return 0
	}
	u := agui.TokenUsage{
		InputTokens:           n("PromptTokens", "InputTokens", "input_tokens", "prompt_tokens"),
		OutputTokens:          n("CompletionTokens", "OutputTokens", "output_tokens", "completion_tokens"),
		TotalTokens:           n("TotalTokens", "total_tokens"),
		ReasoningTokens:       n("ReasoningTokens", "CompletionReasoningTokens", "ThinkingTokens"),
		CachedInputTokens:     n("PromptCachedTokens", "CacheReadInputTokens", "CachedTokens"),
		CacheWriteInputTokens: n("CacheCreationInputTokens"),
	}
	if _, beside := info["CacheReadInputTokens"]; beside {
		// Anthropic counts the tokens of the cache beside the input.
		u.InputTokens += u.CachedInputTokens + u.CacheWriteInputTokens
	}
	if usage := reflect.ValueOf(info["usage"]); u == (agui.TokenUsage{}) && usage.IsValid() {
		for usage.Kind() == reflect.Pointer && !usage.IsNil() {
			usage = usage.Elem()
		}
		if usage.Kind() == reflect.Struct { // mistral's
			field := func(name string) int64 {
				if f := usage.FieldByName(name); f.IsValid() && f.CanInterface() {
					return number(f.Interface())
				}
				return 0
			}
			u.InputTokens, u.OutputTokens, u.TotalTokens = field("PromptTokens"), field("CompletionTokens"), field("TotalTokens")
		}
	}
	if u.TotalTokens == 0 {
		u.TotalTokens = u.InputTokens + u.OutputTokens
	}
	return u, u != agui.TokenUsage{}
}

// number returns a number of any type, 0 for anything else.
func number(v any) int64 {
	switch r := reflect.ValueOf(v); {
	case !r.IsValid():
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return int64(min(r.Uint(), math.MaxInt64))
	case r.CanFloat() && math.Abs(r.Float()) < 1<<53:
		return int64(r.Float())
	}
	return 0
}

// finishReason translates a provider's word. Some say stop when there are
// calls, and some say nothing.
func finishReason(s string, calls bool) chat.FinishReason {
	s = strings.ToLower(s)
	switch s = strings.TrimPrefix(s, "finishreason"); s {
	case "", "stop", "tool_calls", "tool_use", "function_call", "eos", "eos_token", "end_turn", "stop_sequence", "load", "unload":
		if calls {
			return chat.FinishToolCalls
		}
		return chat.FinishStop
	case "length", "max_tokens", "maxtokens", "model_length", "max_output_tokens":
		return chat.FinishLength
	case "content_filter", "safety", "refusal", "recitation", "guardrail_intervened", "content_filtered":
		return chat.FinishContentFilter
	}
	return chat.FinishReason(s)
}
