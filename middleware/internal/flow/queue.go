// Package flow is the queue between work on other goroutines and a stream:
// chat.Run reads it, chat.Emit and a session's publishes write it.
package flow

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed says that the run behind a queue has ended.
var ErrClosed = errors.New("the run has ended")

// limit is how many values may be pending before [Queue.Wait] waits.
const limit = 64

// Queue passes values in order from any number of writers to one reader.
// Pushing never blocks, so that a writer may push while it holds a lock; it
// then waits for room without the lock.
type Queue[T any] struct {
	mu     sync.Mutex
	items  []T
	head   int
	closed bool
	ready  chan struct{} // holds a token when there may be something to read
	room   chan struct{} // closed when there is room again; nil when nobody waits
	done   chan struct{} // closed with the queue
}

// New returns an empty queue.
func New[T any]() *Queue[T] {
	return &Queue[T]{ready: make(chan struct{}, 1), done: make(chan struct{})}
}

// Push appends v. It fails with [ErrClosed] once the queue is closed.
func (q *Queue[T]) Push(v T) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.items = append(q.items, v)
	select {
	case q.ready <- struct{}{}:
	default:
	}
	return nil
}

// Wait blocks while many values are pending, until the context or the run
// ends.
func (q *Queue[T]) Wait(ctx context.Context) error {
	for {
		q.mu.Lock()
		if q.closed {
			q.mu.Unlock()
			return ErrClosed
		}
		if len(q.items)-q.head <= limit {
			q.mu.Unlock()
			return nil
		}
		if q.room == nil {
			q.room = make(chan struct{})
		}
		room := q.room
		q.mu.Unlock()
		select {
		case <-room:
		case <-q.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Pop returns the next value. It blocks until there is one; false means that
// the queue is closed and empty. For one reader.
func (q *Queue[T]) Pop() (T, bool) {
	for {
		q.mu.Lock()
		if q.head < len(q.items) {
			var zero T
			v := q.items[q.head]
			q.items[q.head] = zero
			q.head++
			if q.head == len(q.items) {
				q.items, q.head = q.items[:0], 0
			}
			if q.room != nil && len(q.items)-q.head <= limit/2 {
				close(q.room)
				q.room = nil
			}
			q.mu.Unlock()
			return v, true
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			var zero T
			return zero, false
		}
		select {
		case <-q.ready:
		case <-q.done:
		}
	}
}

// Close ends the queue for writers; what is pending can still be read.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.done)
	}
}

type key[T any] struct{}

// With returns a context whose nearest queue is q; nil hides the one around.
func With[T any](ctx context.Context, q *Queue[T]) context.Context {
	return context.WithValue(ctx, key[T]{}, q)
}

// From returns the nearest queue, or nil.
func From[T any](ctx context.Context) *Queue[T] {
	q, _ := ctx.Value(key[T]{}).(*Queue[T])
	return q
}
