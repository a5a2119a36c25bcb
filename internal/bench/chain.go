package main

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/aguistate/aguistate/internal/bench/script"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Small is the state of W1 and W3, which do not change it.
type Small struct {
	User string `json:"user"`
	Lang string `json:"lang"`
	Step int    `json:"step"`
	Done bool   `json:"done"`
}

// chain is what every workload runs through: five delegating layers, the
// shared state, and a model.
func chain[S any](model chat.Client) chat.Client {
	b := chat.NewBuilder(model)
	for range 5 {
		b.Use(func(next chat.Client) chat.Client { return &layer{chat.Delegating{Client: next}} })
	}
	return b.Use(state.Share[S]()).Build()
}

// layer looks at every update and hands it on.
type layer struct{ chat.Delegating }

func (l *layer) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for u, err := range l.Client.Stream(ctx, req) {
			if !yield(u, err) {
				return
			}
		}
	}
}

// model is a scripted model: play yields updates until say returns false, and
// an error ends it.
type model func(ctx context.Context, say func(*chat.Update) bool) error

func (m model) Stream(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		more := true
		err := m(ctx, func(u *chat.Update) bool {
			more = more && yield(u, nil)
			return more
		})
		switch {
		case !more:
		case err != nil:
			yield(nil, err)
		default:
			yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
		}
	}
}

func w1(work *script.Script) chat.Client {
	return model(func(_ context.Context, say func(*chat.Update) bool) error {
		for _, d := range work.W1.Deltas {
			if !say(&chat.Update{Text: d}) {
				break
			}
		}
		return nil
	})
}

func w2(work *script.Script) chat.Client {
	return model(func(ctx context.Context, say func(*chat.Update) bool) error {
		s, err := state.Of[script.State](ctx)
		if err != nil {
			return err
		}
		if err := s.Publish(); err != nil {
			return err
		}
		for i := range work.W2.Steps {
			step := &work.W2.Steps[i]
			u := &chat.Update{Text: step.Text} // an empty one lets the state pass
			if step.Pub != nil {
				if err := s.Update(func(doc *script.State) error { step.Pub.Apply(doc); return nil }); err != nil {
					return err
				}
			}
			if !say(u) {
				break
			}
		}
		return nil
	})
}

const (
	tick     = 100 * time.Millisecond
	maxTicks = 900
)

func w3() chat.Client {
	return model(func(ctx context.Context, say func(*chat.Update) bool) error {
		due := time.Now().Add(rand.N(tick))
		t := time.NewTimer(time.Until(due))
		defer t.Stop()
		for range maxTicks {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-t.C:
			}
			if !say(&chat.Update{Text: script.Stamp(due, time.Now())}) {
				break
			}
			due = due.Add(tick)
			t.Reset(time.Until(due))
		}
		return nil
	})
}
