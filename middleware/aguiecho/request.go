package aguiecho

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/middleware/internal/pathvalue"
)

// Get returns the value that was set under key in the Echo context of the
// run's request, by a middleware for instance: the zero value and false when
// there is none, when it is no T, outside a run on Echo, and once the handler
// has returned. The context is that of the chain or of a tool.
//
//	token, ok := aguiecho.Get[*jwt.Token](ctx, "user")
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
	c  echo.Context // nil when the handler has returned
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
func request(c echo.Context) (r *http.Request, done func()) {
	s := &store{c: c}
	r = c.Request()
	r = r.WithContext(context.WithValue(r.Context(), storeKey{}, s))
	pathvalue.Set(r, c.Path(), c.ParamNames(), c.ParamValues())
	if r.Body != nil {
		r.Body = body{r.Body}
	}
	return r, s.close
}

// body gives the errors of Echo's BodyLimit the method by which their status
// is known.
type body struct{ io.ReadCloser }

func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		var he *echo.HTTPError
		if errors.As(err, &he) {
			err = statusError{he}
		}
	}
	return n, err
}

type statusError struct{ *echo.HTTPError }

func (e statusError) StatusCode() int { return e.Code }
