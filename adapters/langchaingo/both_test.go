package langchaingo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/adapters/openai"
	scripts "github.com/aguistate/aguistate/internal/transcript"
	"github.com/aguistate/aguistate/middleware/chat"
)

// TestBothAdapters plays the answers that the openai adapter is tested with,
// and wants the same of them behind the tap.
func TestBothAdapters(t *testing.T) {
	for _, tr := range scripts.Load(t, "../../internal/transcript/testdata") {
		if kind, _, _ := strings.Cut(tr.Name, "-"); kind == "request" || kind == "retry" || len(tr.Responses) > 1 {
			continue
		}
		t.Run(tr.Name, func(t *testing.T) {
			in, err := tr.Input()
			if err != nil {
				t.Fatal(err)
			}
			req := tr.Call.Apply(&chat.Request{Messages: in.Messages})
			for _, tool := range in.Tools {
				req.Tools = append(req.Tools, chat.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters})
			}
			s := tr.Serve(t)
			want := ask(t.Context(), openai.New("test-model", &openai.Options{BaseURL: s.URL, HTTPClient: httpClient(t, false), MaxRetries: -1}), req)
			got := ask(t.Context(), langchaingo.New(openaiAt(t, tr.Serve(t).URL, true), &langchaingo.Options{Model: "test-model"}), req)
			want.opaque = got.opaque // which it does not read
			compare(t, got, want)
			var e, f *chat.Error
			errors.As(want.err, &e)
			errors.As(got.err, &f)
			if (want.err == nil) != (got.err == nil) || e != nil && (f == nil || e.Code != f.Code) {
				t.Errorf("error %v, want %v", got.err, want.err)
			}
		})
	}
}
