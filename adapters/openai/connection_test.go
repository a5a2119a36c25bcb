package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/internal/silence"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

const (
	textChunk  = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n"
	callChunk  = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"A\",\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}}]}}]}\n\n"
	stopChunk  = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	usageChunk = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}\n\n"
	doneLine   = "data: [DONE]\n\n"
)

func hi() *chat.Request { return &chat.Request{Messages: []agui.Message{agui.UserMessage("hi")}} }

// stream writes pieces as an event stream, each flushed; it stops when the
// client has gone.
func stream(w http.ResponseWriter, r *http.Request, pieces ...string) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range pieces {
		if _, err := io.WriteString(w, p); err != nil {
			return
		}
		if http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}

func (s *memoryServer) model(o *Options) chat.Client {
	var set Options
	if o != nil {
		set = *o
	}
	set.BaseURL = "http://model.test/v1"
	if set.HTTPClient == nil {
		set.HTTPClient = s.client
	}
	return New("m", &set)
}

// gather ranges to the end.
func gather(seq func(func(*chat.Update, error) bool)) (text string, finish chat.FinishReason, usage *agui.TokenUsage, err error) {
	for u, e := range seq {
		if e != nil {
			err = e
			continue
		}
		text += u.Text
		if u.Usage != nil {
			usage = u.Usage
		}
		if u.FinishReason != "" {
			finish = u.FinishReason
		}
	}
	return text, finish, usage, err
}

// Break, and cancel, at every update: the connection is closed, the handler
// told, and no goroutine left, or the bubble would not end.
func TestLeavingAtEveryChunk(t *testing.T) {
	pieces := []string{textChunk, textChunk, callChunk, ": keep-alive\n\n", stopChunk, usageChunk}
	for _, way := range []string{"break", "cancel"} {
		for at := range 6 {
			t.Run(fmt.Sprintf("%s at %d", way, at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
						stream(w, r, pieces...)
						<-r.Context().Done() // never an end of its own
					})
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					n := 0
					var last error
					for _, err := range s.model(&Options{IdleTimeout: -1}).Stream(ctx, hi()) {
						if last = err; err != nil {
							continue
						}
						if n++; n <= at {
							continue
						}
						if way == "break" {
							break
						}
						cancel()
					}
					if at < 5 && way == "cancel" && !errors.Is(last, context.Canceled) {
						t.Errorf("the stream ended with %v", last)
					}
					if active, idle := s.settled(); active+idle != 0 {
						t.Errorf("%d connections in use, %d idle, after the stream was left", active, idle)
					}
				})
			})
		}
	}
}

// A finished stream gives its connection back, although the server ends it
// only some time after [DONE].
func TestConnectionsAreUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk, stopChunk, doneLine)
			time.Sleep(20 * time.Millisecond)
		})
		c := s.model(nil)
		for range 10 {
			if text, finish, _, err := gather(c.Stream(t.Context(), hi())); text != "Hi" || finish != chat.FinishStop || err != nil {
				t.Fatalf("%q %q %v", text, finish, err)
			}
		}
		if n := s.dialled(); n != 1 {
			t.Errorf("%d connections for 10 streams", n)
		}
	})
}

// Failed tries give theirs back too.
func TestRetriesUseTheConnectionAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
			if tries++; tries < 3 {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Retry-After", "1")
				http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
				return
			}
			stream(w, r, textChunk, stopChunk, doneLine)
		})
		if text, _, _, err := gather(s.model(nil).Stream(t.Context(), hi())); text != "Hi" || err != nil {
			t.Fatalf("%q %v", text, err)
		}
		if n := s.dialled(); n != 1 {
			t.Errorf("%d connections for 3 tries", n)
		}
	})
}

