package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The members of a request that the service documents. Others are refused, as
// the service refuses them: a misspelt option must not be silently ignored.
var knownMembers = words("model messages stream stream_options tools tool_choice parallel_tool_calls response_format n max_tokens " +
	"max_completion_tokens stop temperature top_p seed user frequency_penalty presence_penalty logit_bias logprobs top_logprobs store metadata " +
	"reasoning_effort prediction modalities audio service_tier functions function_call verbosity safety_identifier prompt_cache_key web_search_options")

// reasoning_content is no member of the service's, but clients of compatible
// servers send it back.
var knownMessageMembers = words("role content name tool_calls tool_call_id refusal audio function_call annotations reasoning_content")

var nameRule = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// readRequest decodes a body and refuses what the service refuses.
func readRequest(body []byte) (*completionRequest, *apiError) {
	v, err := parseValue(body)
	if err != nil {
		return nil, invalid("", "", "The body could not be read as JSON: %s.", err)
	}
	o, ok := v.(*object)
	if !ok {
		return nil, invalid("", "", "The body has to be a JSON object, not %s.", typeName(v))
	}
	for _, k := range o.keys {
		if !knownMembers[k] {
			return nil, invalid(k, "unknown_parameter", "Unknown parameter: '%s'.", k)
		}
	}
	if model, _ := o.get("model").(string); model == "" {
		if !o.has("model") || o.get("model") == "" || o.get("model") == nil {
			return nil, invalid("model", "missing_required_parameter", "Missing required parameter: 'model'.")
		}
	}
	var r completionRequest
	if err := json.Unmarshal(body, &r); err != nil {
		var t *json.UnmarshalTypeError
		if errors.As(err, &t) && t.Field != "" {
			return nil, invalid(t.Field, "invalid_type", "Invalid type for '%s': a %s does not fit there.", t.Field, t.Value)
		}
		return nil, invalid("", "", "The body does not fit a chat completion request: %s.", err)
	}
	for _, check := range []func(*completionRequest, *object) *apiError{checkMessages, checkTools, checkChoice, checkFormat, checkOptions} {
		if err := check(&r, o); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case *object:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}

// checkMessages holds the history to the service's rules, above all that each
// tool call is answered directly after it and nothing is answered that was not
// called.
func checkMessages(r *completionRequest, o *object) *apiError {
	if !o.has("messages") {
		return invalid("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
	if len(r.Messages) == 0 {
		return invalid("messages", "empty_array", "Invalid 'messages': at least one message is needed.")
	}
	list := o.arr("messages")
	var open []string // calls that wait for their answer
	openAt := 0
	unanswered := func() *apiError {
		return invalid(fmt.Sprintf("messages.[%d].role", openAt), "",
			"The tool calls of messages[%d] have to be answered by tool messages directly after it; these tool_call_ids are not: %s.", openAt, strings.Join(open, ", "))
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		at := fmt.Sprintf("messages[%d]", i)
		mo, ok := list[i].(*object)
		if !ok {
			return invalid(at, "invalid_type", "Invalid type for '%s': expected an object, but got %s.", at, typeName(list[i]))
		}
		for _, k := range mo.keys {
			if !knownMessageMembers[k] {
				return invalid(at+"."+k, "unknown_parameter", "Unknown parameter: '%s.%s'.", at, k)
			}
		}
		if m.Role == "" {
			return invalid(at+".role", "missing_required_parameter", "Missing required parameter: '%s.role'.", at)
		}
		if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, m.Role) {
			return invalid(at+".role", "invalid_value", "Invalid value: '%s'. '%s.role' is one of 'system', 'developer', 'user', 'assistant' and 'tool'.", m.Role, at)
		}
		if m.Role != "tool" && len(open) > 0 {
			return unanswered()
		}
		if err := checkContent(m, mo, at); err != nil {
			return err
		}
		switch {
		case m.Role == "tool":
			if m.ToolCallID == nil {
				return invalid(at+".tool_call_id", "missing_required_parameter", "Missing required parameter: '%s.tool_call_id'.", at)
			}
			j := slices.Index(open, *m.ToolCallID)
			if j < 0 {
				return invalid(fmt.Sprintf("messages.[%d].role", i), "",
					"%s has the role 'tool' and the tool_call_id '%s', but no message with such a call in 'tool_calls' stands directly before it, or it is answered already.", at, *m.ToolCallID)
			}
			open = slices.Delete(open, j, j+1)
		case mo.has("tool_call_id") && mo.get("tool_call_id") != nil:
			return invalid(at+".tool_call_id", "invalid_value", "'%s.tool_call_id' belongs to messages with the role 'tool' only.", at)
		case mo.get("tool_calls") != nil:
			ids, err := checkCalls(m, mo, at)
			if err != nil {
				return err
			}
			open, openAt = ids, i
		}
	}
	if len(open) > 0 {
		return unanswered()
	}
	return nil
}

func checkCalls(m *message, mo *object, at string) ([]string, *apiError) {
	if m.Role != "assistant" {
		return nil, invalid(at+".tool_calls", "invalid_value", "'%s.tool_calls' belongs to messages with the role 'assistant' only.", at)
	}
	if len(m.ToolCalls) == 0 {
		return nil, invalid(at+".tool_calls", "empty_array", "Invalid '%s.tool_calls': an empty array; leave it out when there are no calls.", at)
	}
	var ids []string
	for i, c := range m.ToolCalls {
		p := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		switch {
		case c.ID == "":
			return nil, invalid(p+".id", "missing_required_parameter", "Missing required parameter: '%s.id'.", p)
		case slices.Contains(ids, c.ID):
			return nil, invalid(p+".id", "invalid_value", "Duplicate value for '%s.id': '%s'.", p, c.ID)
		case c.Type == "":
			return nil, invalid(p+".type", "missing_required_parameter", "Missing required parameter: '%s.type'.", p)
		case c.Type != "function":
			return nil, invalid(p+".type", "invalid_value", "Invalid value: '%s'. '%s.type' is 'function'.", c.Type, p)
		case c.Function == nil:
			return nil, invalid(p+".function", "missing_required_parameter", "Missing required parameter: '%s.function'.", p)
		case c.Function.Name == "":
			return nil, invalid(p+".function.name", "missing_required_parameter", "Missing required parameter: '%s.function.name'.", p)
		case !nameRule.MatchString(c.Function.Name):
			return nil, invalid(p+".function.name", "invalid_value", "Invalid '%s.function.name': '%s' has to match %s.", p, c.Function.Name, nameRule)
		case c.Function.Arguments == nil:
			return nil, invalid(p+".function.arguments", "missing_required_parameter", "Missing required parameter: '%s.function.arguments'.", p)
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// checkContent reads a message's content, a string or parts, into its text.
func checkContent(m *message, mo *object, at string) *apiError {
	p := at + ".content"
	switch c := mo.get("content").(type) {
	case nil:
		if m.Role == "assistant" && (len(m.ToolCalls) > 0 || m.Refusal != nil || mo.get("function_call") != nil) {
			return nil
		}
		if !mo.has("content") {
			return invalid(p, "missing_required_parameter", "Missing required parameter: '%s'.", p)
		}
		return invalid(p, "invalid_type", "Invalid type for '%s': expected a string or an array of parts, but got null.", p)
	case string:
		m.text = c
	case []any:
		if len(c) == 0 {
			return invalid(p, "empty_array", "Invalid '%s': an empty array.", p)
		}
		var b strings.Builder
		for i, e := range c {
			q := fmt.Sprintf("%s[%d]", p, i)
			part, ok := e.(*object)
			if !ok {
				return invalid(q, "invalid_type", "Invalid type for '%s': expected an object, but got %s.", q, typeName(e))
			}
			kind := part.str("type")
			allowed := map[string]string{"text": "text", "image_url": "image_url", "input_audio": "input_audio", "file": "file", "refusal": "refusal"}
			member, known := allowed[kind]
			if !known || kind != "text" && (m.Role != "user" && kind != "refusal" || m.Role != "assistant" && kind == "refusal") {
				return invalid(q+".type", "invalid_value", "Invalid value: '%s'. A message of the role '%s' takes no such part at '%s'.", kind, m.Role, q)
			}
			if part.get(member) == nil {
				return invalid(q+"."+member, "missing_required_parameter", "Missing required parameter: '%s.%s'.", q, member)
			}
			if kind == "text" {
				t, ok := part.get("text").(string)
				if !ok {
					return invalid(q+".text", "invalid_type", "Invalid type for '%s.text': expected a string, but got %s.", q, typeName(part.get("text")))
				}
				b.WriteString(t)
			}
		}
		m.text = b.String()
	default:
		return invalid(p, "invalid_type", "Invalid type for '%s': expected a string or an array of parts, but got %s.", p, typeName(c))
	}
	return nil
}

func checkTools(r *completionRequest, o *object) *apiError {
	if o.get("tools") == nil {
		if r.ParallelToolCalls != nil {
			return invalid("parallel_tool_calls", "", "'parallel_tool_calls' is only allowed when 'tools' are given.")
		}
		return nil
	}
	if len(r.Tools) == 0 {
		return invalid("tools", "empty_array", "Invalid 'tools': an empty array; leave it out when there are no tools.")
	}
	seen := map[string]bool{}
	for i, t := range r.Tools {
		p := fmt.Sprintf("tools[%d]", i)
		switch {
		case t.Type != "function":
			return invalid(p+".type", "invalid_value", "Invalid value: '%s'. '%s.type' is 'function'.", t.Type, p)
		case t.Function == nil:
			return invalid(p+".function", "missing_required_parameter", "Missing required parameter: '%s.function'.", p)
		case t.Function.Name == "":
			return invalid(p+".function.name", "missing_required_parameter", "Missing required parameter: '%s.function.name'.", p)
		case !nameRule.MatchString(t.Function.Name):
			return invalid(p+".function.name", "invalid_value", "Invalid '%s.function.name': '%s' has to match %s.", p, t.Function.Name, nameRule)
		case seen[t.Function.Name]:
			return invalid(p+".function.name", "invalid_value", "Duplicate function name '%s' at '%s'.", t.Function.Name, p)
		}
		seen[t.Function.Name] = true
		t.Function.schema = newObject()
		fo, _ := o.arr("tools")[i].(*object)
		if fo.obj("function").has("parameters") {
			s, ok := fo.obj("function").get("parameters").(*object)
			if !ok {
				return invalid(p+".function.parameters", "invalid_type", "Invalid type for '%s.function.parameters': expected an object, but got %s.", p, typeName(fo.obj("function").get("parameters")))
			}
			if len(s.keys) > 0 && s.get("type") != "object" {
				return invalid(p+".function.parameters", "invalid_function_parameters", "Invalid schema for function '%s': it has to have the type \"object\", not %s.", t.Function.Name, valueString(s.get("type")))
			}
			t.Function.schema = s
		}
		if t.Function.Strict != nil && *t.Function.Strict {
			if why := strictFault(t.Function.schema); why != "" {
				return invalid(p+".function.parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s.", t.Function.Name, why)
			}
		}
	}
	return nil
}

func checkChoice(r *completionRequest, o *object) *apiError {
	r.choice = toolChoice{mode: "none"}
	if len(r.Tools) > 0 {
		r.choice.mode = "auto"
	}
	v := o.get("tool_choice")
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if !slices.Contains([]string{"none", "auto", "required"}, v) {
			return invalid("tool_choice", "invalid_value", "Invalid value: '%s'. 'tool_choice' is 'none', 'auto', 'required' or a function.", v)
		}
		r.choice.mode = v
	case *object:
		name := v.obj("function").str("name")
		if v.str("type") != "function" || name == "" {
			return invalid("tool_choice", "invalid_value", "Invalid 'tool_choice': it has to name a function: {\"type\":\"function\",\"function\":{\"name\":…}}.")
		}
		r.choice = toolChoice{mode: "required", function: name}
	default:
		return invalid("tool_choice", "invalid_type", "Invalid type for 'tool_choice': expected a string or an object, but got %s.", typeName(v))
	}
	if len(r.Tools) == 0 && r.choice.mode != "none" {
		return invalid("tool_choice", "", "'tool_choice' is only allowed when 'tools' are given.")
	}
	if f := r.choice.function; f != "" && !slices.ContainsFunc(r.Tools, func(t toolSpec) bool { return t.Function.Name == f }) {
		return invalid("tool_choice", "invalid_value", "Tool choice '%s' is not among 'tools'.", f)
	}
	return nil
}

func checkFormat(r *completionRequest, o *object) *apiError {
	f := r.ResponseFormat
	if f == nil {
		return nil
	}
	switch f.Type {
	case "text":
	case "json_object":
		if !slices.ContainsFunc(r.Messages, func(m message) bool { return strings.Contains(strings.ToLower(m.text), "json") }) {
			return invalid("messages", "", "With the response_format 'json_object', 'messages' have to contain the word 'json'.")
		}
	case "json_schema":
		s := f.JSONSchema
		if s == nil {
			return invalid("response_format.json_schema", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema'.")
		}
		if s.Name == "" {
			return invalid("response_format.json_schema.name", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema.name'.")
		}
		if !nameRule.MatchString(s.Name) {
			return invalid("response_format.json_schema.name", "invalid_value", "Invalid 'response_format.json_schema.name': '%s' has to match %s.", s.Name, nameRule)
		}
		schema, ok := o.obj("response_format").obj("json_schema").get("schema").(*object)
		if !ok {
			return invalid("response_format.json_schema.schema", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema.schema', an object.")
		}
		if s.Strict != nil && *s.Strict {
			if why := strictFault(schema); why != "" {
				return invalid("response_format", "", "Invalid schema for response_format '%s': %s.", s.Name, why)
			}
		}
		s.schema = schema
	default:
		return invalid("response_format.type", "invalid_value", "Invalid value: '%s'. 'response_format.type' is 'text', 'json_object' or 'json_schema'.", f.Type)
	}
	return nil
}

func checkOptions(r *completionRequest, o *object) *apiError {
	for _, old := range []string{"functions", "function_call"} {
		if o.get(old) != nil {
			return invalid(old, "unsupported_parameter", "The stand-in does not serve '%s', which 'tools' and 'tool_choice' have replaced.", old)
		}
	}
	if o.get("stream_options") != nil && !r.Stream {
		return invalid("stream_options", "", "'stream_options' is only allowed when 'stream' is true.")
	}
	if r.N != nil && *r.N != 1 {
		return invalid("n", "invalid_value", "Invalid 'n': the stand-in gives one choice, not %d.", *r.N)
	}
	for _, l := range []struct {
		name string
		v    *int
	}{{"max_tokens", r.MaxTokens}, {"max_completion_tokens", r.MaxCompletionTokens}} {
		if l.v != nil && *l.v < 1 {
			return invalid(l.name, "integer_below_min_value", "Invalid '%s': expected at least 1, but got %d.", l.name, *l.v)
		}
	}
	if r.MaxTokens != nil && r.MaxCompletionTokens != nil {
		return invalid("max_tokens", "invalid_parameter_combination", "Only one of 'max_tokens' and 'max_completion_tokens' may be given.")
	}
	if r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2) {
		return invalid("temperature", "decimal_out_of_range", "Invalid 'temperature': expected 0 to 2, but got %v.", *r.Temperature)
	}
	if r.TopP != nil && (*r.TopP < 0 || *r.TopP > 1) {
		return invalid("top_p", "decimal_out_of_range", "Invalid 'top_p': expected 0 to 1, but got %v.", *r.TopP)
	}
	switch v := o.get("stop").(type) {
	case nil:
	case string:
		r.stop = []string{v}
	case []any:
		for i, e := range v {
			s, ok := e.(string)
			if !ok || len(v) > 4 {
				return invalid(fmt.Sprintf("stop[%d]", i), "invalid_type", "Invalid 'stop': up to 4 strings are allowed.")
			}
			r.stop = append(r.stop, s)
		}
	default:
		return invalid("stop", "invalid_type", "Invalid type for 'stop': expected a string or an array, but got %s.", typeName(v))
	}
	return nil
}
