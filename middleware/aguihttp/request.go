package aguihttp

import (
	"context"
	"net/http"
)

type runKey struct{}

// RequestFrom returns the HTTP request that started the run, at any depth of
// the chain and in its tools: its header, its URL, and the parameters of its
// route by [http.Request.PathValue], on Echo as on net/http. Its body has been
// read; do not change it. Values of the request's own context, such as those
// that a net/http middleware has put there, are in the run's context itself.
func RequestFrom(ctx context.Context) (*http.Request, bool) {
	r := runFrom(ctx)
	switch {
	case r == nil:
		return nil, false
	case r.e.o.Detach: // the request's own context ends with the client
		return r.request.WithContext(r.ctx), true
	}
	return r.request, true
}

// runFrom returns the nearest run of an endpoint around a context, or nil.
func runFrom(ctx context.Context) *run {
	r, _ := ctx.Value(runKey{}).(*run)
	return r
}
