package aguihttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// A run that does not obey the end of its context, because a tool does not,
// say, goes on unheard: its client is told all the same, over any protocol, and
// nothing comes after that.
func TestStubbornRuns(t *testing.T) {
	tests := []struct {
		name     string
		o        aguihttp.Options
		obeys    time.Duration // how long the run goes on; 0 is until the test lets it
		deadline time.Duration // of a middleware in front
		shutdown bool
		code     string
		told     time.Duration
	}{
		{name: "its time is up", o: aguihttp.Options{MaxRunTime: 20 * time.Second}, code: "TIMEOUT", told: 22500 * time.Millisecond},
		{name: "it obeys late", o: aguihttp.Options{MaxRunTime: 20 * time.Second}, obeys: 22 * time.Second, code: "TIMEOUT", told: 22 * time.Second},
		{name: "a middleware's time limit", deadline: 20 * time.Second, code: "TIMEOUT", told: 22500 * time.Millisecond},
		{name: "and detached", o: aguihttp.Options{Detach: true}, deadline: 20 * time.Second, code: "TIMEOUT", told: 22500 * time.Millisecond},
		{name: "shutdown", shutdown: true, code: "SHUTDOWN", told: 12500 * time.Millisecond},
		{name: "shutdown, it obeys late", shutdown: true, obeys: 13500 * time.Millisecond, code: "SHUTDOWN", told: 12500 * time.Millisecond},
		{name: "shutdown, it obeys", shutdown: true, obeys: 12 * time.Second, code: "SHUTDOWN", told: 12 * time.Second},
	}
	for _, tt := range tests {
		for _, proto := range []string{"HTTP/1.1", "h2c"} {
			t.Run(tt.name+"/"+proto, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					release := make(chan struct{})
					client := chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
						return func(yield func(*chat.Update, error) bool) {
							if tt.obeys > 0 {
								time.Sleep(tt.obeys)
							} else {
								<-release
							}
							if yield(text("late"), nil) {
								yield(nil, ctx.Err())
							}
						}
					})
					o := tt.o
					o.Runs, o.Heartbeat = &aguihttp.Runs{}, 7*time.Second
					h := aguihttp.Handler(client, options(&o))
					dial := pipeServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if tt.deadline > 0 {
							ctx, cancel := context.WithTimeout(r.Context(), tt.deadline)
							defer cancel()
							r = r.WithContext(ctx)
						}
						h.ServeHTTP(w, r)
					}), nil)
					began := time.Now()
					res := post(t, pipeClient(t, dial, proto), "http://pipe", hello)
					stopped := make(chan error, 1)
					if tt.shutdown {
						go func() {
							grace, cancel := context.WithTimeout(t.Context(), 10*time.Second)
							defer cancel()
							stopped <- o.Runs.Shutdown(grace)
						}()
					}
					var got []string
					body, broken := bufio.NewReader(res.Body), error(nil)
					for {
						line, err := body.ReadString('\n')
						if err != nil {
							broken = err
							break
						}
						var e event
						if data, ok := strings.CutPrefix(line, "data: "); ok {
							if err := json.Unmarshal([]byte(data), &e); err != nil {
								t.Fatal(err)
							}
							got = append(got, e.Type+e.Code)
						}
						if d := time.Since(began); e.Type == "RUN_ERROR" && d != tt.told {
							t.Errorf("told after %v, want %v", d, tt.told)
						}
					}
					// A client waits for the end of the body, and a run that does not
					// end is no reason to let it wait.
					late := tt.obeys == 0 || tt.obeys > tt.told
					ended := tt.told
					if late && proto == "h2c" {
						ended += 500 * time.Millisecond
					}
					if d := time.Since(began); d != ended || (broken == io.EOF) == (late && proto == "h2c") {
						t.Errorf("the body ended after %v, want %v: %v", d, ended, broken)
					}
					if tt.obeys == 0 {
						time.AfterFunc(time.Minute, func() { close(release) })
					}
					if s := strings.Join(got, " "); s != "RUN_STARTED RUN_ERROR"+tt.code {
						t.Errorf("got %s", s)
					}
					if tt.shutdown {
						if err := <-stopped; (err == nil) != (tt.obeys > 0) {
							t.Errorf("Shutdown returned %v", err)
						}
					}
					time.Sleep(2 * time.Minute)
					if n := o.Runs.Active(); n != 0 {
						t.Errorf("%d runs are left", n)
					}
				})
			})
		}
	}
}

// unhijackable is a middleware's writer that takes the one below for another.
type unhijackable struct{ http.ResponseWriter }

func (w unhijackable) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w unhijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) { panic("no hijacker below") }

// A writer that panics when the response of a stubborn run is ended leaves it
// open, and ends nothing else: the client has been told.
func TestStubbornRunBehindAFaultyWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(func(*chat.Update, error) bool) { time.Sleep(time.Minute) }
		})
		h := aguihttp.Handler(client, options(&aguihttp.Options{MaxRunTime: time.Second, Heartbeat: -1}))
		dial := pipeServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(unhijackable{w}, r) }), nil)
		began := time.Now()
		e := last(t, events(t, post(t, pipeClient(t, dial, "HTTP/1.1"), "http://pipe", hello).Body))
		if e.Code != "TIMEOUT" || time.Since(began) != time.Minute {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
	})
}
