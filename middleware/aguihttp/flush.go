package aguihttp

import "net/http"

// canFlush reports whether a response can be flushed, before anything is
// written to it. Wrappers say so for writers that they do not know, so it is
// the innermost one that decides.
func canFlush(w http.ResponseWriter) bool {
	for {
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		inner := u.Unwrap()
		if inner == nil {
			break
		}
		w = inner
	}
	switch w.(type) {
	case interface{ FlushError() error }, http.Flusher:
		return true
	}
	return false
}
