package aguitest

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestModelPassesTestClient(t *testing.T) {
	TestClient(t, func(_ *testing.T, m *Model) chat.Client { return m })
}

// mapUpdates is a client that changes what a model answers.
func mapUpdates(c chat.Client, f func(*chat.Update) []*chat.Update) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for u, err := range c.Stream(ctx, req) {
				if err != nil {
					yield(nil, err)
					return
				}
				for _, u := range f(u) {
					if !yield(u, nil) {
						return
					}
				}
			}
		}
	})
}

func mapErrors(c chat.Client, f func(error) error) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for u, err := range c.Stream(ctx, req) {
				if err != nil {
					if err = f(err); err == nil {
						return
					}
				}
				if !yield(u, err) {
					return
				}
			}
		}
	})
}

func mapRequest(c chat.Client, f func(*chat.Request) *chat.Request) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) { c.Stream(ctx, f(req))(yield) }
	})
}

func one(u *chat.Update) []*chat.Update { return []*chat.Update{u} }

// TestChecksCatchFaults breaks a good client in one way at a time, and names
// the check that must see it.
func TestChecksCatchFaults(t *testing.T) {
	faults := []struct {
		name  string
		check string
		wrap  func(chat.Client) chat.Client
	}{
		{"text held back to the end", "text in pieces", func(c chat.Client) chat.Client {
			return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
				return func(yield func(*chat.Update, error) bool) {
					var all []*chat.Update
					for u, err := range c.Stream(ctx, req) {
						if err != nil {
							yield(nil, err)
							return
						}
						all = append(all, u)
					}
					for _, u := range all {
						if !yield(u, nil) {
							return
						}
					}
				}
			})
		}},
		{"white space trimmed", "empty pieces", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update { u.Text = strings.TrimSpace(u.Text); return one(u) })
		}},
		{"JSON taken for a call", "text that looks like the wire's", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update {
				if strings.HasPrefix(u.Text, "[{") {
					return nil
				}
				return one(u)
			})
		}},
		{"a long piece cut short", "a long piece is whole or an error", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update { u.Text = u.Text[:min(len(u.Text), 1<<16)]; return one(u) })
		}},
		{"code points split", "text in pieces", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update {
				var out []*chat.Update
				for i := range len(u.Text) {
					out = append(out, &chat.Update{Text: u.Text[i : i+1]})
				}
				u.Text = ""
				return append(out, u)
			})
		}},
		{"reasoning dropped", "reasoning", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update { u.Reasoning = ""; return one(u) })
		}},
		{"usage behind the finish dropped", "usage", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update { u.Usage = nil; return one(u) })
		}},
		{"every finish a stop", "finish reasons", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update {
				if u.FinishReason != "" {
					u.FinishReason = chat.FinishStop
				}
				return one(u)
			})
		}},
		{"no finish reason", "nothing said", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update { u.FinishReason = ""; return one(u) })
		}},
		{"arguments of calls mixed", "calls that alternate", func(c chat.Client) chat.Client {
			last := ""
			return mapUpdates(c, func(u *chat.Update) []*chat.Update {
				for i, d := range u.ToolCalls {
					if d.Name != "" {
						last = d.ID
					}
					u.ToolCalls[i].ID = last
				}
				return one(u)
			})
		}},
		{"the provider's ids as they are", "ids that the conversation has", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update {
				for i := range u.ToolCalls {
					u.ToolCalls[i].ID = "call_0"
				}
				return one(u)
			})
		}},
		{"no ids", "calls without ids", func(c chat.Client) chat.Client {
			return mapUpdates(c, func(u *chat.Update) []*chat.Update {
				for i := range u.ToolCalls {
					u.ToolCalls[i].ID = ""
				}
				return one(u)
			})
		}},
		{"cuts taken for ends", "a cut stream is an error", func(c chat.Client) chat.Client {
			return mapErrors(c, func(err error) error {
				if errors.Is(err, ErrCut) {
					return nil
				}
				return err
			})
		}},
		{"errors swallowed", "an error inside the stream", func(c chat.Client) chat.Client {
			return mapErrors(c, func(error) error { return nil })
		}},
		{"the cause forgotten", "an error before the first chunk", func(c chat.Client) chat.Client {
			return mapErrors(c, func(error) error { return errors.New("failed") })
		}},
		{"cancellation renamed", "cancelled inside the stream", func(c chat.Client) chat.Client {
			return mapErrors(c, func(error) error { return errors.New("stopped") })
		}},
		{"the provider called early", "each range is a call", func(c chat.Client) chat.Client {
			return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
				var all []*chat.Update
				for u, err := range c.Stream(ctx, req) {
					if err == nil {
						all = append(all, u)
					}
				}
				return func(yield func(*chat.Update, error) bool) {
					for _, u := range all {
						if !yield(u, nil) {
							return
						}
					}
				}
			})
		}},
		{"streams that share state", "concurrent streams", func(c chat.Client) chat.Client {
			var mu sync.Mutex
			first := ""
			return mapRequest(c, func(r *chat.Request) *chat.Request {
				mu.Lock()
				defer mu.Unlock()
				r = r.Clone()
				if first == "" {
					first = r.Messages[0].Content.Text()
				}
				r.Messages[0].Content = agui.Text(first)
				return r
			})
		}},
		{"live messages dropped", "live messages come last, anew at each call", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request { r = r.Clone(); r.Live = nil; return r })
		}},
		{"live messages kept in the request", "the request is not changed", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request {
				r.Messages = append(r.Messages, agui.SystemMessage("state"))
				return r
			})
		}},
		{"appended behind the request's messages", "the request is not changed", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request {
				copied := *r
				copied.Messages = append(copied.Messages, agui.SystemMessage("state"))
				return &copied
			})
		}},
		{"history dropped", "the conversation reaches the provider", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request {
				r = r.Clone()
				r.Messages = r.Messages[len(r.Messages)-1:]
				return r
			})
		}},
		{"tools dropped", "tools are offered", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request { r = r.Clone(); r.Tools = nil; return r })
		}},
		{"tool choice dropped", "tool choice none", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request { r = r.Clone(); r.ToolChoice = chat.ToolChoice{}; return r })
		}},
		{"tool choice dropped", "tool choice required and named", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request { r = r.Clone(); r.ToolChoice = chat.ToolChoice{}; return r })
		}},
		{"format dropped", "the response format is not ignored", func(c chat.Client) chat.Client {
			return mapRequest(c, func(r *chat.Request) *chat.Request { r = r.Clone(); r.ResponseFormat = nil; return r })
		}},
	}
	for _, f := range faults {
		t.Run(f.name+"/"+f.check, func(t *testing.T) {
			for _, c := range checks() {
				if c.name != f.check {
					continue
				}
				// Some faults hang a check, which then ends with its context.
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				defer cancel()
				s := &subject{open: func(m *Model) chat.Client { return f.wrap(m) }}
				err := c.run(ctx, s)
				if err == nil {
					t.Error("the check saw nothing")
				}
				t.Log(err)
				return
			}
			t.Fatalf("no check is called %q", f.check)
		})
	}
}

