package aguitest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// linesRequest is what a made-up provider takes. It answers with one JSON
// object a line.
type linesRequest struct {
	Messages []agui.Message
	Tools    []agui.Tool
	Choice   chat.ToolChoice
	Format   *chat.ResponseFormat
}

type linesChunk struct {
	aguitest.Step
	Error string
}

// lines is the adapter for it.
type lines struct {
	http *http.Client
	url  string
}

func (c *lines) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		if err := c.stream(ctx, req, func(u *chat.Update) bool { return yield(u, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (c *lines) stream(ctx context.Context, req *chat.Request, yield func(*chat.Update) bool) error {
	messages, err := req.Outgoing(ctx)
	if err != nil {
		return err
	}
	out := linesRequest{Messages: messages, Choice: req.ToolChoice, Format: req.ResponseFormat}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, agui.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	body, err := json.Marshal(out)
	if err != nil {
		return fmt.Errorf("lines: %w", err)
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("lines: %w", err)
	}
	resp, err := c.http.Do(post)
	if err != nil {
		return fmt.Errorf("lines: %w", err)
	}
	defer resp.Body.Close() // on break, too: that tells the provider
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return errors.Join(fmt.Errorf("lines: status %d: %s", resp.StatusCode, text), err)
	}
	ids, names := chat.CallIDsFor(ctx, req.Messages), map[int]string{}
	finished := false
	for chunks := json.NewDecoder(resp.Body); ; {
		var chunk linesChunk
		if err := chunks.Decode(&chunk); err != nil {
			if errors.Is(err, io.EOF) && finished {
				return nil
			}
			return fmt.Errorf("lines: the answer is cut: %w", err)
		}
		if chunk.Error != "" {
			return fmt.Errorf("lines: %s", chunk.Error)
		}
		u := &chat.Update{Text: chunk.Text, Reasoning: chunk.Reasoning, Usage: chunk.Usage, FinishReason: chunk.Finish}
		if call := chunk.Call; call != nil {
			if call.Name != "" {
				names[call.Index] = ids.New(call.ID)
			}
			u.ToolCalls = []chat.ToolCallDelta{{ID: names[call.Index], Name: call.Name, Arguments: call.Arguments}}
		}
		finished = finished || u.FinishReason != ""
		if !yield(u) {
			return nil
		}
	}
}

// linesServer stands in for the provider: it plays the model's script on the
// wire.
func linesServer(m *aguitest.Model) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var in linesRequest
		if err := json.Unmarshal(body, &in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		req := &chat.Request{Messages: in.Messages, ToolChoice: in.Choice, ResponseFormat: in.Format}
		for _, t := range in.Tools {
			req.Tools = append(req.Tools, chat.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
		}
		first := true
		for step, err := range m.Play(r.Context(), req) {
			chunk := linesChunk{Step: step}
			switch {
			case errors.Is(err, aguitest.ErrCut):
				panic(http.ErrAbortHandler)
			case err != nil && first:
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			case err != nil:
				chunk.Error = err.Error()
			}
			if json.NewEncoder(w).Encode(chunk) != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			first = false
		}
	}
}

// adapterTest holds the adapter to the laws of a client.
func adapterTest(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		server := aguitest.NewServer(t, linesServer(m))
		return &lines{http: server.Client(), url: aguitest.URL}
	})
}

func ExampleTestClient() {
	// In a test file: func TestClient(t *testing.T) { … }
	_ = adapterTest
}
