package standin

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// maxStep bounds how many chunks one step may ask for.
const maxStep = 100_000

func (s *Server) step(w http.ResponseWriter, r *http.Request) {
	n := 1
	switch v := r.URL.Query().Get("n"); v {
	case "":
	case "rest":
		n = -1
	default:
		var err error
		if n, err = strconv.Atoi(v); err != nil || n < 1 || n > maxStep {
			fail(w, invalid("n", "invalid_value", "Invalid 'n': '%s' is neither a number from 1 to %d nor 'rest'.", v, maxStep))
			return
		}
	}
	released, err := s.Release(r.Context(), n)
	switch {
	case errors.Is(err, errNotStepping):
		fail(w, &apiError{status: 409, message: err.Error(), kind: "invalid_request_error", code: "not_stepping"})
	case err != nil:
		fail(w, &apiError{status: 503, message: err.Error(), kind: "server_error"})
	default:
		writeJSON(w, 200, marshal(map[string]any{"released": released}))
	}
}

func (s *Server) mode(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if v := q.Get("pace"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			fail(w, invalid("pace", "invalid_value", "Invalid 'pace': '%s' is no duration such as '30ms'.", v))
			return
		}
		defer s.SetPace(d)
	}
	if v := q.Get("step"); v != "" {
		on, err := strconv.ParseBool(v)
		if err != nil {
			fail(w, invalid("step", "invalid_value", "Invalid 'step': '%s' is neither true nor false.", v))
			return
		}
		s.SetStep(on)
	}
	writeJSON(w, 200, []byte(`{}`))
}

func (s *Server) fault(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	f := Fault{Kind: q.Get("kind"), After: -1}
	times := 1
	for _, p := range []struct {
		name  string
		least int
		n     *int
	}{{"after", math.MinInt, &f.After}, {"times", 1, &times}} {
		if v := q.Get(p.name); v != "" {
			n, err := strconv.Atoi(v)
			switch {
			case err == nil && n >= p.least && n <= maxStep:
				*p.n = n
				continue
			case p.least > 0:
				fail(w, invalid(p.name, "invalid_value", "Invalid '%s': '%s' is no number from %d to %d.", p.name, v, p.least, maxStep))
			default:
				fail(w, invalid(p.name, "invalid_value", "Invalid '%s': '%s' is no number of chunks, at most %d; a negative one is half of them.", p.name, v, maxStep))
			}
			return
		}
	}
	for range times {
		if err := s.InjectFault(f); err != nil {
			fail(w, invalid("kind", "invalid_value", "%s", err))
			return
		}
	}
	writeJSON(w, 200, []byte(`{}`))
}

func (s *Server) requests(w http.ResponseWriter, r *http.Request) {
	if v := r.URL.Query().Get("wait"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			fail(w, invalid("wait", "invalid_value", "Invalid 'wait': '%s' is no number of a request.", v))
			return
		}
		if _, err := s.WaitRequest(r.Context(), n); err != nil {
			fail(w, &apiError{status: 503, message: err.Error(), kind: "server_error"})
			return
		}
	}
	writeJSON(w, 200, marshal(map[string]any{"requests": s.Requests()}))
}
