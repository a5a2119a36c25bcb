package aguiclient_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

type userKey struct{}

// An agent in this process is as far away as one on a network: what it does not
// share itself it does not find in the run that asks it.
func TestAnAgentInThisProcessIsBeyondTheWire(t *testing.T) {
	for way, reach := range map[string]func(chat.Client) aguiclient.Transport{
		"Local": func(c chat.Client) aguiclient.Transport { return aguiclient.Local(c, quiet) },
		"Handler": func(c chat.Client) aguiclient.Transport {
			h := aguihttp.Handler(c, nil)
			return aguiclient.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, ok := chat.InputFrom(r.Context()); ok {
					t.Error("the request has the input of the run that sends it")
				}
				h.ServeHTTP(w, r)
			}), "/", nil)
		},
	} {
		ran := false
		edit := chat.NewTool("edit", "Edits.", func(ctx context.Context, _ struct{}) (string, error) {
			ran = true
			if err := state.Update(ctx, func(r *recipe) error { r.Title = "taken"; return nil }); !errors.Is(err, state.ErrNoSession) {
				t.Errorf("%s: the agent edits a state that it does not share: %v", way, err)
			}
			if in, ok := chat.InputFrom(ctx); !ok || len(in.Resume) != 1 {
				t.Errorf("%s: the agent's input is %+v", way, in)
			}
			if entry, _, ok := chat.TakeResume(ctx, "b"); !ok || entry.Status != agui.ResumeCancelled {
				t.Errorf("%s: the agent does not find its answer", way)
			}
			if _, ok := ctx.Deadline(); ctx.Value(userKey{}) != "somebody" || !ok {
				t.Errorf("%s: what the application says is lost", way)
			}
			return "done", nil
		})
		// It asks by hand, so InvokeFunctions leaves its answers alone.
		agent := chat.NewBuilder(aguitest.NewModel(aguitest.Call("c", "edit"), aguitest.Text("Done."))).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{edit}})).
			Use(func(next chat.Client) chat.Client { return asker{chat.Delegating{Client: next}} }).Build()
		chain := chat.NewBuilder(aguiclient.New(reach(agent), nil)).Use(state.Share[recipe](state.Silent())).Build()
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), userKey{}, "somebody"), time.Hour)
		th := aguiclient.NewThread[recipe](aguiclient.Local(chain, quiet), &aguiclient.ThreadOptions{State: []byte(`{"title":"kept"}`)})
		must(t, aguiclient.Drain(th.Resume(ctx, agui.ResumeEntry{InterruptID: "b", Status: agui.ResumeCancelled})))
		cancel()
		if got := stateOf(t, th); !ran || got.Title != "kept" {
			t.Errorf("%s: ran %v, the state is %+v", way, ran, got)
		}
	}
}

// asker is a client that has asked questions by hand.
type asker struct{ chat.Delegating }

func (asker) TakesResume() {}
