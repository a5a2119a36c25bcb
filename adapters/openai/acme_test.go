package openai_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// A made-up SDK of the usual shape (NewStream, Next, Current, Err, Close), for
// the example of an adapter. Behind it is a scripted model.
type (
	acmeClient  struct{ model *aguitest.Model }
	acmeRequest struct {
		Messages []acmeMessage
		Tools    []acmeTool
		Choice   string // auto, none, required or a tool's name
		JSON     bool   // the answer is a JSON object
		Schema   json.RawMessage
	}
	acmeMessage struct {
		Role, Text, CallID string
		Calls              []acmeCall
	}
	acmeCall struct {
		Index               int
		ID, Name, Arguments string
	}
	acmeTool struct {
		Name, Description string
		Parameters        json.RawMessage
	}
	acmeChunk struct {
		Text, Thinking string
		Call           *acmeCall
		Usage          *acmeUsage
		StopReason     string
	}
	acmeUsage  struct{ Input, Output int64 }
	acmeStream struct {
		next func() (aguitest.Step, error, bool)
		stop func()
		now  acmeChunk
		err  error
	}
)

func (c *acmeClient) NewStream(ctx context.Context, r acmeRequest) *acmeStream {
	if err := ctx.Err(); err != nil {
		return &acmeStream{err: err, stop: func() {}}
	}
	req := &chat.Request{}
	for _, m := range r.Messages {
		msg := agui.Message{Role: agui.Role(m.Role), Content: agui.Text(m.Text), ToolCallID: m.CallID}
		for _, call := range m.Calls {
			msg.ToolCalls = append(msg.ToolCalls, agui.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
		}
		req.Messages = append(req.Messages, msg)
	}
	for _, t := range r.Tools {
		req.Tools = append(req.Tools, chat.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	switch r.Choice {
	case "auto":
	case "none", "required":
		req.ToolChoice.Mode = chat.ToolMode(r.Choice)
	default:
		req.ToolChoice = chat.ToolChoice{Mode: chat.ToolsNamed, Name: r.Choice}
	}
	if r.JSON || r.Schema != nil {
		req.ResponseFormat = &chat.ResponseFormat{Schema: r.Schema}
	}
	next, stop := iter.Pull2(c.model.Play(ctx, req))
	return &acmeStream{next: next, stop: stop}
}

func (s *acmeStream) Next() bool {
	if s.err != nil {
		return false
	}
	step, err, ok := s.next()
	if s.err = err; err != nil || !ok {
		return false
	}
	s.now = acmeChunk{Text: step.Text, Thinking: step.Reasoning, StopReason: string(step.Finish)}
	if u := step.Usage; u != nil {
		s.now.Usage = &acmeUsage{u.InputTokens, u.OutputTokens}
	}
	if c := step.Call; c != nil {
		s.now.Call = &acmeCall{c.Index, c.ID, c.Name, c.Arguments}
	}
	return true
}

func (s *acmeStream) Current() acmeChunk { return s.now }
func (s *acmeStream) Close()             { s.stop() }

// Err hides a cut stream, as many SDKs do.
func (s *acmeStream) Err() error {
	if s.err == aguitest.ErrCut {
		return nil
	}
	return s.err
}

// The example's adapter keeps the laws.
func TestExampleAdapter(t *testing.T) {
	aguitest.TestClient(t, func(_ *testing.T, m *aguitest.Model) chat.Client {
		return &adapter{sdk: &acmeClient{m}}
	})
	m := aguitest.NewModel(aguitest.Text("{}"))
	for _, err := range (&adapter{sdk: &acmeClient{m}}).Stream(t.Context(), &chat.Request{ResponseFormat: &chat.ResponseFormat{}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if f := m.Requests()[0].ResponseFormat; f == nil || f.Schema != nil {
		t.Errorf("for any JSON object the model is asked for %+v", f)
	}
}
