package flow

import (
	"context"
	"sync"
)

// Scope holds what layers keep for one run, by keys of their own. Those are
// few.
type Scope struct {
	mu     sync.Mutex
	values []scoped
	left   []any
	runner any
}

type scoped struct{ key, value any }

// Get returns the run's value of a key, which make makes the first time; it
// must not call Get. A nil scope holds nothing: every call makes a new value.
func (s *Scope) Get(key any, make func() (any, error)) (any, error) {
	if s == nil {
		return make()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.values {
		if v.key == key {
			return v.value, nil
		}
	}
	v, err := make()
	if err == nil {
		s.values = append(s.values, scoped{key, v})
	}
	return v, err
}

// RunBy says what runs the run, before its layers begin.
func (s *Scope) RunBy(v any) { s.runner = v }

// Runner returns it; nil is that nothing does.
func (s *Scope) Runner() any {
	if s == nil {
		return nil
	}
	return s.runner
}

// Leave keeps what a layer had still to say when its consumer left.
func (s *Scope) Leave(v any) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, v)
}

// Left returns, once, what was left.
func (s *Scope) Left() []any {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.left
	s.left = nil
	return left
}

type scopeKey struct{}

// WithScope returns a context with a new scope.
func WithScope(ctx context.Context) context.Context {
	return context.WithValue(ctx, scopeKey{}, &Scope{})
}

// ScopeFrom returns the nearest scope, or nil.
func ScopeFrom(ctx context.Context) *Scope {
	s, _ := ctx.Value(scopeKey{}).(*Scope)
	return s
}
