// Package replicas tests that runs need no memory of a server: the state and
// the history come with each request, so any replica can take any turn.
package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type Board struct {
	Tasks []string `json:"tasks"`
}

type Task struct {
	Title string `json:"title"`
}

var quiet = slog.New(slog.DiscardHandler)

// replica is one process: a chain, a model and a server of its own.
type replica struct {
	name   string
	model  *aguitest.Model
	server *httptest.Server

	runs    atomic.Int32
	mu      sync.Mutex
	cleared int
}

func newReplica(t *testing.T, name string, key []byte, claims chat.ResumeStore) *replica {
	r := &replica{name: name, model: aguitest.NewModel()}
	add := state.Tool("add_task", "Adds a task.", func(_ context.Context, b *Board, in Task) (string, error) {
		b.Tasks = append(b.Tasks, in.Title)
		return "added by " + name, nil
	})
	empty := chat.RequireApproval(
		state.Tool("clear_board", "Removes every task.", func(_ context.Context, b *Board, _ struct{}) (string, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.cleared++
			b.Tasks = nil
			return "cleared by " + name, nil
		}),
		func(agui.ToolCall) string { return "Remove every task?" }, time.Hour)
	client := chat.NewBuilder(r.model).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add, empty}, Key: key, Claims: claims, Logger: quiet})).
		Build()
	endpoint := aguihttp.Handler(client, &aguihttp.Options{Logger: quiet})
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.runs.Add(1)
		endpoint.ServeHTTP(w, q)
	}))
	t.Cleanup(r.server.Close)
	return r
}

func (r *replica) clearedTimes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cleared
}

// balance returns one address for several replicas, which take the requests in
// turn.
func balance(t *testing.T, replicas ...*replica) *aguitest.Server {
	var turn atomic.Int64
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return aguitest.NewServer(t, &httputil.ReverseProxy{
		Transport: transport,
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, 0),
		Rewrite: func(p *httputil.ProxyRequest) {
			next := replicas[int(turn.Add(1)-1)%len(replicas)]
			u, err := url.Parse(next.server.URL)
			if err != nil {
				panic(err)
			}
			p.SetURL(u)
			// A proxy in Go reads the body whole first: its transport looks for
			// more of it when the answer has begun, which closes it, and then
			// cuts the answer (golang/go#40747).
			body, err := io.ReadAll(p.In.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			p.Out.Body = io.NopCloser(bytes.NewReader(body))
		},
	})
}

// page is a client: what it holds is all that lasts from run to run.
type page struct {
	t      *testing.T
	server *aguitest.Server
	mirror *aguiclient.Mirror
	runs   int
}

func newPage(t *testing.T, server *aguitest.Server, doc string) *page {
	return &page{t: t, server: server, mirror: aguiclient.NewMirror(json.RawMessage(doc), nil)}
}

// run takes a turn and returns its events.
func (p *page) run(resume ...agui.ResumeEntry) []agui.Event {
	p.t.Helper()
	p.runs++
	in := &agui.RunAgentInput{
		ThreadID: "thread", RunID: fmt.Sprint("run-", p.runs), ProtocolVersion: agui.ProtocolVersion,
		State: p.mirror.State(), Messages: p.mirror.Messages(), Resume: resume,
	}
	var events []agui.Event
	for e, err := range p.server.Run(p.t.Context(), "/agent", in) {
		if err != nil {
			p.t.Error(err)
			return events
		}
		if err := p.mirror.Apply(e); err != nil {
			p.t.Error(err)
		}
		events = append(events, e)
	}
	aguitest.Verify(p.t, events)
	return events
}

func (p *page) say(text string) []agui.Event {
	p.t.Helper()
	m := agui.UserMessage(text)
	m.ID = agui.NewID()
	p.mirror.AddMessages(m)
	return p.run()
}

func (p *page) tasks() []string {
	p.t.Helper()
	var b Board
	if err := json.Unmarshal(p.mirror.State(), &b); err != nil {
		p.t.Fatal(err)
	}
	return b.Tasks
}

func failed(events []agui.Event) string {
	if len(events) == 0 {
		return "no event"
	}
	if e, ok := events[len(events)-1].(*agui.RunError); ok {
		return e.Code
	}
	return ""
}

var key = []byte("thirty-two bytes that two share.")

