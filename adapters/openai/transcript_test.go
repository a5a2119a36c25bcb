package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"regexp"
	"testing"

	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/internal/transcript"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

const transcripts = "../../internal/transcript/testdata"

// run plays a transcript and returns what came of it.
func run(t *testing.T, tr *transcript.Transcript, reuse bool) (requests, updates, events []byte) {
	t.Helper()
	s := tr.Serve(t)
	in, err := tr.Input()
	if err != nil {
		t.Fatal(err)
	}
	var recorder aguitest.Recorder
	model := openai.New(tr.Call.Model, &openai.Options{BaseURL: s.URL + "/v1", HTTPClient: s.Client(), ReuseUpdates: reuse})
	client := chat.NewBuilder(model).Use(func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return next.Stream(ctx, tr.Call.Apply(req))
		})
	}).Use(recorder.Middleware).Build()
	var list []agui.Event
	for e := range chat.Events(t.Context(), client, in, &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}) {
		list = append(list, e)
	}
	aguitest.Verify(t, list)
	events, err = aguitest.Lines(list)
	if err != nil {
		t.Error(err)
	}
	for _, x := range recorder.Exchanges() {
		for _, u := range x.Updates {
			updates = append(updates, describe(t, u)...)
		}
		if x.Err != nil {
			updates = append(updates, describeError(t, x.Err)...)
		}
	}
	return s.Bodies(), anonymous(updates), events
}

// describe writes an update as a line of JSON.
func describe(t *testing.T, u *chat.Update) []byte {
	type call struct {
		ID        string `json:"id"`
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments,omitempty"`
		Encrypted string `json:"encrypted,omitempty"`
	}
	line := struct {
		Model     string            `json:"model,omitempty"`
		Reasoning string            `json:"reasoning,omitempty"`
		Encrypted string            `json:"encrypted,omitempty"`
		Text      string            `json:"text,omitempty"`
		Calls     []call            `json:"calls,omitempty"`
		Usage     *agui.TokenUsage  `json:"usage,omitempty"`
		Finish    chat.FinishReason `json:"finish,omitempty"`
	}{Model: u.Model, Reasoning: u.Reasoning, Encrypted: u.EncryptedReasoning, Text: u.Text, Usage: u.Usage, Finish: u.FinishReason}
	for _, d := range u.ToolCalls {
		line.Calls = append(line.Calls, call{d.ID, d.Name, d.Arguments, d.EncryptedReasoning})
	}
	b, err := json.Marshal(line)
	if err != nil {
		t.Error(err)
	}
	return append(b, '\n')
}

func describeError(t *testing.T, err error) []byte {
	line := struct {
		Error   string `json:"error"`
		Message string `json:"message,omitempty"`
		Cut     bool   `json:"cut,omitempty"`
		Cause   string `json:"cause,omitempty"`
	}{Cut: errors.Is(err, io.ErrUnexpectedEOF)}
	var e *chat.Error
	if errors.As(err, &e) {
		line.Error, line.Message, line.Cause = e.Code, e.Message, e.Err.Error()
	} else {
		line.Error = err.Error()
	}
	b, err := json.Marshal(line)
	if err != nil {
		t.Error(err)
	}
	return append(b, '\n')
}

func TestTranscripts(t *testing.T) {
	for _, tr := range transcript.Load(t, transcripts) {
		t.Run(tr.Name, func(t *testing.T) {
			requests, updates, events := run(t, tr, false)
			if bytes.Contains(events, []byte("sk-secret")) {
				t.Errorf("a client sees the server's own text:\n%s", events)
			}
			tr.Golden(t, requests, updates, events)
			if _, again, _ := run(t, tr, true); !bytes.Equal(again, updates) {
				t.Errorf("with ReuseUpdates the updates are\n%s", again)
			}
		})
	}
}

// random matches the ids that are made up for calls without one.
var random = regexp.MustCompile(`call_([0-9a-f]-?){32}`)

// anonymous numbers random ids in the order in which they appear.
func anonymous(text []byte) []byte {
	seen := map[string]string{}
	return random.ReplaceAllFunc(text, func(id []byte) []byte {
		if seen[string(id)] == "" {
			seen[string(id)] = fmt.Sprintf("call_id-%d", len(seen)+1)
		}
		return []byte(seen[string(id)])
	})
}
