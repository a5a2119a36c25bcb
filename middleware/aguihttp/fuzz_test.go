package aguihttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// echo is a client that puts everything that a request has into its answer,
// in every kind of event that can carry it.
var echo = chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		in, _ := chat.InputFrom(ctx)
		updates := []*chat.Update{{Events: []agui.Event{
			&agui.StateSnapshot{Snapshot: in.State},
			&agui.Custom{Name: in.ThreadID, Value: in.ForwardedProps},
			&agui.MessagesSnapshot{Messages: in.Messages},
			&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpAdd, Path: "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(in.RunID), Value: in.State}}},
		}}}
		for _, m := range req.Messages {
			updates = append(updates, &chat.Update{MessageID: m.ID, Text: m.Content.Text(), Metadata: m.Metadata})
		}
		for _, tool := range in.Tools {
			updates = append(updates, &chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: "call-" + tool.Name, Name: tool.Name, Arguments: string(tool.Parameters)}}})
		}
		for _, u := range append(updates, &chat.Update{FinishReason: chat.FinishStop}) {
			if !yield(u, nil) {
				return
			}
		}
	}
})

// Whatever a body is: no panic, no byte outside a frame, and either a 4xx with
// its JSON or exactly one terminal event at the end of a stream.
func FuzzEndpoint(f *testing.F) {
	for _, s := range []string{
		hello, "", "{", "null", "[]", hello + "x",
		`{"threadId":"\n\ndata: {}\n\n","runId":"\r\n\u2028","messages":[{"id":"\u0000","role":"user","content":"a\n\nb"}]}`,
		`{"threadId":"t","runId":"a/b~c","messages":[{"id":"m","role":"user","content":[{"type":"text","text":"x"}],"metadata":{"k":[null,1e400]}}],"state":{"a":12345678901234567890}}`,
		`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"tools":[{"name":"n","description":"d","parameters":{"type":"object"}}],"forwardedProps":"\ud83d"}`,
		`{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[],"resume":[{"interruptId":"i","status":"resolved","payload":{}}]}`,
		`{"threadId":"t","threadId":"u","runId":"r","messages":null}`,
		"{\"threadId\":\"\xff\",\"runId\":\"r\",\"messages\":[]}",
	} {
		f.Add([]byte(s), "application/json", "text/event-stream")
	}
	f.Add([]byte(hello), "text/plain, Application/JSON; charset=\"x", "*/*;q=0, text/*")
	h := aguihttp.Handler(echo, options(&aguihttp.Options{MaxBody: 1 << 16}))
	f.Fuzz(func(t *testing.T, body []byte, contentType, accept string) {
		req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
		req.Header.Set("Content-Type", contentType)
		req.Header.Set("Accept", accept)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		if rec.Code >= 400 && rec.Code < 500 {
			refusal(t, rec.Result())
			return
		}
		if rec.Code != http.StatusOK {
			t.Fatalf("status %d: %s", rec.Code, rec.Body)
		}
		last(t, strictly(t, rec.Body))
	})
}

// strictly reads a stream of which every byte must be part of a frame as the
// reference writes it.
func strictly(t *testing.T, body io.Reader) (all []event) {
	r := bufio.NewReader(body)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF && line == "" {
			return all
		}
		blank, err2 := r.ReadString('\n')
		data, ok := strings.CutPrefix(line, "data: ")
		if err != nil || err2 != nil || blank != "\n" || !ok || strings.ContainsRune(data, '\r') {
			t.Fatalf("frame %q, %q", line, blank)
		}
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type == "" {
			t.Fatalf("frame %q: %v", data, err)
		}
		all = append(all, e)
	}
}
