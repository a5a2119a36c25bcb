package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
)

// asMain in the environment has the binary of these tests be the program.
const asMain = "RECIPE_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		return
	}
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

// start serves the recipe as main does, with the stand-in behind it.
func start(t *testing.T, args ...string) (*aguitest.Server, *model) {
	t.Helper()
	cfg, err := parseConfig(append([]string{"-pace", "0"}, args...), func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return aguitest.NewServer(t, newServer(cfg, m, new(aguihttp.Runs))), m
}

func ask(state, wish string) *agui.RunAgentInput {
	in := &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: "1.0",
		Messages: []agui.Message{agui.UserMessage(wish)}, Tools: []agui.Tool{}, Context: []agui.Context{},
	}
	if state != "" {
		in.State = json.RawMessage(state)
	}
	return in
}

// seen is what a client has seen of a run.
type seen struct {
	events   []agui.Event
	state    []byte // after all state events
	text     string
	snapshot bool
	failed   *agui.RunError
}

func (s *seen) see(t *testing.T, e agui.Event) {
	t.Helper()
	s.events = append(s.events, e)
	switch e := e.(type) {
	case *agui.StateSnapshot:
		s.state, s.snapshot = e.Snapshot, true
	case *agui.StateDelta:
		raw, err := json.Marshal(e.Delta)
		if err != nil {
			t.Fatal(err)
		}
		p, err := jsonpatch.DecodePatch(raw)
		if err != nil {
			t.Fatal(err)
		}
		if s.state, err = p.Apply(s.state); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	case *agui.TextMessageContent:
		s.text += e.Delta
	case *agui.RunError:
		s.failed = e
	}
}

func (s *seen) recipe(t *testing.T) Recipe {
	t.Helper()
	var v State
	if err := json.Unmarshal(s.state, &v); err != nil {
		t.Fatalf("%s: %v", s.state, err)
	}
	return v.Recipe
}

func runOnce(t *testing.T, server *aguitest.Server, in *agui.RunAgentInput) *seen {
	t.Helper()
	s := &seen{state: in.State}
	for e, err := range server.Run(t.Context(), "/agent", in) {
		if err != nil {
			t.Fatal(err)
		}
		s.see(t, e)
	}
	aguitest.Verify(t, s.events)
	return s
}

// pantry is a recipe with names and amounts that nobody has seen.
func pantry(n int) (doc string, names, amounts []string) {
	r := Recipe{Title: "Quoxel", SkillLevel: "Advanced", CookingTime: "15 min", SpecialPreferences: []string{}, Instructions: []string{"Mix all."}}
	for i := range n {
		name := fmt.Sprintf("%s%s", []string{"Bra", "Zor", "Mil", "Que", "Xan"}[i%5], []string{"vok", "dle", "shu", "pim"}[i/5%4])
		r.Ingredients = append(r.Ingredients, Ingredient{Icon: "🥣", Name: name, Amount: fmt.Sprintf("%d %s", 3+i, []string{"cups", "g", ""}[i%3])})
		names, amounts = append(names, name), append(amounts, r.Ingredients[i].Amount)
	}
	raw, err := json.Marshal(map[string]any{"recipe": r, "theme": "dark"})
	if err != nil {
		panic(err)
	}
	return string(raw), names, amounts
}

func TestAnswersComeFromTheStateOfTheRequest(t *testing.T) {
	for _, backend := range []string{"openai", "langchaingo"} {
		t.Run(backend, func(t *testing.T) { answersComeFromTheState(t, backend) })
	}
}

func answersComeFromTheState(t *testing.T, backend string) {
	server, _ := start(t, "-backend", backend)
	doc, names, amounts := pantry(20)
	s := runOnce(t, server, ask(doc, "List all the ingredients"))
	for _, name := range names {
		if !strings.Contains(s.text, name) {
			t.Errorf("%q is not in the answer %q", name, s.text)
		}
	}
	s = runOnce(t, server, ask(doc, "Double it"))
	if !s.snapshot {
		t.Error("no snapshot shows the change")
	}
	if s.text == "" {
		t.Error("no text came beside the state")
	}
	for i, in := range s.recipe(t).Ingredients {
		was, unit, _ := strings.Cut(amounts[i], " ")
		n, err := strconv.Atoi(was)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSpace(fmt.Sprint(2*n) + " " + unit); strings.TrimSpace(in.Amount) != want || in.Name != names[i] {
			t.Errorf("%s %q, want %q", in.Name, in.Amount, want)
		}
	}
	if !strings.Contains(string(s.state), `"theme":"dark"`) {
		t.Errorf("a member that the server does not know is lost: %s", s.state)
	}
	s = runOnce(t, server, ask(doc, "remove the "+names[3]))
	if got := s.recipe(t).Ingredients; len(got) != 19 {
		t.Errorf("%d ingredients are left", len(got))
	}
}

