package aguihttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/aguihttp"
)

// plain can do nothing but what a ResponseWriter has to.
type plain struct{ http.ResponseWriter }

type onlyFlush struct {
	plain
	flush func()
}

func (w onlyFlush) Flush() { w.flush() }

type onlyFlushError struct {
	plain
	flush func()
}

func (w onlyFlushError) FlushError() error { w.flush(); return nil }

type onlyUnwrap struct {
	plain
	inner http.ResponseWriter
}

func (w onlyUnwrap) Unwrap() http.ResponseWriter { return w.inner }

// claims says that it flushes, as Echo's response does, but cannot.
type claims struct{ onlyUnwrap }

func (claims) Flush() { panic("cannot flush") }

func TestWriters(t *testing.T) {
	tests := []struct {
		name    string
		wrap    func(rec *httptest.ResponseRecorder, flush func()) http.ResponseWriter
		flushes bool
	}{
		{"Flush", func(rec *httptest.ResponseRecorder, f func()) http.ResponseWriter { return onlyFlush{plain{rec}, f} }, true},
		{"FlushError", func(rec *httptest.ResponseRecorder, f func()) http.ResponseWriter {
			return onlyFlushError{plain{rec}, f}
		}, true},
		{"Unwrap", func(rec *httptest.ResponseRecorder, f func()) http.ResponseWriter {
			return onlyUnwrap{plain{rec}, onlyUnwrap{plain{rec}, onlyFlush{plain{rec}, f}}}
		}, true},
		{"nothing", func(rec *httptest.ResponseRecorder, _ func()) http.ResponseWriter { return plain{rec} }, false},
		{"Unwrap to nothing", func(rec *httptest.ResponseRecorder, _ func()) http.ResponseWriter {
			return onlyUnwrap{plain{rec}, plain{rec}}
		}, false},
		{"Unwrap to nil", func(rec *httptest.ResponseRecorder, _ func()) http.ResponseWriter {
			return onlyUnwrap{plain{rec}, nil}
		}, false},
		{"an empty claim", func(rec *httptest.ResponseRecorder, _ func()) http.ResponseWriter {
			return claims{onlyUnwrap{plain{rec}, plain{rec}}}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := never(t)
			if tt.flushes {
				client = script(nil, text("ok"), stop)
			}
			flushed := 0
			rec := httptest.NewRecorder()
			req := httptest.NewRequest("POST", "/", strings.NewReader(hello))
			req.Header.Set("Content-Type", "application/json")
			aguihttp.Handler(client, options(nil)).ServeHTTP(tt.wrap(rec, func() { flushed++ }), req)
			if !tt.flushes {
				if r := refusal(t, rec.Result()); rec.Code != 500 || r.Code != "CANNOT_FLUSH" || !strings.Contains(r.Message, "ContextTimeout") {
					t.Errorf("status %d, %+v", rec.Code, r)
				}
				return
			}
			if got := types(events(t, rec.Body)); rec.Code != 200 || !strings.HasSuffix(got, "RUN_FINISHED") || flushed < 2 {
				t.Errorf("status %d, %d flushes, %s", rec.Code, flushed, got)
			}
		})
	}
}

// http.TimeoutHandler buffers, as Echo's Timeout does, which is made of it.
func TestTimeoutHandler(t *testing.T) {
	h := http.TimeoutHandler(aguihttp.Handler(never(t), options(nil)), time.Minute, "late")
	res := one(t, h, hello).Result()
	if r := refusal(t, res); res.StatusCode != 500 || r.Code != "CANNOT_FLUSH" {
		t.Errorf("%s: %+v", res.Status, r)
	}
}
