package chat

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// kept is what the keepers of one store note in a run.
type kept struct {
	store    InterruptStore
	threadID string

	mu       sync.Mutex
	answered bool
	asked    []agui.Interrupt
}

type keptKey struct{ store any }

// keptOf returns that of the run, which is saved when the run ends well.
func (k *interruptKeeper) keptOf(ctx context.Context, in *agui.RunAgentInput) *kept {
	key := keptKey{k}
	if reflect.ValueOf(k.store).Comparable() {
		key.store = k.store // of several chains, too
	}
	v, _ := flow.ScopeFrom(ctx).Get(key, func() (any, error) {
		kept := &kept{store: k.store, threadID: in.ThreadID}
		if r := runFrom(ctx); r != nil {
			r.ending.add(kept.save)
		}
		return kept, nil
	})
	return v.(*kept)
}

// answer notes that open questions were answered.
func (k *kept) answer() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answered = true
}

// ask notes what has passed. Whether the client learns of it, the end tells.
func (k *kept) ask(all []agui.Interrupt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, slices.DeleteFunc(slices.Clone(all), signedByFunctions)...)
}

// save stores what was asked here of what the run asks.
func (k *kept) save(ctx context.Context, asked []agui.Interrupt) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var open []agui.Interrupt
	for _, i := range asked {
		if slices.ContainsFunc(k.asked, func(o agui.Interrupt) bool { return o.ID == i.ID }) {
			open = append(open, i)
		}
	}
	if len(open) == 0 && !k.answered {
		return nil
	}
	if err := k.store.Save(ctx, k.threadID, open); err != nil {
		return fmt.Errorf("chat: storing interrupts: %w", err)
	}
	return nil
}
