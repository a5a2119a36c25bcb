// Package transcript holds scripted conversations on the chat completions
// wire: what a request should be and what the server answers, byte for byte,
// in files that people review. An adapter is run against each of them over
// real HTTP, and what it makes of it stands in the same file.
//
// A file begins with prose and goes on in sections, each headed by a line
// "-- name --":
//
//   - call, as [Call], in JSON.
//   - response, any number, in the order of the requests: its head is
//     "response 429 Retry-After=0", its body is sent line by line and flushed
//     at each empty line. A line that begins with @ is a directive; see
//     [Server].
//   - requests, updates and events: what came of it. They are compared, or
//     written with -update.
package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Transcript is one file.
type Transcript struct {
	// Name is the file's name without extension.
	Name      string
	Call      Call
	Responses []Response

	path     string
	about    string
	sections []section
}

// Call is what the client is asked.
type Call struct {
	// Model is the client's; empty is "test-model".
	Model    string          `json:"model"`
	Messages json.RawMessage `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
	// The rest goes into the request as it is.
	Options        chat.Options         `json:"options"`
	ToolChoice     chat.ToolChoice      `json:"toolChoice"`
	ResponseFormat *chat.ResponseFormat `json:"responseFormat"`
}

// Response is one answer of the server.
type Response struct {
	Status int
	Header [][2]string
	Body   string
}

type section struct{ head, body string }

// Load reads all transcripts of a directory.
func Load(t testing.TB, dir string) []*Transcript {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts in %s (%v)", dir, err)
	}
	var all []*Transcript
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Parse(string(data))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		tr.path, tr.Name = path, strings.TrimSuffix(filepath.Base(path), ".txt")
		all = append(all, tr)
	}
	return all
}

// Parse reads a transcript.
func Parse(text string) (*Transcript, error) {
	tr := &Transcript{Call: Call{Model: "test-model"}}
	var open *section
	for line := range strings.Lines(text) {
		if head, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- "); ok && strings.HasSuffix(head, " --") {
			tr.sections = append(tr.sections, section{head: strings.TrimSuffix(head, " --")})
			open = &tr.sections[len(tr.sections)-1]
			continue
		}
		if open == nil {
			tr.about += line
		} else {
			open.body += line
		}
	}
	for _, s := range tr.sections {
		name, rest, _ := strings.Cut(s.head, " ")
		switch name {
		case "call":
			d := json.NewDecoder(strings.NewReader(s.body))
			d.DisallowUnknownFields()
			if err := d.Decode(&tr.Call); err != nil {
				return nil, fmt.Errorf("call: %w", err)
			}
		case "response":
			r := Response{Body: s.body}
			for i, word := range strings.Fields(rest) {
				if i == 0 {
					n, err := strconv.Atoi(word)
					if err != nil {
						return nil, fmt.Errorf("response: the status %q is no number", word)
					}
					r.Status = n
					continue
				}
				k, v, ok := strings.Cut(word, "=")
				if !ok {
					return nil, fmt.Errorf("response: the header %q has no =", word)
				}
				r.Header = append(r.Header, [2]string{k, v})
			}
			tr.Responses = append(tr.Responses, r)
		case "requests", "updates", "events":
		default:
			return nil, fmt.Errorf("a section cannot be called %q", name)
		}
	}
	if len(tr.Responses) == 0 {
		return nil, fmt.Errorf("no response")
	}
	return tr, nil
}

// Input returns the input of the run.
func (tr *Transcript) Input() (*agui.RunAgentInput, error) {
	in := map[string]any{"threadId": "thread", "runId": "run", "protocolVersion": agui.ProtocolVersion, "messages": json.RawMessage(`[{"id":"u1","role":"user","content":"Hello"}]`)}
	if tr.Call.Messages != nil {
		in["messages"] = tr.Call.Messages
	}
	if tr.Call.Tools != nil {
		in["tools"] = tr.Call.Tools
	}
	data, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return agui.ParseInput(data)
}

// Apply puts into the request what an input has no place for.
func (c *Call) Apply(req *chat.Request) *chat.Request {
	req = req.Clone()
	req.Options, req.ToolChoice, req.ResponseFormat = c.Options, c.ToolChoice, c.ResponseFormat
	return req
}

// Golden compares what came of the transcript with its sections, or writes
// them with -update.
func (tr *Transcript) Golden(t testing.TB, requests, updates, events []byte) {
	t.Helper()
	for _, s := range []section{{"requests", string(requests)}, {"updates", string(updates)}, {"events", string(events)}} {
		tr.golden(t, s)
	}
	if aguitest.Updating() {
		if err := os.WriteFile(tr.path, tr.format(), 0o644); err != nil {
			t.Error(err)
		}
	}
}

func (tr *Transcript) golden(t testing.TB, got section) {
	t.Helper()
	for i := range tr.sections {
		s := &tr.sections[i]
		if s.head != got.head {
			continue
		}
		if !aguitest.Updating() && s.body != got.body {
			t.Errorf("%s differ (-want +got; -update accepts it):\n%s", got.head,
				cmp.Diff(strings.Split(s.body, "\n"), strings.Split(got.body, "\n")))
		}
		s.body = got.body
		return
	}
	if !aguitest.Updating() {
		t.Errorf("no section %s (-update writes it)", got.head)
	}
	tr.sections = append(tr.sections, got)
}

func (tr *Transcript) format() []byte {
	var b bytes.Buffer
	b.WriteString(tr.about)
	for _, s := range tr.sections {
		fmt.Fprintf(&b, "-- %s --\n%s", s.head, s.body)
	}
	return b.Bytes()
}
