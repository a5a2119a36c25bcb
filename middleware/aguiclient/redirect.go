package aguiclient

import (
	"fmt"
	"net/http"
	"net/url"
)

// RedirectError says that an endpoint redirected to where an input is not sent:
// to another host, where the conversation, the state and the headers are
// nobody's business, to http from https, or by a status that turns a POST into
// a GET. Nothing was sent there.
type RedirectError struct {
	Status int
	From   string
	To     string
}

// Error says from where to where it goes, without passwords.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("the endpoint %s redirects with status %d to %s, where the input is not sent: use the address itself, or an http.Client with a CheckRedirect",
		short(e.From), e.Status, short(e.To))
}

// maxRedirects is how many redirects are followed, as by net/http.
const maxRedirects = 10

// stay is the CheckRedirect of requests that carry an input: they stay with
// their host, and stay a POST.
func stay(r *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if r.Method != http.MethodPost || !sameOrigin(last.URL, r.URL) {
		return &RedirectError{Status: r.Response.StatusCode, From: last.URL.Redacted(), To: r.URL.Redacted()}
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("the endpoint %s redirects more than %d times", short(via[0].URL.Redacted()), maxRedirects)
	}
	return nil
}

// sameOrigin reports whether a redirect stays with its host. From http to https
// of the same name, by their own ports, it does.
func sameOrigin(from, to *url.URL) bool {
	if from.Scheme == to.Scheme {
		return from.Hostname() == to.Hostname() && port(from) == port(to)
	}
	return from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname() && port(from) == "80" && port(to) == "443"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
