package chat_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aguistate/aguistate/middleware/chat"
)

func text(n int) *chat.Update { return &chat.Update{Text: fmt.Sprint(n)} }

func TestRunYieldsWhatIsEmittedInOrder(t *testing.T) {
	cause := errors.New("at the end")
	n := 0
	for u, err := range chat.Run(t.Context(), func(ctx context.Context) error {
		for i := range 500 {
			if err := chat.Emit(ctx, text(i)); err != nil {
				return err
			}
		}
		return cause
	}) {
		if err != nil {
			if !errors.Is(err, cause) || u != nil {
				t.Fatal(u, err)
			}
			break
		}
		if u.Text != fmt.Sprint(n) {
			t.Fatalf("update %d is %s", n, u.Text)
		}
		n++
	}
	if n != 500 {
		t.Errorf("%d updates", n)
	}
}

// An update is the caller's again when Emit has returned; none is told of nil.
func TestEmitCopies(t *testing.T) {
	n := 0
	for u, err := range chat.Run(t.Context(), func(ctx context.Context) error {
		var one chat.Update
		for i := range 50 {
			one.Text = fmt.Sprint(i)
			if err := chat.Emit(ctx, &one); err != nil {
				return err
			}
			one.Text = "spoiled"
		}
		return chat.Emit(ctx, nil)
	}) {
		if err != nil {
			t.Fatal(err)
		}
		if u == nil || u.Text != fmt.Sprint(n) {
			t.Fatalf("update %d is %v", n, u)
		}
		n++
	}
	if n != 50 {
		t.Errorf("%d updates", n)
	}
}

func TestRunJoinsOnBreak(t *testing.T) {
	ended := false
	for range chat.Run(t.Context(), func(ctx context.Context) error {
		defer func() { ended = true }()
		for i := 0; ; i++ {
			if err := chat.Emit(ctx, text(i)); err != nil {
				return err
			}
		}
	}) {
		break
	}
	if !ended {
		t.Error("the function still runs after break")
	}
}

func TestRunJoinsWhenTheLoopPanics(t *testing.T) {
	ended := false
	defer func() {
		if recover() != "mine" || !ended {
			t.Error("the panic was lost, or the function still runs")
		}
	}()
	for range chat.Run(t.Context(), func(ctx context.Context) error {
		defer func() { ended = true }()
		_ = chat.Emit(ctx, text(1))
		<-ctx.Done()
		return nil
	}) {
		panic("mine")
	}
}

func TestRunEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("stop")
	var last error
	for _, err := range chat.Run(ctx, func(ctx context.Context) error {
		_ = chat.Emit(ctx, text(1))
		<-ctx.Done()
		return context.Cause(ctx)
	}) {
		cancel(cause)
		last = err
	}
	if !errors.Is(last, cause) {
		t.Error(last)
	}
}

func TestRunTurnsAPanicIntoAnError(t *testing.T) {
	for _, err := range chat.Run(t.Context(), func(context.Context) error { panic(errors.ErrUnsupported) }) {
		var p *chat.PanicError
		if !errors.As(err, &p) || len(p.Stack) == 0 || !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
	}
}

// Emit waits while the reader does not read, and holds nothing then.
func TestEmitWaitsForTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		emitted := 0
		for range chat.Run(t.Context(), func(ctx context.Context) error {
			for i := range 1000 {
				if err := chat.Emit(ctx, text(i)); err != nil {
					return err
				}
				mu.Lock()
				emitted = i + 1
				mu.Unlock()
			}
			return nil
		}) {
			synctest.Wait()
			mu.Lock()
			if emitted == 1000 {
				mu.Unlock()
				break
			}
			if emitted > 200 {
				t.Errorf("%d updates are pending", emitted)
			}
			mu.Unlock()
			break
		}
	})
}

func TestEmitOutsideARun(t *testing.T) {
	if err := chat.Emit(t.Context(), text(1)); !errors.Is(err, chat.ErrNoRun) {
		t.Error(err)
	}
	var kept context.Context
	for range chat.Run(t.Context(), func(ctx context.Context) error { kept = ctx; return nil }) {
	}
	if err := chat.Emit(kept, text(1)); err == nil {
		t.Error("emitted into a run that has ended")
	}
}

func TestNestedRuns(t *testing.T) {
	var got []string
	for u, err := range chat.Run(t.Context(), func(ctx context.Context) error {
		for u := range chat.Run(ctx, func(ctx context.Context) error { return chat.Emit(ctx, text(1)) }) {
			if err := chat.Emit(ctx, &chat.Update{Text: "inner " + u.Text}); err != nil {
				return err
			}
		}
		return nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, u.Text)
	}
	if len(got) != 1 || got[0] != "inner 1" {
		t.Error(got)
	}
}
