package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	goopenai "github.com/sashabaranov/go-openai"
)

func sdkWith(doer goopenai.HTTPDoer) *goopenai.Client {
	config := goopenai.DefaultConfig("key")
	config.BaseURL, config.HTTPClient = "http://model.test/v1", doer
	return goopenai.NewClientWithConfig(config)
}

// The SDK's other calls pass through a Doer, with its retries.
func TestDoerOfOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &script{replies: []reply{
			{status: 503, body: "{}"},
			{status: 200, header: http.Header{"Content-Type": {"application/json"}}, body: `{"data":[{"index":0,"embedding":[0.5]}],"model":"e"}`},
		}}
		resp, err := sdkWith(Doer(transport, nil)).CreateEmbeddings(t.Context(), goopenai.EmbeddingRequestStrings{Input: []string{"x"}, Model: "e"})
		if err != nil || len(resp.Data) != 1 || resp.Data[0].Embedding[0] != 0.5 {
			t.Errorf("%+v %v", resp, err)
		}
		if len(transport.bodies) != 2 || transport.bodies[0] != transport.bodies[1] || !strings.Contains(transport.bodies[0], `"input":["x"]`) {
			t.Errorf("sent %q", transport.bodies)
		}
		if transport.open != 0 {
			t.Errorf("%d bodies were not closed", transport.open)
		}
	})
}

// A request whose body can be read once only is sent once.
func TestDoerOfAStreamedBody(t *testing.T) {
	transport := &script{replies: []reply{{status: 503}}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test", io.MultiReader(strings.NewReader("once")))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := Doer(transport, nil).Do(req)
	if err != nil || resp.StatusCode != 503 || len(transport.bodies) != 1 || transport.bodies[0] != "once" {
		t.Errorf("%v %v, sent %q", resp, err, transport.bodies)
	}
}

// Through a Doer, the SDK's own Recv sees errors that it loses alone.
func TestDoerUnderTheSDKsReader(t *testing.T) {
	for _, failure := range []string{
		": keep-alive\n\ndata: {\"error\":{\"message\":\"overloaded\"}}\n",
		"error: {\"message\":\"overloaded\"}\n\n",
		"event: error\ndata: {\"message\":\"overloaded\"}\n\n",
	} {
		body := strings.Repeat(": keep-alive\n\n", 400) + textChunk + failure
		doer := Doer(doerFunc(func(r *http.Request) (*http.Response, error) {
			resp, err := fixed([]byte(body), 1<<10)(r)
			return resp, err
		}), nil)
		stream, err := sdkWith(doer).CreateChatCompletionStream(t.Context(), goopenai.ChatCompletionRequest{Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		chunk, err := stream.Recv()
		if err != nil || chunk.Choices[0].Delta.Content != "Hi" {
			t.Errorf("%+v %v", chunk, err)
		}
		_, err = stream.Recv()
		var api *goopenai.APIError
		if !errors.As(err, &api) || api.Message != "overloaded" {
			t.Errorf("%q: %v", failure, err)
		}
		stream.Close()
	}
}

// The total timeout of a client that is handed to Doer is its idle timeout.
func TestDoerOfAClientWithTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk)
			<-r.Context().Done()
		})
		for _, c := range []struct {
			o    *Options
			took time.Duration
		}{{nil, time.Minute}, {&Options{IdleTimeout: time.Hour}, time.Hour}} {
			doer := Doer(&http.Client{Transport: s.client.Transport, Timeout: time.Minute}, c.o)
			from := time.Now()
			_, _, _, err := gather(FromClient(sdkWith(doer), "m", nil).Stream(t.Context(), hi()))
			if !errors.Is(err, ErrIdle) || time.Since(from) != c.took {
				t.Errorf("%v after %v", err, time.Since(from))
			}
		}
	})
}

// What a finished stream still has is read within bounds, and no longer than
// a moment.
func TestDrainIsBounded(t *testing.T) {
	for name, tail := range map[string]string{"silence": "", "a flood": strings.Repeat(": x\n", 1<<16)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
					stream(w, r, textChunk, stopChunk, doneLine, tail)
					<-r.Context().Done()
				})
				from := time.Now()
				text, _, _, err := gather(s.model(nil).Stream(t.Context(), hi()))
				if took := time.Since(from); text != "Hi" || err != nil || took > 50*time.Millisecond {
					t.Errorf("%q %v after %v", text, err, took)
				}
				if active, idle := s.settled(); active+idle != 0 {
					t.Errorf("%d connections in use, %d idle", active, idle)
				}
			})
		})
	}
}

func TestFromClientOfNil(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a nil client was taken")
		}
	}()
	FromClient(nil, "m", nil)
}

// A nil *http.Client is no client.
func TestNilHTTPClient(t *testing.T) {
	var none *http.Client
	if d := Doer(none, nil).(*doer); d.inner != goopenai.HTTPDoer(pooled) {
		t.Errorf("the inner client is %v", d.inner)
	}
}
