package aguihttp_test

import (
	"net/http"
	"testing"
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
