package flow_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/internal/flow"
)

type key struct{}

// Many ask at once: the value is made once, and everybody has it.
func TestScopeMakesOnce(t *testing.T) {
	scope := flow.ScopeFrom(flow.WithScope(t.Context()))
	made := 0
	var all sync.Map
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			v, err := scope.Get(key{}, func() (any, error) { made++; return new(int), nil })
			if err != nil {
				t.Error(err)
			}
			all.Store(v, true)
		})
	}
	wg.Wait()
	values := 0
	all.Range(func(any, any) bool { values++; return true })
	if made != 1 || values != 1 {
		t.Errorf("made %d times, %d values", made, values)
	}
}

// What could not be made is made the next time, after an error and after a
// panic, and another key is not held up by it.
func TestScopeAfterFailure(t *testing.T) {
	scope := flow.ScopeFrom(flow.WithScope(t.Context()))
	fault := errors.New("fault")
	if v, err := scope.Get(key{}, func() (any, error) { return nil, fault }); v != nil || !errors.Is(err, fault) {
		t.Errorf("got %v, %v", v, err)
	}
	func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("recovered %v", v)
			}
		}()
		_, _ = scope.Get(key{}, func() (any, error) { panic("boom") })
	}()
	for _, k := range []any{key{}, "other"} {
		for range 2 {
			if v, err := scope.Get(k, func() (any, error) { return k, nil }); v != k || err != nil {
				t.Errorf("%v: got %v, %v", k, v, err)
			}
		}
	}
}

// Each scope has its own values; outside of any each call makes one.
func TestScopes(t *testing.T) {
	outer := flow.WithScope(t.Context())
	made := 0
	next := func() (any, error) { made++; return made, nil }
	for _, tt := range []struct {
		ctx  context.Context
		want int
	}{{outer, 1}, {flow.WithScope(outer), 2}, {outer, 1}, {t.Context(), 3}, {t.Context(), 4}} {
		if v, err := flow.ScopeFrom(tt.ctx).Get(key{}, next); v != tt.want || err != nil {
			t.Errorf("got %v, %v, want %d", v, err, tt.want)
		}
	}
}
