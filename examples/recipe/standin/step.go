package standin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errNotStepping = errors.New("standin: the server is not in step mode, so its chunks need no release")
	errClosed      = errors.New("standin: the server is closed")
)

// Released is one chunk that a step let go, after it was written and flushed.
type Released struct {
	Request int    `json:"request"` // the number of the request, as in [Request.ID]
	Index   int    `json:"index"`   // the chunk's place in its answer, from 0
	Data    string `json:"data"`    // the chunk as it stands after "data: "; the whole body of an unstreamed answer
	Last    bool   `json:"last"`    // nothing of this answer follows
}

// gate decides when a chunk may go: at once, after the pace, or when a ticket
// comes. Chunks that wait are served in the order in which they began to wait.
type gate struct {
	tickets chan *ticket

	mu   sync.Mutex
	pace time.Duration
	free chan struct{} // closed while the server is not in step mode
}

// ticket lets one chunk go, or all that is left of one answer. Whoever takes it
// always answers on done, which has room for the answer; an empty one means that
// nothing could be written.
type ticket struct {
	rest bool
	done chan []Released
}

func newGate(pace time.Duration, step bool) *gate {
	g := &gate{tickets: make(chan *ticket), pace: max(pace, 0), free: make(chan struct{})}
	if !step {
		close(g.free)
	}
	return g
}

func (g *gate) setStep(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.free:
		if on {
			g.free = make(chan struct{})
		}
	default:
		if !on {
			close(g.free)
		}
	}
}

func (g *gate) setPace(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pace = max(d, 0)
}

func (g *gate) now() (time.Duration, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pace, g.free
}

// pass is the way of one answer through the gate.
type pass struct {
	gate    *gate
	request int
	held    *ticket
	wrote   []Released
	sent    int
}

// wait returns when the next chunk may be written, or with the context's error.
func (p *pass) wait(ctx context.Context) error {
	if p.held != nil {
		return ctx.Err()
	}
	pace, free := p.gate.now()
	select {
	case <-free:
	default:
		select {
		case p.held = <-p.gate.tickets:
			return nil
		case <-free: // stepping was switched off
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if pace == 0 || p.sent == 0 {
		return ctx.Err()
	}
	t := time.NewTimer(pace)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// written records a chunk and answers the ticket that let it go.
func (p *pass) written(data string, last bool) {
	if p.held != nil {
		p.wrote = append(p.wrote, Released{Request: p.request, Index: p.sent, Data: data, Last: last})
		if !p.held.rest || last {
			p.leave()
		}
	}
	p.sent++
}

// leave answers a ticket that is still held. It is called on every way out.
func (p *pass) leave() {
	if p.held == nil {
		return
	}
	p.held.done <- p.wrote
	p.held, p.wrote = nil, nil
}

// release lets n chunks go, or with n < 0 the rest of one answer.
func (g *gate) release(ctx context.Context, closed <-chan struct{}, n int) ([]Released, error) {
	out := []Released{}
	rest := n < 0
	for rest || len(out) < n {
		_, free := g.now()
		select {
		case <-free:
			return out, errNotStepping
		default:
		}
		t := &ticket{rest: rest, done: make(chan []Released, 1)}
		select {
		case g.tickets <- t:
		case <-free:
			return out, errNotStepping
		case <-closed:
			return out, errClosed
		case <-ctx.Done():
			return out, fmt.Errorf("standin: %d released, then no chunk came to release: %w", len(out), ctx.Err())
		}
		got := <-t.done
		out = append(out, got...)
		if rest && len(got) > 0 {
			break
		}
	}
	return out, nil
}
