// Package web is the recipe's page: plain files, served as they are, with a policy that lets nothing
// run that is not one of them.
package web

import (
	"embed"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

//go:embed index.html icon.svg *.css *.js
var files embed.FS

//go:embed policy.txt
var policy string

// The types are written out: what the system's table says differs from machine to machine, and a
// module with another type does not run.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Handler serves the page at "/" and its files beside it. It answers GET and HEAD only, and 404 for
// whatever is not part of the page. It is safe for concurrent use.
//
// Every answer carries the Content-Security-Policy of [Policy].
func Handler() http.Handler {
	return http.HandlerFunc(serve)
}

func serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", Policy(r.URL.Query().Get("agent")))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	data, err := files.ReadFile(name)
	if err != nil {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	header.Set("Content-Type", types[path.Ext(name)])
	header.Set("Cache-Control", "no-cache")
	_, _ = w.Write(data) // a client that went away needs no file
}

// origin is what may stand in a policy: a scheme, a host, a port, and nothing that would end the
// directive.
var origin = regexp.MustCompile(`^https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$`)

// Policy returns the page's Content-Security-Policy: only its own files, and connections only to its
// own server and, if the page is asked to talk to another agent (the query parameter agent, a URL),
// to that agent's origin. A URL that is not http or https adds nothing. W3C CSP Level 3; the last two
// directives are those of Trusted Types and forbid text to become HTML.
func Policy(agent string) string {
	allowed := ""
	if u, err := url.Parse(agent); err == nil {
		if o := strings.ToLower(u.Scheme) + "://" + u.Host; origin.MatchString(o) {
			allowed = " " + o
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(policy, "{agent}", allowed))
}