// deaf keeps its model playing when the receiver has gone.
func TestChecksCatchADeafProvider(t *testing.T) {
	for _, name := range []string{"break stops the provider", "cancelled inside the stream"} {
		for _, c := range checks() {
			if c.name != name {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			err := c.run(ctx, &subject{open: func(m *Model) chat.Client {
				return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
					return func(yield func(*chat.Update, error) bool) {
						updates := make(chan *chat.Update)
						done := make(chan struct{})
						deaf, stop := context.WithCancel(context.WithoutCancel(ctx))
						t.Cleanup(func() { stop(); <-done })
						go func() {
							defer close(done)
							for u, err := range m.Stream(deaf, req) {
								if err != nil {
									return
								}
								select {
								case updates <- u:
								case <-deaf.Done():
								}
							}
						}()
						for {
							select {
							case u := <-updates:
								if !yield(u, nil) {
									return
								}
							case <-ctx.Done():
								yield(nil, ctx.Err())
								return
							}
						}
					}
				})
			}})
			if err == nil {
				t.Errorf("%s: the check saw nothing", name)
			}
		}
	}
}

func TestLimitsAreUsed(t *testing.T) {
	used := map[Limit]bool{}
	for _, c := range checks() {
		used[c.unless] = true
	}
	for _, l := range []Limit{NoReasoning, NoUsage, NoToolChoice} {
		if !used[l] {
			t.Errorf("no check asks for %q", l)
		}
	}
	// A client that cannot let calls alternate passes with the limit only.
	refusing := func(m *Model) chat.Client {
		last := ""
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for u, err := range m.Stream(ctx, req) {
					if err == nil && len(u.ToolCalls) > 0 {
						if d := u.ToolCalls[0]; d.Name == "" && d.ID != last {
							u, err = nil, errors.New("the arguments are not JSON")
						} else {
							last = d.ID
						}
					}
					if !yield(u, err) || err != nil {
						return
					}
				}
			}
		})
	}
	for _, c := range checks() {
		if c.name != "calls that alternate" {
			continue
		}
		if err := c.run(t.Context(), &subject{open: refusing}); err == nil {
			t.Error("without the limit the check saw nothing")
		}
		if err := c.run(t.Context(), &subject{open: refusing, limits: []Limit{NoInterleaving}}); err != nil {
			t.Errorf("with the limit: %v", err)
		}
	}
}
