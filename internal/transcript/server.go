package transcript

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server plays the responses of a transcript, one for each request, over real
// HTTP. The directives in a body are
//
//	@cut        break the connection off
//	@hang       say nothing until the client goes
//	@open       the line before is sent without its end
//	@bytes HEX  these bytes, without a line's end
//	@times N X  the line X, N times
type Server struct {
	*httptest.Server
	t         testing.TB
	mu        sync.Mutex
	responses []Response
	requests  []Received
}

// Received is a request as it came.
type Received struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Serve starts a server, which is closed when the test ends.
func (tr *Transcript) Serve(t testing.TB) *Server {
	return NewServer(t, tr.Responses...)
}

// NewServer starts a server that gives the responses.
func NewServer(t testing.TB, responses ...Response) *Server {
	s := &Server{t: t, responses: responses}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Requests returns the requests so far.
func (s *Server) Requests() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.requests...)
}

// ServeHTTP gives the next response.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, Received{r.URL.Path, r.Header.Clone(), body})
	s.mu.Unlock()
	if n >= len(s.responses) {
		s.t.Errorf("request %d comes after the last response", n+1)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if err := s.responses[n].play(w, r); err != nil {
		if errors.Is(err, errCut) {
			panic(http.ErrAbortHandler)
		}
		s.t.Errorf("response %d: %v", n+1, err)
	}
}

var errCut = errors.New("cut")

// play writes the response. Errors of writing are those of a client that has
// gone, and end it.
func (resp Response) play(w http.ResponseWriter, r *http.Request) error {
	flusher := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	for _, h := range resp.Header {
		w.Header().Set(h[0], h[1])
	}
	w.WriteHeader(resp.Status)
	lines := strings.SplitAfter(resp.Body, "\n")
	for i, line := range lines {
		if word, ok := strings.CutPrefix(line, "@"); ok {
			word, rest, _ := strings.Cut(strings.TrimSuffix(word, "\n"), " ")
			var text string
			switch word {
			case "open":
			case "cut", "hang":
				if err := flusher.Flush(); err != nil {
					return nil
				}
				if word == "cut" {
					return errCut
				}
				<-r.Context().Done()
				return nil
			case "bytes":
				b, err := hex.DecodeString(strings.ReplaceAll(rest, " ", ""))
				if err != nil {
					return err
				}
				text = string(b)
			case "times":
				number, rest, _ := strings.Cut(rest, " ")
				n, err := strconv.Atoi(number)
				if err != nil {
					return err
				}
				text = strings.Repeat(rest+"\n", n)
			default:
				return fmt.Errorf("a directive cannot be called %q", word)
			}
			if _, err := io.WriteString(w, text); err != nil {
				return nil
			}
			continue
		}
		if i+1 < len(lines) && strings.TrimSuffix(lines[i+1], "\n") == "@open" {
			line = strings.TrimSuffix(line, "\n")
		}
		if _, err := io.WriteString(w, line); err != nil {
			return nil
		}
		if line == "\n" {
			if err := flusher.Flush(); err != nil {
				return nil
			}
		}
	}
	return nil
}

// Bodies returns the bodies of the requests, indented, one behind the other.
func (s *Server) Bodies() []byte {
	var b bytes.Buffer
	for _, r := range s.Requests() {
		if err := json.Indent(&b, r.Body, "", "  "); err != nil {
			fmt.Fprintf(&b, "not JSON: %q", r.Body)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
