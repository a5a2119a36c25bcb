package aguitest

import (
	"fmt"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// Verify fails the test unless the events are one whole run: RUN_STARTED (or,
// when it failed before it began, RUN_ERROR) first, the rules of
// [agui.Verifier] kept, and exactly one terminal event, the last.
func Verify(t testing.TB, events []agui.Event) {
	t.Helper()
	if err := Check(events); err != nil {
		lines, _ := Lines(events)
		t.Errorf("%v\n%s", err, lines)
	}
}

// Check is what [Verify] finds; it names the event by its place, from 0.
func Check(events []agui.Event) error {
	if len(events) == 0 {
		return fmt.Errorf("aguitest: no events")
	}
	var v agui.Verifier
	for i, e := range events {
		if e == nil {
			return fmt.Errorf("aguitest: event %d is nil", i)
		}
		if err := v.Observe(e); err != nil {
			return fmt.Errorf("aguitest: event %d: %w", i, err)
		}
		last := i == len(events)-1
		switch e.Type() {
		case agui.TypeRunFinished, agui.TypeRunError:
			if !last {
				return fmt.Errorf("aguitest: event %d, %s, is terminal, but %s follows", i, e.Type(), events[i+1].Type())
			}
		default:
			if last {
				return fmt.Errorf("aguitest: the stream ends in %s, not in RUN_FINISHED or RUN_ERROR", e.Type())
			}
		}
	}
	return nil
}
