package aguihttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Bodies are read into memory that serves again: what a run keeps of its input
// stays as it was, whatever comes after it, bodies that are cut, too large, no
// JSON or whose reader panics among them.
func TestInputsShareNothing(t *testing.T) {
	kept := map[string]*agui.RunAgentInput{}
	client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		in, _ := chat.InputFrom(ctx)
		kept[in.RunID] = in
		return script(nil, stop).Stream(ctx, req)
	})
	h := aguihttp.Handler(client, options(&aguihttp.Options{MaxBody: 20_000}))
	body := func(i int) string {
		s := strings.Repeat(fmt.Sprintf("%d,", i), 100-i)
		return strings.NewReplacer("$", s, "#", fmt.Sprint(i)).Replace(`{"threadId":"$","runId":"#","protocolVersion":"1.0","parentRunId":"$",` +
			`"state":{"$":"$","n":1234567890123456789012345#},"forwardedProps":["$"],"unknown":"$",` +
			`"messages":[{"id":"$","role":"user","name":"$","content":[{"type":"text","text":"\u00e9$","metadata":"$"},` +
			`{"type":"image","source":{"type":"url","value":"$","mimeType":"$"}}],"metadata":{"$":[1#,"$"]},"more":"$"},` +
			`{"id":"a","role":"assistant","toolCalls":[{"id":"$","type":"function","function":{"name":"$","arguments":"$"}}]}],` +
			`"tools":[{"name":"$","description":"$","parameters":{"$":"$"}}],"context":[{"description":"$","value":"$"}],` +
			`"resume":[{"interruptId":"$","status":"resolved","payload":"$"}]}`)
	}
	serve := func(r io.Reader) {
		req := httptest.NewRequest("POST", "/", r)
		req.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), req)
	}
	const runs = 90
	for i := range runs {
		serve(strings.NewReader(body(i)))
		other := strings.Repeat("Z", 10_000)
		for _, r := range []io.Reader{
			io.MultiReader(strings.NewReader(other), broken{}),
			io.MultiReader(strings.NewReader(other), panics{"cut"}),
			io.MultiReader(strings.NewReader(other + other + other)),
			strings.NewReader(other),
		} {
			serve(r)
		}
	}
	if len(kept) != runs {
		t.Fatalf("%d inputs", len(kept))
	}
	for i := range runs {
		want, err := agui.ParseInput([]byte(body(i)))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := inJSON(t, kept[fmt.Sprint(i)]), inJSON(t, want); !bytes.Equal(got, want) {
			t.Errorf("input %d has become\n%s\nit was\n%s", i, got, want)
		}
	}
}

func inJSON(t *testing.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
