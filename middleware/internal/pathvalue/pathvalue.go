// Package pathvalue gives a request the parameters of an Echo route as
// net/http gives those of its own.
package pathvalue

import (
	"net/http"
	"net/url"
	"strings"
)

// Set sets the values of a route's parameters, decoded once: a%2Fb is a/b, and
// %2541 is %41. Echo cuts them out of URL.RawPath when there is one, and
// leaves their decoding to others; its router, or a middleware, may have done
// it already.
func Set(r *http.Request, route string, names, values []string) {
	encoded := r.URL.RawPath != "" && fill(route, names, values) != r.URL.Path
	for i, name := range names {
		v := values[i]
		if decoded, err := url.PathUnescape(v); encoded && err == nil {
			v = decoded
		}
		r.SetPathValue(name, v)
	}
}

// fill returns the path of a route with these values: URL.Path when they are
// decoded, URL.RawPath when they are not. Nothing that follows * counts.
func fill(route string, names, values []string) string {
	var path strings.Builder
	for i := 0; route != ""; {
		switch {
		case strings.HasPrefix(route, `\:`):
			path.WriteByte(':')
			route = route[2:]
		case route[0] == ':' && i < len(names) && strings.HasPrefix(route[1:], names[i]):
			path.WriteString(values[i])
			route = route[1+len(names[i]):]
			i++
		case route[0] == '*' && i < len(names):
			return path.String() + values[i]
		default:
			path.WriteByte(route[0])
			route = route[1:]
		}
	}
	return path.String()
}
