package echosuite

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Two spellings of a path are one tenant, and no two tenants one: the values
// are those of net/http, whether Echo decodes or not.
func (f Face) parameters(t *testing.T) {
	tells := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		r, _ := aguihttp.RequestFrom(ctx)
		return says(r.PathValue("tenant")+"|"+r.PathValue("name")+"|"+r.PathValue("*")+r.PathValue("rest")).Stream(ctx, req)
	})
	mux := http.NewServeMux()
	mux.Handle("POST /t/{tenant}/agents/{name}", aguihttp.Handler(tells, nil))
	mux.Handle("POST /w/{tenant}/{rest...}", aguihttp.Handler(tells, nil))
	reference := httptest.NewServer(mux)
	t.Cleanup(reference.Close)

	faces := map[string]Face{"as it comes": f}
	for name, echo := range f.Decoding {
		faces[name] = Face{New: echo}
	}
	c := clients(t)["HTTP/1.1"]
	for name, f := range faces {
		s := f.serve(t, Agent{Group: "/t/:tenant", Path: "/agents/:name", Client: tells}, Agent{Path: "/w/:tenant/*", Client: tells})
		for _, path := range []string{
			"/t/acme/agents/chef",
			"/t/a%2Fb/agents/chef",
			"/t/%2541%2F/agents/chef",
			"/t/a%20b/agents/chef",
			"/t/J%C3%BCrgen/agents/chef",
			"/t/J%c3%bcrgen/agents/chef",
			"/t/%41dmin/agents/chef",
			"/t/a%2Bb/agents/c+d",
			"/t/%2541/agents/chef",
			"/t/%2541/agents/%41",
			"/t/%252541!/agents/%41%25",
			"/t/100%25/agents/che%66",
			"/t/%ff/agents/%3A%2A",
			"/w/acme/a/b",
			"/w/%41/%2541/b%2Fc",
			"/w/%2541/%41/b",
		} {
			if name != "by path" || !strings.Contains(path, "%2F") { // decoded, / is one to the router
				want := story(t, f.post(t, c, reference.URL+path, strings.NewReader(input)).Body)
				if got := story(t, f.post(t, c, s.URL+path, strings.NewReader(input)).Body); got != want {
					t.Errorf("%s, %s:\ngot  %s\nwant %s", name, path, got, want)
				}
			}
		}
	}
}

// Behind * Echo reads nothing: the capabilities would answer for all of it.
func (f Face) wildcard(t *testing.T) {
	for _, a := range []Agent{{Path: "/w/*"}, {Path: "/w/*/agent"}, {Group: "/w/*", Path: "/agent"}} {
		func() {
			defer func() {
				if v, ok := recover().(string); !ok || !strings.Contains(v, "/w/*") || !strings.Contains(v, "aguihttp.Capabilities") {
					t.Errorf("%+v: %v", a, v)
				}
			}()
			a.Client, a.Options = says("ok"), quiet(aguihttp.Options{Capabilities: &agui.Capabilities{}})
			f.New(t, a)
		}()
	}
}

// Where a middleware has answered, no run starts behind its answer, and Echo is
// told.
func (f Face) answered(t *testing.T) {
	never := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		t.Error("the chain was asked")
		return func(func(*chat.Update, error) bool) {}
	})
	s := f.serve(t, Agent{Client: never, Use: []string{"recover", "request-logger", "cors", "request-id", "secure", "answers"}})
	for proto, c := range clients(t) {
		t.Run(proto, func(t *testing.T) {
			res := f.post(t, c, s.URL+"/agent", strings.NewReader(input))
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			got := string(body)
			if res.StatusCode != http.StatusTeapot || !strings.HasPrefix(got, "teapot, aguiecho") || !strings.HasSuffix(got, "started no run") {
				t.Errorf("got %s, %s", res.Status, got)
			}
		})
	}
}
