package openai_test

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// adapter is a whole adapter, for an SDK called acme.
type adapter struct{ sdk *acmeClient }

func (a *adapter) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		r, err := a.request(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		stream := a.sdk.NewStream(ctx, r)
		defer stream.Close()
		ids, calls := chat.CallIDsFor(ctx, req.Messages), map[int]string{}
		var last chat.Update // usage and finish reason, which come at the end
		for stream.Next() {
			chunk := stream.Current()
			u := &chat.Update{Reasoning: chunk.Thinking, Text: chunk.Text, Raw: chunk}
			if c := chunk.Call; c != nil {
				if calls[c.Index] == "" {
					calls[c.Index] = ids.New(c.ID)
				}
				u.ToolCalls = []chat.ToolCallDelta{{ID: calls[c.Index], Name: c.Name, Arguments: c.Arguments}}
			}
			if chunk.Usage != nil {
				last.Usage = &agui.TokenUsage{Provider: "acme", InputTokens: chunk.Usage.Input, OutputTokens: chunk.Usage.Output}
			}
			if chunk.StopReason != "" {
				last.FinishReason = chat.FinishReason(chunk.StopReason)
			}
			if !yield(u, nil) {
				return
			}
		}
		switch err := stream.Err(); {
		case ctx.Err() != nil:
			yield(nil, ctx.Err())
		case err != nil:
			yield(nil, &chat.Error{Code: chat.CodeAgent, Message: "The model failed.", Err: err})
		case last.FinishReason == "":
			yield(nil, &chat.Error{Code: chat.CodeAgent, Message: "The answer broke off.", Err: io.ErrUnexpectedEOF})
		default:
			yield(&last, nil)
		}
	}
}

// request translates the request: the messages are those of Outgoing.
func (a *adapter) request(ctx context.Context, req *chat.Request) (acmeRequest, error) {
	r := acmeRequest{Choice: "auto"}
	messages, err := req.Outgoing(ctx)
	if err != nil {
		return r, err
	}
	for _, m := range messages {
		w := acmeMessage{Role: string(m.Role), Text: m.Content.Text(), CallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			w.Calls = append(w.Calls, acmeCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
		r.Messages = append(r.Messages, w)
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, acmeTool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	switch req.ToolChoice.Mode {
	case chat.ToolsNone, chat.ToolsRequired:
		r.Choice = string(req.ToolChoice.Mode)
	case chat.ToolsNamed:
		r.Choice = req.ToolChoice.Name
	}
	if f := req.ResponseFormat; f != nil {
		r.JSON, r.Schema = f.Schema == nil, f.Schema // no schema is any JSON object
	}
	return r, nil
}

func Example_anotherSDK() {
	model := aguitest.NewModel(aguitest.Text("One moment. ").Call("c1", "add", `{"name":"salt"}`))
	var client chat.Client = &adapter{sdk: &acmeClient{model}}
	for u, err := range client.Stream(context.Background(), &chat.Request{Messages: []agui.Message{agui.UserMessage("Add salt.")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(u.Text)
		for _, c := range u.ToolCalls {
			fmt.Print(c.Name, c.Arguments)
		}
		if u.FinishReason != "" {
			fmt.Println(" -", u.FinishReason)
		}
	}
	// Output: One moment. add{"name":"salt"} - tool_calls
}
