package flow

import (
	"context"
	"encoding/json"
)

type documentKey struct{}

// document is how the state of a run is read by who does not know its type.
type document struct {
	scope *Scope
	read  func(context.Context) (json.RawMessage, error)
}

// WithDocument returns a context in which read says, for the run of ctx, what
// the layers of its chain share.
func WithDocument(ctx context.Context, read func(context.Context) (json.RawMessage, error)) context.Context {
	return context.WithValue(ctx, documentKey{}, &document{ScopeFrom(ctx), read})
}

// DocumentFrom returns the document that the layers around share, as it is
// now. It is frozen. Nil is none: a run of its own further in shares none with
// the one around it.
func DocumentFrom(ctx context.Context) (json.RawMessage, error) {
	d, _ := ctx.Value(documentKey{}).(*document)
	if d == nil || d.scope != ScopeFrom(ctx) {
		return nil, nil
	}
	return d.read(ctx)
}