func TestIdleTimeout(t *testing.T) {
	const idle = time.Minute
	cases := []struct {
		name    string
		handler http.HandlerFunc
		options Options
		took    time.Duration // 0: the answer is good
	}{
		{"before the header", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, Options{IdleTimeout: idle}, idle},
		{"between chunks", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk)
			time.Sleep(idle / 2)
			stream(w, r, textChunk)
			<-r.Context().Done()
		}, Options{IdleTimeout: idle}, idle / 2 * 3},
		{"inside a line", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk[:20])
			<-r.Context().Done()
		}, Options{IdleTimeout: idle}, idle},
		{"the timeout of an http.Client", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk)
			<-r.Context().Done()
		}, Options{HTTPClient: &http.Client{Timeout: idle}}, idle},
		{"keep-alive lines are a sign of life", func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk)
			for range 10 {
				time.Sleep(idle - time.Second)
				stream(w, r, ": keep-alive\n\n")
			}
			stream(w, r, stopChunk, doneLine)
		}, Options{IdleTimeout: idle}, 0},
		{"a long stream under an http.Client's timeout", func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				time.Sleep(idle - time.Second)
				stream(w, r, ": keep-alive\n\n")
			}
			stream(w, r, textChunk, stopChunk, doneLine)
		}, Options{HTTPClient: &http.Client{Timeout: idle}}, 0},
		{"none", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(100 * time.Hour)
			stream(w, r, textChunk, stopChunk, doneLine)
		}, Options{IdleTimeout: -1}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newMemoryServer(t, c.handler)
				o := c.options
				if h, ok := o.HTTPClient.(*http.Client); ok {
					o.HTTPClient = &http.Client{Transport: s.client.Transport, Timeout: h.Timeout}
				}
				from := time.Now()
				text, finish, _, err := gather(s.model(&o).Stream(t.Context(), hi()))
				if c.took == 0 {
					if text != "Hi" || finish != chat.FinishStop || err != nil {
						t.Errorf("%q %q %v", text, finish, err)
					}
					return
				}
				var e *chat.Error
				if !errors.Is(err, ErrIdle) || !errors.As(err, &e) || e.Code != chat.CodeTimeout {
					t.Errorf("the stream ended with %v", err)
				}
				if took := time.Since(from); took != c.took {
					t.Errorf("after %v, want %v", took, c.took)
				}
			})
		})
	}
}

// The receiver's own time is not the server's silence.
func TestSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk, textChunk, stopChunk, doneLine)
		})
		for _, err := range s.model(&Options{IdleTimeout: time.Second}).Stream(t.Context(), hi()) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
	})
}

// A server that finishes and then neither says [DONE] nor hangs up does not
// hold the answer back for long.
func TestSilenceBehindTheFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, textChunk, stopChunk, usageChunk)
			<-r.Context().Done()
		})
		from := time.Now()
		text, finish, usage, err := gather(s.model(nil).Stream(t.Context(), hi()))
		if text != "Hi" || finish != chat.FinishStop || usage == nil || err != nil {
			t.Errorf("%q %q %v %v", text, finish, usage, err)
		}
		if took := time.Since(from); took != silence.Grace {
			t.Errorf("it took %v", took)
		}
	})
}

// So it is for a stream that the caller has opened with a Doer.
func TestSilenceBehindTheFinishOfUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
			stream(w, r, "data: {\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
			time.Sleep(time.Minute) // that was another choice
			stream(w, r, textChunk, "data: {\"choices\":[{\"finish_reason\" : null}, {\"index\":0,\"delta\":{},\"finish_reason\" : \"stop\"}]}\n\n", usageChunk)
			<-r.Context().Done()
		})
		from := time.Now()
		opened, err := sdkWith(Doer(s.client, nil)).CreateChatCompletionStream(t.Context(), goopenai.ChatCompletionRequest{Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		text, finish, usage, err := gather(Updates(opened, nil, nil))
		if text != "Hi" || finish != chat.FinishStop || usage == nil || err != nil {
			t.Errorf("%q %q %v %v", text, finish, usage, err)
		}
		if took := time.Since(from); took != time.Minute+silence.Grace {
			t.Errorf("it took %v", took)
		}
	})
}

// An error's status counts, and what the server asks for, also when its body
// breaks off or never ends.
func TestErrorBodyBreaksOff(t *testing.T) {
	for name, silent := range map[string]bool{"cut": false, "silent": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				status, tries := http.StatusUnauthorized, 0
				s := newMemoryServer(t, func(w http.ResponseWriter, r *http.Request) {
					if tries++; tries == 2 && status == http.StatusTooManyRequests {
						stream(w, r, textChunk, stopChunk, doneLine)
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Retry-After", "7")
					w.Header().Set("Content-Length", "100")
					w.WriteHeader(status)
					stream(w, r, `{"error":`)
					if silent {
						<-r.Context().Done()
					}
				})
				model := s.model(&Options{IdleTimeout: time.Second})
				_, _, _, err := gather(model.Stream(t.Context(), hi()))
				var e *chat.Error
				if !errors.As(err, &e) || e.Code != chat.CodeAuthentication || tries != 1 {
					t.Errorf("after %d tries: %v", tries, err)
				}
				status, tries = http.StatusTooManyRequests, 0
				from := time.Now()
				text, _, _, err := gather(model.Stream(t.Context(), hi()))
				want := 7 * time.Second
				if silent {
					want += time.Second
				}
				if took := time.Since(from); text != "Hi" || err != nil || took != want {
					t.Errorf("%q %v after %v", text, err, took)
				}
			})
		})
	}
}
