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

// scripted makes the models of the workloads.
type scripted struct {
	*script.Script
	reuse bool // updates
}

// blank returns what makes the empty updates of one run: a new one each time,
// as most models do, or one again and again (package chat, "Laws of a stream").
func (s *scripted) blank() func() *chat.Update {
	if !s.reuse {
		return func() *chat.Update { return new(chat.Update) }
	}
	var one chat.Update
	return func() *chat.Update {
		one = chat.Update{}
		return &one
	}
}

func (s *scripted) w1() chat.Client {
	return model(func(_ context.Context, say func(*chat.Update) bool) error {
		blank := s.blank()
		for _, d := range s.W1.Deltas {
			u := blank()
			u.Text = d
			if !say(u) {
				break
			}
		}
		return nil
	})
}

func (s *scripted) w2() chat.Client {
	return model(func(ctx context.Context, say func(*chat.Update) bool) error {
		shared, err := state.Of[script.State](ctx)
		if err != nil {
			return err
		}
		if err := shared.Publish(); err != nil {
			return err
		}
		blank := s.blank()
		for i := range s.W2.Steps {
			step := &s.W2.Steps[i]
			u := blank() // an empty one lets the state pass
			u.Text = step.Text
			if step.Pub != nil {
				if err := shared.Update(func(doc *script.State) error { step.Pub.Apply(doc); return nil }); err != nil {
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

func (s *scripted) w3() chat.Client {
	return model(func(ctx context.Context, say func(*chat.Update) bool) error {
		blank, done := s.blank(), ctx.Done()
		due := time.Now().Add(rand.N(tick))
		t := time.NewTimer(time.Until(due))
		defer t.Stop()
		for range maxTicks {
			select {
			case <-done:
				return ctx.Err()
			case <-t.C:
			}
			u := blank()
			u.Text = script.Stamp(due, time.Now())
			if !say(u) {
				break
			}
			due = due.Add(tick)
			t.Reset(time.Until(due))
		}
		return nil
	})
}