// The code that answers knows none of the names above.
func TestTheStandInKnowsNoTestByHeart(t *testing.T) {
	_, names, _ := pantry(20)
	err := filepath.WalkDir("standin", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, name := range append(names, "Quoxel") {
			if strings.Contains(string(code), name) {
				t.Errorf("%s names %q", path, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Both agents answer alike: the one with Generate and the one made by hand.
func TestAgentByHand(t *testing.T) {
	server, _ := start(t)
	doc, names, _ := pantry(3)
	s := &seen{state: []byte(doc)}
	for e, err := range server.Run(t.Context(), "/byhand", ask(doc, "double it")) {
		if err != nil {
			t.Fatal(err)
		}
		s.see(t, e)
	}
	aguitest.Verify(t, s.events)
	if in := s.recipe(t).Ingredients; !s.snapshot || s.text == "" || len(in) != 3 || in[0].Name != names[0] || in[0].Amount != "6 cups" {
		t.Errorf("%s, %q", s.state, s.text)
	}
}

// The state shows before the model has finished writing it.
func TestStateShowsWhileItIsWritten(t *testing.T) {
	server, _ := start(t)
	s := runOnce(t, server, ask("{}", "make me a carrot soup"))
	n := 0
	for _, e := range s.events {
		if e.Type() == agui.TypeStateSnapshot || e.Type() == agui.TypeStateDelta {
			n++
		}
	}
	if n < 10 {
		t.Errorf("only %d state events", n)
	}
}

// The patches of a run give what a snapshot at its end would.
func TestPatchesGiveTheWholeState(t *testing.T) {
	server, _ := start(t)
	doc, _, _ := pantry(20)
	s := runOnce(t, server, ask(doc, "make it vegetarian and double it"))
	again := ask(string(s.state), "")
	again.Messages = []agui.Message{}
	whole := runOnce(t, server, again)
	var got, want any
	if err := json.Unmarshal(s.state, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(whole.state, &want); err != nil {
		t.Fatal(err)
	}
	if !whole.snapshot || !reflect.DeepEqual(got, want) {
		t.Errorf("the patches gave %s, a snapshot is %s", s.state, whole.state)
	}
}

func TestNoStateIsTheDefault(t *testing.T) {
	server, _ := start(t)
	for _, state := range []string{"", "null", "{}"} {
		s := runOnce(t, server, ask(state, "make me a carrot soup"))
		if !s.snapshot || len(s.recipe(t).Ingredients) == 0 || s.recipe(t).Title == blank.Recipe.Title {
			t.Errorf("state %q: %s", state, s.state)
		}
	}
}

func TestStateThatDoesNotFitCallsNoModel(t *testing.T) {
	server, m := start(t)
	for state, path := range map[string]string{
		`{"recipe":5}`: "/recipe", `{"recipe":{"ingredients":"egg"}}`: "/recipe/ingredients", `"hello"`: "document", `[]`: "document", `5`: "document",
	} {
		s := runOnce(t, server, ask(state, "double it"))
		if s.failed == nil || s.failed.Code != "SERIALIZATION" || !strings.Contains(s.failed.Message, path) || len(s.events) != 2 {
			t.Errorf("%s: %+v", state, s.failed)
		}
	}
	if n := len(m.standIn.Requests()); n != 0 {
		t.Errorf("%d model calls", n)
	}
	if s := runOnce(t, server, ask("{}", "make soup")); s.failed != nil {
		t.Errorf("the server does not live: %+v", s.failed)
	}
}

// The second model call is answered only after its request was seen to hold
// the new document.
func TestSecondCallSeesTheNewDocument(t *testing.T) {
	server, m := start(t, "-step")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	doc, names, _ := pantry(2)
	done := make(chan *seen)
	go func() {
		s := &seen{state: []byte(doc)}
		for e, err := range server.Run(ctx, "/agent", ask(doc, "double it")) {
			if err != nil {
				t.Error(err)
				break
			}
			s.see(t, e)
		}
		done <- s
	}()
	first, err := m.standIn.WaitRequest(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(first.Body), `3 cups`) {
		t.Errorf("the first call does not hold the old amount: %s", first.Body)
	}
	release(ctx, t, m)
	second, err := m.standIn.WaitRequest(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	if body := string(second.Body); !strings.Contains(body, `6 cups`) || strings.Contains(body, `3 cups`) || !strings.Contains(body, names[0]) {
		t.Errorf("the second call does not hold the new document alone: %s", body)
	}
	release(ctx, t, m)
	if s := <-done; s.failed != nil || s.text == "" {
		t.Errorf("%+v", s.failed)
	}
}

// release lets the current answer of the stand-in go to its end.
func release(ctx context.Context, t *testing.T, m *model) {
	t.Helper()
	for {
		chunks, err := m.standIn.Release(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if chunks[len(chunks)-1].Last {
			return
		}
	}
}

func TestFaultsOfTheModelAreErrors(t *testing.T) {
	doc, _, _ := pantry(2)
	for _, kind := range []string{"cut", "error", "garbage", "length", "refuse"} {
		server, m := start(t)
		resp, err := http.Post(strings.TrimSuffix(m.baseURL, "/v1")+"/fault?times=2&kind="+kind, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNoContent {
			t.Fatalf("fault %s: %s", kind, resp.Status)
		}
		s := runOnce(t, server, ask(doc, "double it"))
		if s.failed == nil {
			t.Errorf("%s: the run did not fail", kind)
		}
		if got, want := s.recipe(t), (&seen{state: []byte(doc)}).recipe(t); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the state is not as it was: %s", kind, s.state)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestOriginsThatMayCall(t *testing.T) {
	for origin, want := range map[string]bool{
		"http://localhost:3000": true, "http://127.0.0.1": true, "https://[::1]:8443": true, "https://app.example": true,
		"http://evil.example": false, "http://localhost.evil.example": false, "null": false, "": false, "file://localhost": false,
	} {
		if got := mayCall(origin, []string{"https://app.example"}); got != want {
			t.Errorf("%q: %v", origin, got)
		}
	}
	if !mayCall("http://any.example", []string{"*"}) {
		t.Error("* does not open it to all")
	}
	cfg, err := parseConfig([]string{"-origins", "https://app.example"}, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	h := newServer(cfg, m, new(aguihttp.Runs))
	for origin, want := range map[string]string{"http://localhost:3000": "http://localhost:3000", "http://evil.example": ""} {
		r := httptest.NewRequest(http.MethodOptions, "/agent", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", "content-type")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != want || w.Code != http.StatusNoContent {
			t.Errorf("%s: %d %q", origin, w.Code, got)
		}
	}
}

func TestWhatLooksAfterTheServer(t *testing.T) {
	server, _ := start(t)
	get := func(path string) (int, string) {
		resp, err := server.Client().Get(aguitest.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, strings.TrimSpace(string(body))
	}
	for path, want := range map[string]string{
		"/healthz": "ok", "/metrics": `{"active_runs":0}`,
		"/info": `{"agents":[{"path":"/agent","name":"writes the whole recipe","clientTools":false},` +
			`{"path":"/tools","name":"uses tools","clientTools":true},{"path":"/byhand","name":"is made by hand","clientTools":false}],` +
			`"backend":"openai","model":"stand-in","standIn":true}`,
	} {
		if code, body := get(path); code != http.StatusOK || body != want {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, body := get("/"); code != http.StatusOK || !strings.Contains(body, "<title>") {
		t.Errorf("the page: %d", code)
	}
	if code, body := get("/tools/capabilities"); code != http.StatusOK || !strings.Contains(body, `"approveWithEdits":true`) || !strings.Contains(body, `"name":"start_over"`) {
		t.Errorf("capabilities: %d %s", code, body)
	}
	if code, body := get("/agent/capabilities"); code != http.StatusOK || !strings.Contains(body, `"deltas":true`) {
		t.Errorf("capabilities: %d %s", code, body)
	}
}

func TestFlags(t *testing.T) {
	env := map[string]string{"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://localhost:1/v1", "OPENAI_API_KEY": "k"}
	c, err := parseConfig(nil, func(k string) string { return env[k] }, io.Discard)
	if err != nil || c.model != "m" || c.baseURL != env["OPENAI_BASE_URL"] || c.apiKey != "k" || c.key != nil || c.addr != "127.0.0.1:8080" || c.pace != 30*time.Millisecond {
		t.Errorf("%+v, %v", c, err)
	}
	for _, args := range [][]string{{"-backend", "other"}, {"-pace", "-1s"}, {"more"}, {"-nothing"}, {"-max-runs", "-1"}} {
		if _, err := parseConfig(args, func(string) string { return "" }, io.Discard); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestServesUntilItIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error)
	go func() { done <- run(ctx, []string{"-addr", "127.0.0.1:0"}, func(string) string { return "" }, w) }()
	buf := make([]byte, 4096)
	n, err := r.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	_, url, _ := strings.Cut(string(buf[:n]), "endpoint at ")
	url, _, _ = strings.Cut(url, "/agent")
	resp, err := http.Get(strings.TrimSpace(url) + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	w.Close()
}
