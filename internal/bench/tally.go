package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// tally is the state of the loss runs: what has been said so far.
type tally struct {
	Run   string   `json:"run"`
	Count int      `json:"count"`
	Words []string `json:"words"`
}

// words is what the run of a name says. Server and client both work it out, so
// that neither has to trust the other.
func words(run string) []string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(run)) // never fails
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	all := make([]string, 5+r.IntN(30))
	for i := range all {
		all[i] = fmt.Sprintf("w%d-%d \"\n%s", i, r.IntN(1000), strings.Repeat("é", r.IntN(20)))
	}
	return all
}

// tallying is a model that says the words of its run and counts them in the
// state, at its own pace.
func tallying() chat.Client {
	return model(func(ctx context.Context, say func(*chat.Update) bool) error {
		in, ok := chat.InputFrom(ctx)
		if !ok {
			return fmt.Errorf("no input")
		}
		for i, w := range words(in.RunID) {
			err := state.Update(ctx, func(t *tally) error {
				t.Run, t.Count = in.RunID, i+1
				t.Words = append(t.Words, w)
				return nil
			})
			if err != nil {
				return err
			}
			if !say(&chat.Update{Text: w}) {
				return nil
			}
			select {
			case <-time.After(rand.N(4 * time.Millisecond)):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
}

func tallyInput(run string) ([]byte, error) {
	return json.Marshal(&agui.RunAgentInput{
		ThreadID: "loss", RunID: run, ProtocolVersion: agui.ProtocolVersion, State: json.RawMessage(`{"kept":[1,2.50]}`),
		Messages: []agui.Message{agui.UserMessage("count")},
	})
}
