package chat

import (
	"context"
	"iter"
)

// Client answers requests. It is the only interface of the chain: a model, an
// agent behind a wire, and every middleware around them are clients. What
// wants the answer in one piece calls [Collect].
//
// Stream must be safe for concurrent use; the laws of the sequence are in the
// package's comment. A client does not keep or change the request.
type Client interface {
	Stream(ctx context.Context, req *Request) iter.Seq2[*Update, error]
}

// ClientFunc is a function that is a [Client].
type ClientFunc func(ctx context.Context, req *Request) iter.Seq2[*Update, error]

// Stream calls f.
func (f ClientFunc) Stream(ctx context.Context, req *Request) iter.Seq2[*Update, error] {
	return f(ctx, req)
}

// Delegating passes everything on to the client in it. A middleware embeds it
// and overrides Stream, so that [Find] sees through it.
type Delegating struct{ Client }

// Unwrap returns the next client of the chain.
func (d Delegating) Unwrap() Client { return d.Client }

// Find returns the first client of the chain, outermost first, that is a T,
// walking Unwrap as errors.As does.
func Find[T any](c Client) (T, bool) {
	for c != nil {
		if t, ok := c.(T); ok {
			return t, true
		}
		w, ok := c.(interface{ Unwrap() Client })
		if !ok {
			break
		}
		c = w.Unwrap()
	}
	var zero T
	return zero, false
}

// Middleware wraps a client in another one. It is called once, when the chain
// is built; what belongs to one run is made in Stream.
type Middleware func(Client) Client

// Builder builds a chain around an innermost client. The zero value is not
// usable: see [NewBuilder].
type Builder struct {
	inner       Client
	middlewares []Middleware
}

// NewBuilder starts a chain around inner, usually an adapter's client. It
// panics when inner is nil.
func NewBuilder(inner Client) *Builder {
	if inner == nil {
		panic("chat: NewBuilder of a nil client")
	}
	return &Builder{inner: inner}
}

// Use adds a middleware inside those added before:
// NewBuilder(c).Use(m1).Use(m2).Build() is m1(m2(c)). A nil middleware is
// skipped.
func (b *Builder) Use(m Middleware) *Builder {
	if m != nil {
		b.middlewares = append(b.middlewares, m)
	}
	return b
}

// Build returns the chain. It may be called again, and gives another chain of
// the same layers.
func (b *Builder) Build() Client {
	c := b.inner
	for i := len(b.middlewares) - 1; i >= 0; i-- {
		c = b.middlewares[i](c)
		if c == nil {
			panic("chat: a middleware returned a nil client")
		}
	}
	return c
}
