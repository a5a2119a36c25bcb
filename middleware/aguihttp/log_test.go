package aguihttp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguihttp"
)

// debugLog returns a logger that keeps everything, without times.
func debugLog() (*slog.Logger, *strings.Builder) {
	var b strings.Builder
	return slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "took" {
				return slog.Attr{}
			}
			return a
		},
	})), &b
}

func TestDebugLog(t *testing.T) {
	log, lines := debugLog()
	h := aguihttp.Handler(script(nil, text("ok"), stop), &aguihttp.Options{Logger: log})
	one(t, h, hello)
	one(t, h, "{}")
	const want = `level=DEBUG msg="run ended" thread=t run=r outcome=success events=5` + "\n" +
		`level=DEBUG msg="request refused" status=400 code=INVALID_INPUT reason=`
	if !strings.HasPrefix(lines.String(), want) {
		t.Errorf("got  %s\nwant %s", lines, want)
	}
}

// An input may leave the ids to the run: log and span say those of the wire.
func TestNamelessRunInLog(t *testing.T) {
	log, lines := debugLog()
	p := &tracer{}
	h := aguihttp.Handler(script(nil, text("ok"), stop), &aguihttp.Options{Logger: log, Tracer: p})
	rec := one(t, h, strings.Replace(strings.Replace(hello, `"t"`, `""`, 1), `"r"`, `""`, 1))
	id := last(t, events(t, rec.Body)).RunID
	if id == "" || !strings.Contains(lines.String(), "run="+id) || strings.Contains(lines.String(), `thread=""`) {
		t.Errorf("the run is %q on the wire; log: %s", id, lines)
	}
	if len(p.ended) != 1 || !strings.Contains(p.ended[0].String(), "agui.run_id="+id) {
		t.Errorf("the run is %q on the wire; spans %v", id, p.ended)
	}
}

// A client that has left is in the log, with what went wrong.
func TestLostClientInLog(t *testing.T) {
	log, lines := debugLog()
	w := failing{httptest.NewRecorder()}
	ctx, left := context.WithCancel(t.Context())
	left() // the server does that first
	req := httptest.NewRequest("POST", "/", strings.NewReader(hello)).WithContext(ctx)
	req.Header.Set("Content-Type", "application/json")
	p := &tracer{}
	aguihttp.Handler(script(nil, text("ok"), stop), &aguihttp.Options{Logger: log, Tracer: p}).ServeHTTP(w, req)
	for _, want := range []string{"code=CANCELLED", "outcome=error", `client="broken pipe"`, "run=r"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no %s in %s", want, lines)
		}
	}
	if len(p.ended) != 1 || !strings.Contains(p.ended[0].String(), "agui.client_gone=true") {
		t.Errorf("spans %v", p.ended)
	}
}

type failing struct{ *httptest.ResponseRecorder }

func (failing) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// panics is a body whose reader panics, as a faulty middleware's may.
type panics struct{ v any }

func (p panics) Read([]byte) (int, error) { panic(p.v) }

func TestPanicBeforeTheStream(t *testing.T) {
	log, lines := debugLog()
	h := aguihttp.Handler(never(t), &aguihttp.Options{Logger: log})
	serve := func(v any) (rec *httptest.ResponseRecorder, panicked any) {
		defer func() { panicked = recover() }()
		rec = httptest.NewRecorder()
		req := httptest.NewRequest("POST", "/", io.NopCloser(panics{v}))
		req.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(rec, req)
		return rec, nil
	}
	rec, panicked := serve("secret")
	if panicked != nil {
		t.Fatalf("panicked with %v", panicked)
	}
	if r := refusal(t, rec.Result()); rec.Code != 500 || r.Code != "INTERNAL" || strings.Contains(r.Message, "secret") {
		t.Errorf("status %d, %+v", rec.Code, r)
	}
	if !strings.Contains(lines.String(), "secret") || !strings.Contains(lines.String(), "stack=") {
		t.Errorf("log: %s", lines)
	}
	if rec, panicked := serve(http.ErrAbortHandler); panicked != http.ErrAbortHandler || rec.Body.Len() != 0 {
		t.Errorf("panicked with %v, wrote %s", panicked, rec.Body)
	}
}