func TestTurnsAlternateBetweenReplicas(t *testing.T) {
	a, b := newReplica(t, "a", key, nil), newReplica(t, "b", key, nil)
	p := newPage(t, balance(t, a, b), `{"theme":"dark","tasks":["call home"]}`)
	want := []string{"call home"}
	for i := range 6 {
		r := []*replica{a, b}[i%2]
		title := fmt.Sprint("task ", i)
		r.model.Add(
			aguitest.Call("", "add_task", fmt.Sprintf(`{"title":%q}`, title)),
			aguitest.Text("It is on the list."),
		)
		if code := failed(p.say("Add " + title)); code != "" {
			t.Fatalf("turn %d failed: %s", i, code)
		}
		want = append(want, title)
		if got := p.tasks(); !slices.Equal(got, want) {
			t.Fatalf("after turn %d the tasks are %q, want %q", i, got, want)
		}
		// The model of this replica was told what the other one has done.
		asked := r.model.Requests()[len(r.model.Requests())-2]
		told := asked.Outgoing[len(asked.Outgoing)-1].Content.Text()
		if !strings.Contains(told, want[i]) {
			t.Errorf("turn %d: replica %s did not tell its model of %q: %s", i, r.name, want[i], told)
		}
		if got := len(asked.Messages); got != 1+4*i {
			t.Errorf("turn %d: replica %s was given %d messages, want %d", i, r.name, got, 1+4*i)
		}
	}
	if a.runs.Load() != 3 || b.runs.Load() != 3 {
		t.Errorf("a took %d runs and b %d", a.runs.Load(), b.runs.Load())
	}
	if !strings.Contains(string(p.mirror.State()), `"theme":"dark"`) {
		t.Errorf("the member that no replica knows is gone: %s", p.mirror.State())
	}
}

// ask lets replica a ask whether the board may be cleared, and returns the
// question.
func ask(t *testing.T, a *replica, p *page) agui.Interrupt {
	t.Helper()
	a.model.Add(aguitest.Call("", "clear_board", `{}`))
	p.say("Clear the board")
	interrupts := p.mirror.Interrupts()
	if len(interrupts) != 1 || a.clearedTimes() != 0 {
		t.Fatalf("%d questions were asked and the board was cleared %d times", len(interrupts), a.clearedTimes())
	}
	return interrupts[0]
}

func approve(i agui.Interrupt) agui.ResumeEntry {
	return agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)}
}

func TestApprovalIsAskedHereAndAnsweredThere(t *testing.T) {
	a, b := newReplica(t, "a", key, nil), newReplica(t, "b", key, nil)
	p := newPage(t, balance(t, a, b), `{"tasks":["call home"]}`)
	question := ask(t, a, p)
	b.model.Add(aguitest.Text("The board is empty."))
	if code := failed(p.run(approve(question))); code != "" {
		t.Fatal(code)
	}
	if a.clearedTimes() != 0 || b.clearedTimes() != 1 {
		t.Errorf("a ran the call %d times and b %d times", a.clearedTimes(), b.clearedTimes())
	}
	if got := p.tasks(); len(got) != 0 {
		t.Errorf("the tasks are %q", got)
	}
	if a.runs.Load() != 1 || b.runs.Load() != 1 {
		t.Errorf("a took %d runs and b %d", a.runs.Load(), b.runs.Load())
	}
}

// Without the same key the other process cannot know that the question was
// asked, and takes no answer to it.
func TestAnswerIsRefusedWhereTheKeyIsAnother(t *testing.T) {
	for name, other := range map[string][]byte{
		"another key": []byte("thirty-two bytes of another one."),
		"none":        nil,
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newReplica(t, "a", key, nil), newReplica(t, "b", other, nil)
			p := newPage(t, balance(t, a, b), `{"tasks":["call home"]}`)
			question := ask(t, a, p)
			if code := failed(p.run(approve(question))); code != chat.CodeInterruptUnknown {
				t.Errorf("the run ended with code %q", code)
			}
			if b.clearedTimes() != 0 || !slices.Equal(p.tasks(), []string{"call home"}) {
				t.Errorf("b ran the call %d times, the tasks are %q", b.clearedTimes(), p.tasks())
			}
		})
	}
}

// claims is what replicas share to take an answer once: here a map, elsewhere
// a database.
type claims struct{ taken sync.Map }

func (c *claims) Claim(_ context.Context, key string) (bool, error) {
	_, before := c.taken.LoadOrStore(key, true)
	return !before, nil
}

func TestAnswerThatComesToBothCountsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		store chat.ResumeStore
		want  int
	}{
		"with a store":    {new(claims), 1},
		"without a store": {nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newReplica(t, "a", key, c.store), newReplica(t, "b", key, c.store)
			front := balance(t, a, b)
			p := newPage(t, front, `{"tasks":["call home"]}`)
			question := ask(t, a, p)
			messages := p.mirror.Messages()
			var wg sync.WaitGroup
			for _, r := range []*replica{a, b} {
				r.model.Add(aguitest.Text("The board is empty."))
				double := newPage(t, front, `{"tasks":["call home"]}`)
				double.mirror.SetMessages(messages)
				wg.Go(func() { double.run(approve(question)) })
			}
			wg.Wait()
			if got := a.clearedTimes() + b.clearedTimes(); got != c.want {
				t.Errorf("the call ran %d times, want %d", got, c.want)
			}
		})
	}
}
