// Package mask keeps keys out of the texts of errors, which end in logs:
// servers quote them, and addresses hold them.
package mask

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/middleware/chat"
)

// Secrets are the texts that no error may quote, beside what has the shape of
// a key. The zero value knows the shapes only.
type Secrets []string

const stars = "***"

// shortest is the length below which a text is no secret: masking it would
// make errors unreadable.
const shortest = 6

// Add returns the secrets with more of them.
func (s Secrets) Add(texts ...string) Secrets {
	for _, t := range texts {
		if t = strings.TrimSpace(t); len(t) >= shortest && !slices.Contains(s, t) {
			s = append(slices.Clip(s), t)
		}
	}
	return s
}

// secretive matches the names of headers and parameters whose values are
// secrets.
var secretive = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|passw|sign|credential`)

// Header adds the values of headers that are secrets by their name.
func (s Secrets) Header(h http.Header) Secrets {
	for name, values := range h {
		if !secretive.MatchString(name) {
			continue
		}
		for _, v := range values {
			s = s.Add(v)
			if _, after, ok := strings.Cut(strings.TrimSpace(v), " "); ok { // behind Bearer
				s = s.Add(after)
			}
		}
	}
	return s
}

// URL adds the password and the parameters of an address, as they are and as
// they are written in it.
func (s Secrets) URL(address string) Secrets {
	u, err := url.Parse(address)
	if err != nil {
		return s
	}
	if password, ok := u.User.Password(); ok {
		s = s.Add(password, url.QueryEscape(password), url.PathEscape(password))
	}
	for name, values := range u.Query() {
		if secretive.MatchString(name) {
			for _, v := range values {
				s = s.Add(v, url.QueryEscape(v), url.PathEscape(v))
			}
		}
	}
	return s
}

// shapes match keys that nobody has told of.
var shapes = regexp.MustCompile(`\b(?:sk|gsk|xai|nvapi|pplx)[-_][A-Za-z0-9_-]{6,}|\bAIza[A-Za-z0-9_-]{16,}`)

// after matches what a key stands behind.
var after = regexp.MustCompile(`(?i)(\bbearer |[?&](?:api[-_]?key|subscription-key|key|(?:access_)?token|sig|signature|secret)=)[^\s&"'\\]{6,}`)

// Text returns the text without secrets.
func (s Secrets) Text(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, stars)
	}
	text = after.ReplaceAllString(text, "${1}"+stars)
	return shapes.ReplaceAllString(text, stars)
}

// Error returns an error that wraps err, has its code and says no secret.
func (s Secrets) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	shown := s.Text(text)
	if shown == text {
		return err
	}
	if e, ok := err.(*chat.Error); ok {
		return &chat.Error{Code: e.Code, Message: s.Text(e.Message), Err: s.Error(e.Err)}
	}
	return &masked{shown, err}
}

type masked struct {
	text string
	err  error
}

func (m *masked) Error() string { return m.text }
func (m *masked) Unwrap() error { return m.err }
