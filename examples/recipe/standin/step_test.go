package standin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

func stepBody(wish string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{Model: Model, Messages: []openai.ChatCompletionMessage{carrier(taco()), user(wish)}}
}

// A chunk comes after its release and not before, and the step answers after
// the chunk has been flushed.
func TestStep(t *testing.T) {
	s, c := start(t, &Options{Step: true, Pace: time.Hour})
	st, err := c.CreateChatCompletionStream(t.Context(), stepBody("what is the first step?"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	text := ""
	for i := 0; ; i++ {
		got, err := s.Release(t.Context(), 1)
		if err != nil || len(got) != 1 || got[0].Index != i || got[0].Request != 1 {
			t.Fatalf("%v: got %+v", err, got)
		}
		chunk, err := st.Recv()
		if err != nil {
			t.Fatal(err)
		}
		var released openai.ChatCompletionStreamResponse
		if err := json.Unmarshal([]byte(got[0].Data), &released); err != nil || released.Choices[0].Delta.Content != chunk.Choices[0].Delta.Content {
			t.Fatalf("%v: released %s, received %+v", err, got[0].Data, chunk)
		}
		text += chunk.Choices[0].Delta.Content
		if got[0].Last {
			break
		}
	}
	if _, err := st.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last: %v", err)
	}
	if text != "Step 1 of 3: Melt the butter and the peanut butter." {
		t.Errorf("got %q", text)
	}
}

// A step may come before the request it is for.
func TestStepFirst(t *testing.T) {
	s, c := start(t, &Options{Step: true})
	done := make(chan []Released)
	go func() {
		got, err := s.Release(t.Context(), 2)
		if err != nil {
			t.Error(err)
		}
		done <- got
	}()
	st, err := c.CreateChatCompletionStream(t.Context(), stepBody("how many eggs?"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if got := <-done; len(got) != 2 || got[1].Index != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestStepOverHTTP(t *testing.T) {
	s, c := start(t, &Options{Step: true})
	answer := make(chan turn)
	go func() {
		got, err := collect(t.Context(), c, stepBody("list all the ingredients"))
		if err != nil {
			t.Error(err)
		}
		answer <- got
	}()
	read := func(path string) (out struct{ Released []Released }) {
		status, body, _ := post(t, s, path, "")
		if err := json.Unmarshal([]byte(body), &out); err != nil || status != 200 {
			t.Fatalf("%d, %v: %s", status, err, body)
		}
		return out
	}
	if got := read("/step").Released; len(got) != 1 || got[0].Last {
		t.Errorf("got %+v", got)
	}
	if got := read("/step?n=3").Released; len(got) != 3 || got[2].Index != 3 {
		t.Errorf("got %+v", got)
	}
	rest := read("/step?n=rest").Released
	if got := <-answer; got.chunks != 4+len(rest) || !strings.Contains(got.text, "Chicken stock (1.5 l)") || !rest[len(rest)-1].Last {
		t.Errorf("%d chunks after %d: %q", got.chunks, len(rest), got.text)
	}
}

// An unstreamed answer is one chunk.
func TestStepUnstreamed(t *testing.T) {
	s, c := start(t, &Options{Step: true})
	done := make(chan error)
	go func() {
		_, err := c.CreateChatCompletion(t.Context(), stepBody("how many eggs?"))
		done <- err
	}()
	got, err := s.Release(t.Context(), 1)
	if err != nil || len(got) != 1 || !got[0].Last || !strings.Contains(got[0].Data, "Eggs: 2-3") {
		t.Errorf("%v: %+v", err, got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Several answers at once share the steps, and every chunk is released once.
func TestStepConcurrently(t *testing.T) {
	s, c := start(t, &Options{Step: true})
	const streams, steppers = 6, 4
	var clients, steps sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for range streams {
		clients.Go(func() {
			got, err := collect(t.Context(), c, stepBody("how many eggs?"))
			if err != nil || got.text != "Eggs: 2-3" {
				t.Errorf("%v: %q", err, got.text)
			}
		})
	}
	var mu sync.Mutex
	seen := map[[2]int]int{}
	for range steppers {
		steps.Go(func() {
			for {
				got, err := s.Release(ctx, 1)
				mu.Lock()
				for _, r := range got {
					seen[[2]int{r.Request, r.Index}]++
				}
				mu.Unlock()
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	clients.Wait()
	cancel()
	steps.Wait()
	if len(seen) != streams*4 {
		t.Errorf("released %d chunks, want %d", len(seen), streams*4)
	}
	for k, n := range seen {
		if n != 1 {
			t.Errorf("chunk %v was released %d times", k, n)
		}
	}
}

// A client that leaves takes no step with it: the next one serves the next client.
func TestClientGone(t *testing.T) {
	s, c := start(t, &Options{Step: true})
	ctx, cancel := context.WithCancel(t.Context())
	st, err := c.CreateChatCompletionStream(ctx, stepBody("list all the ingredients"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Release(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	cancel()
	st.Close()
	answer := make(chan turn)
	go func() {
		got, err := collect(t.Context(), c, stepBody("how many eggs?"))
		if err != nil {
			t.Error(err)
		}
		answer <- got
	}()
	for last := false; !last; {
		got, err := s.Release(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		last = got[0].Request == 2 && got[0].Last
	}
	if got := <-answer; got.text != "Eggs: 2-3" {
		t.Errorf("got %q", got.text)
	}
}

// Closing ends answers that wait for the pace, for a step or for ever, and the
// steps that wait for a chunk.
func TestCloseEndsEverything(t *testing.T) {
	for name, o := range map[string]*Options{"pace": {Pace: time.Hour}, "step": {Step: true}, "hang": {}} {
		t.Run(name, func(t *testing.T) {
			s, c := start(t, o)
			if name == "hang" {
				if err := s.InjectFault(Fault{Kind: "hang", After: 0}); err != nil {
					t.Fatal(err)
				}
			}
			st, err := c.CreateChatCompletionStream(t.Context(), stepBody("list all the ingredients"))
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = st.Recv()
			}
			if _, err := s.Release(t.Context(), 1); err == nil {
				t.Error("a step went through after the close")
			}
		})
	}
}

func TestModeSwitch(t *testing.T) {
	s, c := start(t, &Options{Step: true})
	answer := make(chan turn)
	go func() {
		got, err := collect(t.Context(), c, stepBody("how many eggs?"))
		if err != nil {
			t.Error(err)
		}
		answer <- got
	}()
	if _, err := s.Release(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if status, body, _ := post(t, s, "/mode?step=false&pace=0s", ""); status != 200 {
		t.Fatal(body)
	}
	if got := <-answer; got.text != "Eggs: 2-3" {
		t.Errorf("got %q", got.text)
	}
	if _, err := s.Release(t.Context(), 1); !errors.Is(err, errNotStepping) {
		t.Errorf("got %v", err)
	}
	s.SetStep(true)
	s.SetStep(true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Release(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFaults(t *testing.T) {
	s, c := start(t, nil)
	req := stepBody("what is the first step?")
	req.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	const whole = "Step 1 of 3: Melt the butter and the peanut butter."
	for _, tt := range []struct {
		kind, err string // a part of the error the client sees
		status    int
		finish    openai.FinishReason
		refused   bool
	}{
		{kind: "cut"}, {kind: "tear"}, {kind: "abort", err: "unexpected EOF"},
		{kind: "error", err: "told to fail"}, {kind: "error-late"}, {kind: "error-plain"}, {kind: "garbage", err: "invalid character '<'"},
		{kind: "refuse", finish: "stop", refused: true}, {kind: "length", finish: "length"}, {kind: "filter", finish: "content_filter"},
		{kind: "status500", err: "500", status: 500}, {kind: "status429", err: "429", status: 429},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			if status, body, _ := post(t, s, "/fault?after=-3&kind="+tt.kind, ""); status != 200 {
				t.Fatal(body)
			}
			got, err := collect(t.Context(), c, req)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if got.finish != tt.finish || !strings.HasPrefix(whole, got.text) || got.text == whole {
				t.Errorf("finish %q, text %q", got.finish, got.text)
			}
			if (got.refusal != "") != tt.refused {
				t.Errorf("refusal %q", got.refusal)
			}
			if tt.status == 0 && !tt.refused && got.text == "" {
				t.Error("nothing came before the fault")
			}
			var api *openai.APIError
			if tt.status != 0 && (!errors.As(err, &api) || api.HTTPStatusCode != tt.status) {
				t.Errorf("error %#v", err)
			}
			if after := ask(t, c, req); after.text != whole || after.finish != "stop" || after.usage == nil {
				t.Errorf("the next answer: %+v", after)
			}
		})
	}
	t.Run("hang", func(t *testing.T) {
		if err := s.InjectFault(Fault{Kind: "hang", After: 2}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		st, err := c.CreateChatCompletionStream(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		for range 2 {
			if _, err := st.Recv(); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if _, err := st.Recv(); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("in a call", func(t *testing.T) {
		for _, kind := range []string{"cut", "length"} {
			if err := s.InjectFault(Fault{Kind: kind, After: 4}); err != nil {
				t.Fatal(err)
			}
			got, err := collect(t.Context(), c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(taco()), user("make it vegan")}, Tools: tools(t, writeTool)})
			if err != nil || len(got.calls) != 1 || json.Valid([]byte(got.calls[0].Function.Arguments)) || got.finish == "tool_calls" {
				t.Errorf("%s: %v, %+v", kind, err, got)
			}
		}
	})
	t.Run("after all", func(t *testing.T) {
		if err := s.InjectFault(Fault{Kind: "cut", After: 1000}); err != nil {
			t.Fatal(err)
		}
		if got, err := collect(t.Context(), c, req); err != nil || got.text != whole || got.finish != "" {
			t.Errorf("%v: %+v", err, got)
		}
	})
	t.Run("several", func(t *testing.T) {
		if status, body, _ := post(t, s, "/fault?kind=status503&times=2", ""); status != 200 {
			t.Fatal(body)
		}
		for i, want := range []bool{false, false, true} {
			if _, err := collect(t.Context(), c, req); (err == nil) != want {
				t.Errorf("answer %d: %v", i, err)
			}
		}
	})
	t.Run("unknown", func(t *testing.T) {
		for _, k := range []string{"", "statusX", "status200", "boom"} {
			if s.InjectFault(Fault{Kind: k}) == nil {
				t.Errorf("%q went through", k)
			}
		}
	})
}

func TestFaultsUnstreamed(t *testing.T) {
	s, c := start(t, nil)
	for kind, want := range map[string]string{"cut": "unexpected EOF", "abort": "unexpected EOF", "garbage": "invalid character '<'", "status502": "502"} {
		if err := s.InjectFault(Fault{Kind: kind, After: -1}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CreateChatCompletion(t.Context(), stepBody("how many eggs?")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if err := s.InjectFault(Fault{Kind: "hang"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.CreateChatCompletion(ctx, stepBody("how many eggs?"))
		done <- err
	}()
	if _, err := s.WaitRequest(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
