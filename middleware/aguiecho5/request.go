package aguiecho5

import (
	"context"
	"net/http"
	"sync"

	"github.com/labstack/echo/v5"

	"github.com/aguistate/aguistate/middleware/internal/pathvalue"
)

// Get returns the value that was set under key in the Echo context of the
// run's request, by a middleware for instance: the zero value and false when
// there is none, when it is no T, outside a run on Echo, and once the handler
// has returned. The context is that of the chain or of a tool.
//
//	token, ok := aguiecho5.Get[*jwt.Token](ctx, "user")
func Get[T any](ctx context.Context, key string) (T, bool) {
	var v any
	if s, ok := ctx.Value(storeKey{}).(*store); ok {
		v = s.get(key)
	}
	t, ok := v.(T)
	return t, ok
}

type storeKey struct{}

// store reads an Echo context for as long as it belongs to the request.
type store struct {
	mu sync.RWMutex
	c  *echo.Context // nil when the handler has returned
}

func (s *store) get(key string) any {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.c == nil {
		return nil
	}
	return s.c.Get(key)
}

func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c = nil
}

// request returns the request of an Echo context, with the route's parameters
// and the context's values in reach until done is called.
func request(c *echo.Context) (r *http.Request, done func()) {
	s := &store{c: c}
	r = c.Request()
	r = r.WithContext(context.WithValue(r.Context(), storeKey{}, s))
	var names, values []string
	for _, p := range c.PathValues() {
		names, values = append(names, p.Name), append(values, p.Value)
	}
	pathvalue.Set(r, c.Path(), names, values)
	return r, s.close
}
