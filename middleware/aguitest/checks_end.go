package aguitest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// endChecks are about how a stream ends, and about calls as such.
var endChecks = []check{
	{name: "a cut stream is an error", run: func(ctx context.Context, s *subject) error {
		for name, turn := range map[string]Turn{
			"before the first chunk":  Turn{}.Cut(),
			"behind text":             Text("Half an ans").Cut(),
			"inside a call":           Call("c", "add", `{"title":"Pan`).Cut(),
			"behind a call's last }":  Call("c", "add", `{"title":"Pan"}`).Cut(),
			"behind an empty piece":   Text("").Cut(),
			"behind text and a call ": Text("Now").Call("c", "add").Cut(),
		} {
			a, _ := s.ask(ctx, withTools(hello(), "add"), turn)
			if err := a.bad(); err != nil {
				return fmt.Errorf("cut %s: %w", name, err)
			}
		}
		return nil
	}},
	{name: "an error before the first chunk", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, hello(), Fail(errors.New("the disk is full")))
		if err := first(a.bad(), equal("text", a.text, "")); err != nil {
			return err
		}
		if !strings.Contains(a.err.Error(), "the disk is full") {
			return fmt.Errorf("the error does not say what the provider said: %w", a.err)
		}
		return nil
	}},
	{name: "an error inside the stream", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, hello(), Text("Half an ans").Fail(errors.New("the disk is full")))
		return first(a.bad(), equal("text", a.text, "Half an ans"))
	}},
	{name: "break stops the provider", run: func(ctx context.Context, s *subject) error {
		m := NewModel(Text("a").Pause(nil))
		for u, err := range s.open(m).Stream(ctx, hello()) {
			if err != nil {
				return err
			}
			if u.Text != "" {
				break
			}
		}
		return told(ctx, m)
	}},
	{name: "break at every update", run: func(ctx context.Context, s *subject) error {
		turn := Text("a", "b").Call("c", "add", "{", "}").Finish(chat.FinishToolCalls)
		for stop := range 4 {
			m := NewModel(turn)
			n := 0
			for _, err := range s.open(m).Stream(ctx, withTools(hello(), "add")) {
				if err != nil {
					return fmt.Errorf("at update %d: %w", n, err)
				}
				if n == stop {
					break
				}
				n++
			}
			if err := told(ctx, m); err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "cancelled inside the stream", run: func(ctx context.Context, s *subject) error {
		ctx2, cancel := context.WithCancel(ctx)
		defer cancel()
		m := NewModel(Text("a").Pause(nil))
		var got error
		for u, err := range s.open(m).Stream(ctx2, hello()) {
			if err != nil {
				got = err
			} else if u.Text != "" {
				cancel()
			}
		}
		if !errors.Is(got, context.Canceled) {
			return fmt.Errorf("the stream ended with %v, want an error that is context.Canceled", got)
		}
		return told(ctx, m)
	}},
	{name: "cancelled before the first chunk", run: func(ctx context.Context, s *subject) error {
		ctx2, cancel := context.WithCancel(ctx)
		defer cancel()
		m := NewModel(Reply(func(ctx context.Context, _ *chat.Request) (Turn, error) {
			cancel()
			<-ctx.Done()
			return Turn{}, ctx.Err()
		}))
		if a := gather(s.open(m).Stream(ctx2, hello()), hello()); !errors.Is(a.err, context.Canceled) {
			return fmt.Errorf("the stream ended with %v, want an error that is context.Canceled", a.err)
		}
		return told(ctx, m)
	}},
	{name: "no call under an ended context", run: func(ctx context.Context, s *subject) error {
		past, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
		defer cancel()
		a, m := s.ask(past, hello(), Text("never"))
		if !errors.Is(a.err, context.DeadlineExceeded) {
			return fmt.Errorf("the stream ended with %v, want an error that is context.DeadlineExceeded", a.err)
		}
		return equal("the number of calls", len(m.Requests()), 0)
	}},
	{name: "each range is a call", run: func(ctx context.Context, s *subject) error {
		m := NewModel(Text("one"), Text("two"))
		stream := s.open(m).Stream(ctx, hello())
		if n := len(m.Requests()); n != 0 {
			return fmt.Errorf("the provider was called before the range began")
		}
		for i, want := range []string{"one", "two"} {
			a := gather(stream, hello())
			if err := first(a.good(), equal("text", a.text, want), equal("the number of calls", len(m.Requests()), i+1)); err != nil {
				return fmt.Errorf("range %d: %w", i+1, err)
			}
		}
		return nil
	}},
	{name: "concurrent streams", run: func(ctx context.Context, s *subject) error {
		const n = 8
		echo := Reply(func(_ context.Context, req *chat.Request) (Turn, error) {
			text := req.Messages[len(req.Messages)-1].Content.Text()
			return Text(strings.SplitAfter(text, " ")...).Call("c", "add", `{"of":"`, text, `"}`), nil
		})
		client := s.open(NewModel(slices.Repeat([]Turn{echo}, n)...))
		errs := make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				text := strings.Repeat(fmt.Sprintf("caller %d ", i), 5)
				req := withTools(hello(), "add")
				req.Messages[0].Content = agui.Text(text)
				a := gather(client.Stream(ctx, req), req)
				errs[i] = first(a.good(), equal("text", a.text, text), a.called("add", `{"of":"`+text+`"}`))
			})
		}
		wg.Wait()
		return errors.Join(errs...)
	}},
}

// told waits until the provider has stopped.
func told(ctx context.Context, m *Model) error {
	if err := m.Idle(ctx); err != nil {
		return fmt.Errorf("the provider was not told to stop: %w", err)
	}
	return nil
}
