package openai_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/internal/transcript"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// stream_options is left out for good once a server has refused it.
func TestUsageRefusedIsRemembered(t *testing.T) {
	for _, c := range []struct {
		status int
		says   string
		asked  []bool
	}{
		{400, `{"error":{"message":"unknown field stream_options"}}`, []bool{true, false, false}},
		{400, `{"error":{"message":"Stream options are not supported"}}`, []bool{true, false, false}},
		{400, `{"error":{"message":"no such argument","param":"include_usage"}}`, []bool{true, false, false}},
		{422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, []bool{true, false, false}},
		{422, `{"message":"Extra inputs are not permitted"}`, []bool{true, false, false}},
	} {
		s := transcript.NewServer(t, transcript.Response{Status: c.status, Body: c.says}, oneAnswer, oneAnswer)
		client := openai.New("m", &openai.Options{BaseURL: s.URL, HTTPClient: s.Client()})
		for range 2 {
			if a := collect(client.Stream(t.Context(), hello)); a.Err != nil {
				t.Error(a.Err)
			}
		}
		var asked []bool
		for _, r := range s.Requests() {
			asked = append(asked, strings.Contains(string(r.Body), "include_usage"))
		}
		if !slices.Equal(asked, c.asked) {
			t.Errorf("%s: asked for usage: %v", c.says, asked)
		}
	}
}

// hello is a request.
var hello = &chat.Request{Messages: []agui.Message{agui.UserMessage("Hello")}}

// What a server refuses whether or not it is asked for usage says nothing of
// usage.
func TestUsageIsNotTheCause(t *testing.T) {
	refusal := transcript.Response{Status: 400, Body: `{"error":{"message":"Extra inputs are not permitted"}}`}
	s := transcript.NewServer(t, refusal, refusal, oneAnswer)
	client := openai.New("m", &openai.Options{BaseURL: s.URL, HTTPClient: s.Client()})
	if a := collect(client.Stream(t.Context(), hello)); a.Err == nil {
		t.Errorf("no error, but %+v", a)
	}
	if a := collect(client.Stream(t.Context(), hello)); a.Err != nil {
		t.Error(a.Err)
	}
	if r := s.Requests(); len(r) != 3 || !strings.Contains(string(r[2].Body), "include_usage") {
		t.Errorf("the last of %d requests does not ask for usage", len(r))
	}
}
