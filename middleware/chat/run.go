package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// ErrNoRun says that [Emit] was called outside a [Run], or after it.
var ErrNoRun = errors.New("chat: no run to emit into")

// Run runs f on a goroutine of its own and yields what f, and whatever f
// starts with its context, gives to [Emit], in that order. It is the one place
// where work on another goroutine meets a stream.
//
// The sequence ends when f has returned: with f's error, if any, as its last
// pair. A panic in f is a [PanicError]. Break, the end of ctx, and a panic in
// the loop's body cancel f's context, and the sequence returns only after f
// has.
func Run(ctx context.Context, f func(ctx context.Context) error) iter.Seq2[*Update, error] {
	return func(yield func(*Update, error) bool) {
		q := flow.New[*Update]()
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		// What stays when f ends its goroutine instead of returning.
		err := error(&PanicError{Value: "the goroutine was ended (runtime.Goexit)"})
		go func() {
			defer close(done)
			defer q.Close()
			err = Protect(func() error { return f(flow.With(ctx, q)) })
		}()
		defer func() {
			cancel()
			q.Close()
			<-done
		}()
		for u, ok := q.Pop(); ok; u, ok = q.Pop() {
			if !yield(u, nil) {
				return
			}
		}
		<-done
		if err != nil {
			yield(nil, err)
		}
	}
}

// Emit yields an update in the nearest [Run] around the context. It may be
// called from any goroutine that the run's function joins. It waits while many
// updates are pending, without holding any lock, and fails with [ErrNoRun]
// outside a run, or with the context's cause when that ends. The update is
// copied: it is the caller's again when Emit has returned, for it may be one of
// a client that hands out one again. A nil one says nothing.
func Emit(ctx context.Context, u *Update) error {
	q := flow.From[*Update](ctx)
	if q == nil {
		return ErrNoRun
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if u == nil {
		return nil
	}
	err := q.Push(new(*u))
	if err == nil {
		err = q.Wait(ctx)
	}
	if errors.Is(err, flow.ErrClosed) {
		return fmt.Errorf("%w: %w", ErrNoRun, err)
	}
	return err
}

// Protect calls f and returns its error; a panic in f becomes a [PanicError].
// It is for calls into code that is not a stream: never put a yield under it,
// for a panic of the consumer must pass. An f that ends its goroutine
// (runtime.Goexit) ends the caller's too.
func Protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
