package aguitest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// ErrCut is the error of a stream that ended without a finish reason.
var ErrCut = fmt.Errorf("aguitest: the stream was cut: %w", io.ErrUnexpectedEOF)

// Model is a [chat.Client] that plays a script: each range over a stream of it
// plays the next turn. It keeps every request, and is safe for concurrent use;
// concurrent calls take the turns in the order in which they begin. A call
// without a turn left fails, and the error says so.
//
// The ids of its calls are those of the script, made unique in the run and the
// conversation as [chat.CallIDs] does; a call without one is call-1, call-2…
// counted over the conversation.
//
// The same script can be played behind a provider's wire: see [Model.Play].
type Model struct {
	mu       sync.Mutex
	turns    []Turn
	requests []Request
	active   int
	idle     chan struct{} // closed when active falls to 0; nil without waiters
}

// Request is a request that a [Model] was asked.
type Request struct {
	chat.Request
	// Outgoing are the messages as the model sees them: repaired, with the
	// live ones at their end. Of a request that came over a wire they are the
	// messages that arrived.
	Outgoing []agui.Message
}

// NewModel returns a model that plays the turns.
func NewModel(turns ...Turn) *Model {
	return &Model{turns: slices.Clone(turns)}
}

// Add appends turns to the script.
func (m *Model) Add(turns ...Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns = append(m.turns, turns...)
}

// Requests returns the requests so far, in the order in which the calls began.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Left returns how many turns have not been played.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(len(m.turns)-len(m.requests), 0)
}

// Idle waits until no call is playing: after a cancellation that means that
// the model was told. It returns the context's error when that ends first.
func (m *Model) Idle(ctx context.Context) error {
	m.mu.Lock()
	if m.active == 0 {
		m.mu.Unlock()
		return nil
	}
	if m.idle == nil {
		m.idle = make(chan struct{})
	}
	idle := m.idle
	m.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin takes the next turn for a request.
func (m *Model) begin(r Request) (Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, r)
	if n := len(m.requests); n > len(m.turns) {
		return Turn{}, fmt.Errorf("aguitest: the model's script has %d turns and was called %d times", len(m.turns), n)
	}
	m.active++
	return m.turns[len(m.requests)-1], nil
}

func (m *Model) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.active--
	if m.active == 0 && m.idle != nil {
		close(m.idle)
		m.idle = nil
	}
}

// Play plays the next turn for a request that came over a wire: a test server
// that stands in for a provider decodes the request, ranges over Play, and
// writes each step as a chunk of its own. The request's Messages are those
// that arrived; of its other fields those that the wire has.
//
// An error is the last pair. [ErrCut] asks the server to break the connection
// off; the context's error says that the client has gone; any other is the
// provider's failure, to be written as the wire has it: as a status when it
// comes first, inside the stream otherwise. A turn that does not fail has one
// step with a finish reason.
func (m *Model) Play(ctx context.Context, req *chat.Request) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		m.play(ctx, Request{Request: *req.Clone(), Outgoing: slices.Clone(req.Messages)}, yield)
	}
}

func (m *Model) play(ctx context.Context, r Request, yield func(Step, error) bool) {
	turn, err := m.begin(r)
	if err != nil {
		yield(Step{}, err)
		return
	}
	defer m.end()
	p := player{ctx: ctx, yield: yield}
	p.req = r.Request.Clone()
	p.req.Messages, p.req.Live = r.Outgoing, nil
	if p.turn(turn, 0) && !p.ended {
		reason := chat.FinishStop
		if p.called {
			reason = chat.FinishToolCalls
		}
		yield(Step{Finish: reason}, nil)
	}
}

// player plays one turn.
type player struct {
	ctx           context.Context
	req           *chat.Request
	yield         func(Step, error) bool
	calls         int
	called, ended bool
}

// turn plays a turn whose calls are counted from index base, and reports
// whether the sequence goes on.
func (p *player) turn(t Turn, base int) bool {
	p.ended = p.ended || t.ended
	for s := range t.steps() {
		if err := p.ctx.Err(); err != nil {
			p.yield(Step{}, err)
			return false
		}
		switch {
		case s.err != nil:
			p.yield(Step{}, s.err)
			return false
		case s.pause != nil:
			select {
			case <-s.pause.release:
			case <-p.ctx.Done():
				p.yield(Step{}, p.ctx.Err())
				return false
			}
		case s.more != nil:
			more, err := s.more(p.ctx, p.req)
			if err != nil {
				p.yield(Step{}, err)
				return false
			}
			if !p.turn(more, p.calls) {
				return false
			}
		default:
			if c := s.data.Call; c != nil {
				piece := *c
				piece.Index += base
				s.data.Call = &piece
				p.calls = max(p.calls, piece.Index+1)
				p.called = true
			}
			if u := s.data.Update; u != nil && len(u.ToolCalls) > 0 {
				p.called = true
			}
			if !p.yield(s.data, nil) {
				return false
			}
		}
	}
	return true
}

// Stream plays the next turn.
func (m *Model) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		if ReuseUpdates {
			yield = spoiling(yield)
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		outgoing, err := req.Outgoing(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		ids := newCallNamer(ctx, req.Messages)
		m.play(ctx, Request{Request: *req.Clone(), Outgoing: outgoing}, func(s Step, err error) bool {
			if err != nil {
				yield(nil, err)
				return false
			}
			return yield(ids.update(s), nil)
		})
	}
}

// callNamer gives the calls of one turn their ids.
type callNamer struct {
	ids   *chat.CallIDs
	next  int
	names []string // by index
}

func newCallNamer(ctx context.Context, messages []agui.Message) *callNamer {
	n := &callNamer{ids: chat.CallIDsFor(ctx, messages), next: 1}
	for _, m := range messages {
		n.next += len(m.ToolCalls)
	}
	return n
}

func (n *callNamer) update(s Step) *chat.Update {
	if s.Update != nil {
		return s.Update
	}
	u := &chat.Update{
		Reasoning:          s.Reasoning,
		EncryptedReasoning: s.EncryptedReasoning,
		Text:               s.Text,
		FinishReason:       s.Finish,
	}
	if s.Usage != nil {
		u.Usage = new(*s.Usage)
	}
	if c := s.Call; c != nil {
		if c.Index == len(n.names) {
			id := c.ID
			if id == "" {
				id = "call-" + strconv.Itoa(n.next)
			}
			n.names = append(n.names, n.ids.New(id))
			n.next++
		}
		u.ToolCalls = []chat.ToolCallDelta{{ID: n.names[c.Index], Name: c.Name, Arguments: c.Arguments}}
	}
	return u
}
