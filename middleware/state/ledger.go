package state

import (
	"bytes"
	"sync"

	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// ledger is what the sessions of one run hand on: a layer may ask several
// chains, one after the other, each with a Share of its own, and the client
// has one state.
type ledger struct {
	mu  sync.Mutex
	doc []byte // what the last session has left; nil before one has told anything
}

type ledgerKey struct{}

func ledgerOf(scope *flow.Scope) *ledger {
	l, _ := scope.Get(ledgerKey{}, func() (any, error) { return new(ledger), nil })
	return l.(*ledger)
}

func (l *ledger) read() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.doc
}

func (l *ledger) write(doc []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doc = doc
}

// resume goes on with what another session of the run has left meanwhile.
func (c *core[S]) resume(doc []byte) error {
	if doc == nil || sameBytes(doc, c.doc) {
		return nil
	}
	if !bytes.Equal(doc, c.doc) {
		if err := c.adopt(doc); err != nil {
			return err
		}
	}
	c.passed, c.told, c.shown, c.unsent = c.doc, c.doc, c.doc, false
	c.manager.Reset() // what it sent last is not what the client holds
	return nil
}
