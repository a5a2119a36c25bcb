package flow

import (
	"context"
	"sync"
)

// Scope holds what layers keep for one run, by keys of their own.
type Scope struct{ values sync.Map }

// Get returns the run's value of a key, which make makes the first time. A
// nil scope holds nothing: every call makes a new value.
func (s *Scope) Get(key any, make func() (any, error)) (any, error) {
	if s == nil {
		return make()
	}
	if v, ok := s.values.Load(key); ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	v, _ = s.values.LoadOrStore(key, v)
	return v, nil
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
