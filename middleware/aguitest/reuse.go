package aguitest

import (
	"context"
	"iter"

	"github.com/aguistate/aguistate/middleware/chat"
)

// ReuseUpdates has every [Model] answer as behind [Reuse]. It is set in
// TestMain, to hold the layers of a package to that law.
var ReuseUpdates bool

// Reuse is a middleware that hands on one update again and again, and spoils
// it whenever its receiver's loop body has returned, as a client may that says
// so (package chat, "Laws of a stream"). A layer around it that keeps an
// update without a copy says [Spoiled], or loses what it kept.
//
//	client := chat.NewBuilder(model).Use(layer).Use(aguitest.Reuse).Build()
func Reuse(next chat.Client) chat.Client { return &reusing{chat.Delegating{Client: next}} }

// Spoiled is the text of an update that is no longer its receiver's.
const Spoiled = "[this update was kept]"

type reusing struct{ chat.Delegating }

// Stream hands on the next client's answer.
func (c *reusing) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		yield = spoiling(yield)
		for u, err := range c.Client.Stream(ctx, req) {
			if !yield(u, err) {
				return
			}
		}
	}
}

// spoiling returns a yield that passes every update to the receiver in the
// same place.
func spoiling(yield func(*chat.Update, error) bool) func(*chat.Update, error) bool {
	var place chat.Update
	return func(u *chat.Update, err error) bool {
		if u == nil {
			return yield(nil, err)
		}
		place = *u
		defer func() { place = chat.Update{MessageID: Spoiled, Text: Spoiled} }()
		return yield(&place, err)
	}
}
