package state

import (
	"context"
	"encoding/json"
)

// handOver is the document for an agent at the end of the chain, which goes on
// from it: what the agent says of the state is a change of what it was sent. So
// what has not passed Share by now passes before that, what Edit left too.
//
// It is nil while the client holds nothing and nothing was made of it: then it
// is for the agent to say what its default is.
func (c *core[S]) handOver(ctx context.Context) (json.RawMessage, error) {
	s, err := Of[S](ctx)
	if err != nil {
		return nil, err
	}
	if err := c.lock(); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	c.settleFor()
	if c.blank && c.initial == nil && !c.unsent {
		return nil, nil
	}
	if !c.ended && (c.unsent || len(c.pending) > 0) {
		if _, err := c.enqueue(s.queue); err != nil {
			return nil, err
		}
	}
	return c.doc, nil
}
