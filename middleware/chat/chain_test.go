package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// tagging is a middleware that puts a letter before every text.
type tagging struct {
	chat.Delegating
	tag string
}

func tag(s string) chat.Middleware {
	return func(next chat.Client) chat.Client { return &tagging{chat.Delegating{Client: next}, s} }
}

func (c *tagging) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for u, err := range c.Client.Stream(ctx, req) {
			if err == nil && u.Text != "" {
				next := *u
				next.Text = c.tag + u.Text
				u = &next
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

func TestBuilderPutsTheFirstOutermost(t *testing.T) {
	b := chat.NewBuilder(aguitest.NewModel(aguitest.Text("x"), aguitest.Text("y"))).Use(tag("1")).Use(nil).Use(tag("2"))
	for _, want := range []string{"12x", "12y"} {
		res, err := chat.Collect(b.Build().Stream(t.Context(), &chat.Request{Messages: []agui.Message{agui.UserMessage("hi")}}))
		if err != nil || res.Text() != want {
			t.Errorf("%q, %v", res.Text(), err)
		}
	}
	if outer, ok := chat.Find[*tagging](b.Build()); !ok || outer.tag != "1" {
		t.Error("Find does not find the outermost")
	}
	if m, ok := chat.Find[*aguitest.Model](b.Build()); !ok || m == nil {
		t.Error("Find does not see through the layers")
	}
	if _, ok := chat.Find[*strings.Builder](b.Build()); ok {
		t.Error("Find found what is not there")
	}
}

func TestCollectDropsNothing(t *testing.T) {
	state := &agui.StateSnapshot{Snapshot: json.RawMessage(`{}`)}
	res, err := chat.Collect(by(
		&chat.Update{Text: "Hel", Model: "m", Reasoning: "r"}, &chat.Update{Text: "lo", Metadata: agui.Metadata{"k": 1}},
		&chat.Update{Events: []agui.Event{state}},
		calls(delta("a", "f", `{"x"`), delta("b", "g", "")), calls(delta("a", "", `:1}`)),
		&chat.Update{FinishReason: chat.FinishToolCalls, Usage: &agui.TokenUsage{InputTokens: 1}},
		&chat.Update{ToolResult: &chat.ToolResult{MessageID: "t1", ToolCallID: "a", Content: agui.Text("1"), Error: "e"}},
		&chat.Update{MessageID: "m2", Text: "end", FinishReason: chat.FinishStop, Usage: &agui.TokenUsage{InputTokens: 2}, Result: json.RawMessage(`5`)},
		&chat.Update{Interrupts: []agui.Interrupt{{ID: "i"}}},
	).Stream(t.Context(), &chat.Request{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Messages) != 3 {
		t.Fatalf("%d messages", len(res.Messages))
	}
	first, tool, second := res.Messages[0], res.Messages[1], res.Messages[2]
	if first.Content.Text() != "Hello" || len(first.ToolCalls) != 2 || first.ToolCalls[0].Arguments != `{"x":1}` || first.ToolCalls[1].Name != "g" || first.Metadata["k"] != 1 {
		t.Errorf("%+v", first)
	}
	if tool.ID != "t1" || tool.ToolCallID != "a" || tool.Error != "e" {
		t.Errorf("%+v", tool)
	}
	if second.ID != "m2" || res.Text() != "Helloend" || res.FinishReason != chat.FinishStop || string(res.Result) != "5" || res.Model != "m" || res.Reasoning != "r" {
		t.Errorf("%+v", res)
	}
	if len(res.Events) != 1 || len(res.Interrupts) != 1 || len(res.Usage) != 1 || res.Usage[0].InputTokens != 3 {
		t.Errorf("%+v", res)
	}
	res, err = chat.Collect(fails(errors.New("x")).Stream(t.Context(), &chat.Request{}))
	if err == nil || res.Text() != "half" {
		t.Error("what came before an error is lost")
	}
}

func TestRepairMakesAValidHistory(t *testing.T) {
	asst := func(id, text string, calls ...string) agui.Message {
		m := agui.Message{ID: id, Role: agui.RoleAssistant}
		if text != "" {
			m.Content = agui.Text(text)
		}
		for _, c := range calls {
			m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: c, Name: "f", Arguments: "{}"})
		}
		return m
	}
	tool := func(call string) agui.Message {
		return agui.Message{ID: "r-" + call, Role: agui.RoleTool, ToolCallID: call, Content: agui.Text("ok")}
	}
	named := func(id, call string) agui.Message {
		m := tool(call)
		m.ID = id
		return m
	}
	user := agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.Text("hi")}
	for name, c := range map[string]struct {
		in   []agui.Message
		want string
	}{
		"as it should be":      {[]agui.Message{user, asst("a", "x", "1"), tool("1")}, "u a(1) r-1"},
		"results after both":   {[]agui.Message{asst("a", "", "1"), asst("b", "", "2"), tool("1"), tool("2"), user}, "a(1) r-1 b(2) r-2 u"},
		"text between":         {[]agui.Message{asst("a", "", "1"), asst("b", "text"), tool("1")}, "a(1) r-1 b"},
		"results in no order":  {[]agui.Message{asst("a", "", "1", "2"), tool("2"), tool("1")}, "a(1,2) r-1 r-2"},
		"missing result":       {[]agui.Message{asst("a", "", "1", "2"), tool("2"), user}, "a(1,2) no-result-1 r-2 u"},
		"a call said twice":    {[]agui.Message{asst("a", "", "1", "1"), tool("1")}, "a(1) r-1"},
		"two calls of one id":  {[]agui.Message{asst("a", "", "1", "1"), named("x", "1"), named("y", "1")}, "a(1,call_0_1) x y"},
		"orphaned result":      {[]agui.Message{user, tool("9")}, "u"},
		"result before call":   {[]agui.Message{tool("1"), asst("a", "", "1")}, "a(1) r-1"},
		"ids that repeat":      {[]agui.Message{user, asst("a", "", "0"), named("x", "0"), asst("b", "sunny"), asst("c", "", "0"), named("y", "0"), asst("d", "", "0")}, "u a(0) x b c(0) y d(0) no-result-0"},
		"no ids":               {[]agui.Message{asst("a", "", "", ""), named("x", ""), named("y", ""), asst("b", "", ""), named("z", "")}, "a(call_0_0,call_0_1) x y b(call_3_0) z"},
		"several results":      {[]agui.Message{asst("a", "", "0"), named("x", "0"), named("y", "0")}, "a(0) y"},
		"empty assistant":      {[]agui.Message{user, asst("a", "")}, "u"},
		"activity, reasoning":  {[]agui.Message{{ID: "p", Role: agui.RoleActivity}, {ID: "q", Role: agui.RoleReasoning}, user}, "u"},
		"call without a name":  {[]agui.Message{{ID: "a", Role: agui.RoleAssistant, Content: agui.Text("x"), ToolCalls: []agui.ToolCall{{ID: "1"}}}}, "a"},
		"system and developer": {[]agui.Message{{ID: "s", Role: agui.RoleSystem}, {ID: "d", Role: agui.RoleDeveloper}}, "s d"},
	} {
		before := slices.Clone(c.in)
		for i := range before {
			before[i].ToolCalls = slices.Clone(before[i].ToolCalls)
		}
		var got []string
		for _, m := range chat.Repair(c.in) {
			s := m.ID
			if len(m.ToolCalls) > 0 {
				var ids []string
				for _, call := range m.ToolCalls {
					ids = append(ids, call.ID)
				}
				s += "(" + strings.Join(ids, ",") + ")"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
		if len(before) != len(c.in) || !reflect.DeepEqual(before, c.in) {
			t.Errorf("%s: the input was changed", name)
		}
	}
}

func TestOutgoingHasTheLiveMessagesLast(t *testing.T) {
	n := 0
	req := &chat.Request{
		Messages: []agui.Message{agui.UserMessage("hi")},
		Live: []chat.Live{func(context.Context) (agui.Message, error) {
			n++
			return agui.UserMessage(strings.Repeat("x", n)), nil
		}},
	}
	for i := range 2 {
		out, err := req.Outgoing(t.Context())
		if err != nil || len(out) != 2 || out[1].Content.Text() != strings.Repeat("x", i+1) || len(req.Messages) != 1 {
			t.Errorf("%v, %v", out, err)
		}
	}
	req.Live = append(req.Live, func(context.Context) (agui.Message, error) { return agui.Message{}, errors.ErrUnsupported })
	if _, err := req.Outgoing(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

func TestCallIDsAreUnique(t *testing.T) {
	ids := chat.NewCallIDs([]agui.Message{{Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "call_0"}}}})
	seen := map[string]bool{"call_0": true}
	for _, provider := range []string{"call_0", "call_0", "call_1", "", "", "call_0-2", strings.Repeat("x", 40), strings.Repeat("x", 40)} {
		id := ids.New(provider)
		if id == "" || seen[id] || len(id) > 40 {
			t.Errorf("%q gave %q", provider, id)
		}
		seen[id] = true
	}
	if !seen["call_1"] {
		t.Error("a free id was changed")
	}
}

func TestNewToolTakesAndTellsValues(t *testing.T) {
	type in struct {
		Name  string   `json:"name" jsonschema:"who"`
		Color string   `json:"color,omitempty" enum:"red,green"`
		Tags  []string `json:"tags,omitempty"`
	}
	tool := chat.NewTool("t", "d", func(_ context.Context, v in) (any, error) {
		switch v.Name {
		case "string":
			return `quoted "text"`, nil
		case "nil":
			return nil, nil
		case "struct":
			return struct {
				A string `json:"a"`
			}{"<b>"}, nil
		case "number":
			return 5, nil
		case "raw":
			return json.RawMessage(`{"x":1}`), nil
		case "content":
			return agui.Text("c"), nil
		case "bad":
			return func() {}, nil
		}
		return nil, errors.New("unknown")
	})
	want := `{"type":"object","properties":{"name":{"type":"string","description":"who"},"color":{"type":"string","enum":["red","green"]},` +
		`"tags":{"type":"array","items":{"type":"string"}}},"required":["name"],"additionalProperties":false}`
	if string(tool.Parameters) != want {
		t.Errorf("parameters\n%s\nwant\n%s", tool.Parameters, want)
	}
	for args, want := range map[string]string{
		`{"name":"string"}`: `quoted "text"`, `{"name":"nil"}`: ``, `{"name":"struct"}`: `{"a":"<b>"}`,
		`{"name":"number"}`: `5`, `{"name":"raw"}`: `{"x":1}`, `{"name":"content"}`: `c`,
	} {
		got, err := tool.Invoke(t.Context(), json.RawMessage(args))
		if err != nil || got.Text() != want {
			t.Errorf("%s: %q, %v", args, got.Text(), err)
		}
	}
	if _, err := tool.Invoke(t.Context(), json.RawMessage(`{"name":"bad"}`)); err == nil {
		t.Error("a result that is no JSON passed")
	}
	for args, say := range map[string]string{
		`{}`: "name", `{"name":5}`: "name", `{"name":"x","color":"blue"}`: "color", `{"name":"x","more":1}`: "more", `[]`: "",
	} {
		_, err := tool.Invoke(t.Context(), json.RawMessage(args))
		var a *chat.ArgumentsError
		if !errors.As(err, &a) || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestFormatForIsStrictWhereItCan(t *testing.T) {
	type part struct {
		A string `json:"a"`
		B *int   `json:"b,omitempty"`
	}
	f := chat.FormatFor[struct {
		P []part `json:"p"`
	}]("x", "d")
	want := `{"type":"object","properties":{"p":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},` +
		`"b":{"type":["null","integer"]}},"required":["a","b"],"additionalProperties":false}}},"required":["p"],"additionalProperties":false}`
	if !f.Strict || string(f.Schema) != want {
		t.Errorf("strict %v\n%s\nwant\n%s", f.Strict, f.Schema, want)
	}
	loose := chat.FormatFor[struct {
		M map[string]string `json:"m"`
		R json.RawMessage   `json:"r"`
	}]("x", "")
	if loose.Strict || !strings.Contains(string(loose.Schema), `"additionalProperties":{"type":"string"}`) {
		t.Errorf("%v %s", loose.Strict, loose.Schema)
	}
}

func TestInputFromAnyDepth(t *testing.T) {
	in := input()
	in.ForwardedProps = json.RawMessage(`{"locale":"sv"}`)
	in.Context = []agui.Context{{Description: "unit", Value: "grams"}}
	var inTool, inModel *agui.RunAgentInput
	tool := chat.NewTool("look", "", func(ctx context.Context, _ noArguments) (string, error) {
		inTool, _ = chat.InputFrom(ctx)
		if call, ok := chat.InvocationFrom(ctx); !ok || call.Call.ID != "a" || call.Iteration != 1 {
			t.Errorf("invocation %+v", call)
		}
		return "", nil
	})
	model := aguitest.NewModel(aguitest.Call("a", "look"), aguitest.Reply(func(ctx context.Context, req *chat.Request) (aguitest.Turn, error) {
		inModel, _ = chat.InputFrom(ctx)
		for _, tool := range req.Tools {
			if tool.Name == "confirm" && tool.Invoke == nil {
				return aguitest.Text("ok"), nil
			}
		}
		return aguitest.Turn{}, errors.New("the client's tool is not offered")
	}))
	events := runEvents(t.Context(), withTools(chat.FunctionInvocation{Tools: []chat.Tool{tool}}, model), in, quiet)
	if last := events[len(events)-1]; last.Type() != agui.TypeRunFinished {
		t.Error(last)
	}
	if inTool != in || inModel != in {
		t.Error("the input is not the run's")
	}
	if _, ok := chat.InputFrom(t.Context()); ok {
		t.Error("an input where there is none")
	}
}
