package aguiclient

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A virtual host is told by a header or by the hook.
func TestTheHostHeader(t *testing.T) {
	var host string
	h := answering(func(_ http.ResponseWriter, r *http.Request, say func(string)) {
		host = r.Host
		if _, ok := r.Header["Host"]; ok {
			t.Error("the host is a header too")
		}
		say(started + finished)
	})
	s := httptest.NewServer(h)
	defer s.Close()
	hook := func(r *http.Request) error {
		r.Host = "hooked.test"
		return nil
	}
	for _, o := range []*HTTPOptions{{Header: http.Header{"host": {"agents.test"}}}, {Prepare: hook}} {
		want := "agents.test"
		if o.Prepare != nil {
			want = "hooked.test"
		}
		for name, transport := range map[string]Transport{"HTTP": HTTP(s.URL, o), "in memory": Handler(h, "/", o)} {
			if _, err := types(t.Context(), transport); err != nil || host != want {
				t.Errorf("%s: the host is %q, want %q: %v", name, host, want, err)
			}
		}
	}
}

// What nobody has decoded is no stream, and not a stream without events.
func TestStreamsThatAreStillEncoded(t *testing.T) {
	for encoding, good := range map[string]bool{"br": false, "gzip": false, "GZIP, br": false, "identity": true, "Identity": true, "": true} {
		h := answering(func(w http.ResponseWriter, _ *http.Request, say func(string)) {
			w.Header().Set("Content-Encoding", encoding)
			say(started + finished)
		})
		got, err := types(t.Context(), Handler(h, "/", nil))
		var response *ResponseError
		if good && (err != nil || got != "RUN_STARTED RUN_FINISHED") {
			t.Errorf("%q: %s, %v", encoding, got, err)
		}
		if !good && (!errors.As(err, &response) || response.Encoding != encoding || !strings.Contains(err.Error(), "still encoded as "+encoding)) {
			t.Errorf("%q: %v", encoding, err)
		}
	}
	// Whoever asks for an encoding by a header has to undo it.
	s := httptest.NewServer(answering(func(w http.ResponseWriter, _ *http.Request, _ func(string)) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, started+finished)
		_ = z.Close()
	}))
	defer s.Close()
	_, err := types(t.Context(), HTTP(s.URL, &HTTPOptions{Header: http.Header{"Accept-Encoding": {"gzip"}}}))
	var response *ResponseError
	if !errors.As(err, &response) || response.Encoding != "gzip" {
		t.Errorf("an encoding that was asked for: %v", err)
	}
}
