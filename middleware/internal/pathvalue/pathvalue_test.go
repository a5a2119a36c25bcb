package pathvalue

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	tests := map[string]struct {
		route  string
		names  []string
		path   string   // as the client wrote it
		values []string // as the router gives them
		want   []string
	}{
		"plain":                          {"/p/:a", []string{"a"}, "/p/x", []string{"x"}, []string{"x"}},
		"encoded":                        {"/p/:a", []string{"a"}, "/p/x%2Fy", []string{"x%2Fy"}, []string{"x/y"}},
		"encoded where none need be":     {"/p/:a", []string{"a"}, "/p/%41", []string{"%41"}, []string{"A"}},
		"decoded by the router":          {"/p/:a", []string{"a"}, "/p/%41", []string{"A"}, []string{"A"}},
		"decoded, and looks encoded":     {"/p/:a", []string{"a"}, "/p/%2541", []string{"%41"}, []string{"%41"}},
		"the same, and RawPath":          {"/p/:a", []string{"a"}, "/p/%2541%2F", []string{"%41/"}, []string{"%41/"}},
		"encoded twice":                  {"/p/:a", []string{"a"}, "/p/%2541%2F", []string{"%2541%2F"}, []string{"%41/"}},
		"two, of which one is encoded":   {"/:a/p/:b", []string{"a", "b"}, "/x/p/%41", []string{"x", "%41"}, []string{"x", "A"}},
		"two decoded, one looks encoded": {"/:a/:b", []string{"a", "b"}, "/%41/%2541", []string{"A", "%41"}, []string{"A", "%41"}},
		"rest":                           {"/:a/*", []string{"a", "*"}, "/%41/b/%2F", []string{"%41", "b/%2F"}, []string{"A", "b//"}},
		"rest, decoded":                  {"/:a/*", []string{"a", "*"}, "/%2541/b/%2F", []string{"%41", "b//"}, []string{"%41", "b//"}},
		"what follows a rest":            {"/*/x", []string{"*"}, "/%2541%2F", []string{"%41/"}, []string{"%41/"}},
		"verb":                           {`/:a\:go/:b`, []string{"a", "b"}, "/%2541:go/%2F", []string{"%41", "/"}, []string{"%41", "/"}},
		"no text, decoded":               {"/p/:a", []string{"a"}, "/p/%41%25", []string{"A%"}, []string{"A%"}},
		"a path changed since":           {"/p/:a", []string{"a"}, "/p/%41/", []string{"%41"}, []string{"A"}},
		"none":                           {"/p", nil, "/%70", nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(test.path)
			if err != nil {
				t.Fatal(err)
			}
			r := &http.Request{URL: u}
			Set(r, test.route, test.names, test.values)
			var got []string
			for _, name := range test.names {
				got = append(got, r.PathValue(name))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Whatever a client writes and whichever way the router decodes, a value is
// what it stands for.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{"x", "a%2Fb", "%2541", "%2541%21", "J%c3%bcrgen", "%252525!", "%%", "%ff"} {
		f.Add(seed, "b"+seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "/") {
			return
		}
		u, err := url.Parse("http://host/p/" + a + "/q/" + b)
		if err != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
			return
		}
		wantA, _ := url.PathUnescape(a)
		wantB, _ := url.PathUnescape(b)
		ways := map[string][]string{"decoded": {wantA, wantB}}
		if u.RawPath != "" {
			ways["encoded"] = []string{a, b}
		}
		for way, values := range ways {
			r := &http.Request{URL: u}
			Set(r, "/p/:a/q/:b", []string{"a", "b"}, values)
			if gotA, gotB := r.PathValue("a"), r.PathValue("b"); gotA != wantA || gotB != wantB {
				t.Errorf("%s: %q and %q of %s", way, gotA, gotB, u)
			}
		}
	})
}
