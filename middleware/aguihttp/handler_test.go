package aguihttp_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
)

func TestRun(t *testing.T) {
	s := serve(t, script(nil, text("Hel"), text("lo"), stop), nil)
	for name, client := range map[string]*http.Client{"HTTP/1.1": http1(t), "h2c": h2c(t)} {
		t.Run(name, func(t *testing.T) {
			res := post(t, client, s.URL, hello)
			if res.StatusCode != http.StatusOK {
				t.Fatalf("status %s", res.Status)
			}
			for key, want := range map[string]string{
				"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform",
				"X-Accel-Buffering": "no", "Content-Length": "", "Connection": "",
			} {
				if got := res.Header.Get(key); got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			const want = "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
			if got := types(events(t, res.Body)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// An input without messages asks no model.
func TestNoMessages(t *testing.T) {
	rec := one(t, aguihttp.Handler(never(t), options(nil)), `{"threadId":"t","runId":"r","messages":[]}`)
	if got := types(events(t, rec.Body)); rec.Code != 200 || got != "RUN_STARTED RUN_FINISHED" {
		t.Errorf("status %d, %s", rec.Code, got)
	}
}

func TestCapabilities(t *testing.T) {
	h := aguihttp.Capabilities(&agui.Capabilities{})
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "DELETE": 405} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(method, "/agent/capabilities", nil))
		if rec.Code != want {
			t.Errorf("%s: %d", method, rec.Code)
		}
		switch {
		case want != 200:
			if r := refusal(t, rec.Result()); r.Code != "METHOD_NOT_ALLOWED" || rec.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s: %+v", method, r)
			}
		case rec.Body.String() != "{}" || rec.Header().Get("Content-Type") != "application/json":
			t.Errorf("%s: %s, %v", method, rec.Body, rec.Header())
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a value without JSON was taken")
		}
	}()
	aguihttp.Capabilities(&agui.Capabilities{Custom: agui.Metadata{"f": func() {}}})
}

func TestHandlerOfNil(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a nil client was taken")
		}
	}()
	aguihttp.Handler(nil, nil)
}
