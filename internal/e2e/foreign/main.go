// Foreign holds the Go client against servers and clients that are not ours.
//
//	foreign URL...     runs a thread against each URL and prints what it holds then
//	foreign -runs N    prints N runs of a server of ours, each with what a mirror makes of it
//	foreign -fold F... prints the runs of golden files, likewise
//	foreign -proxy URL serves the agent at a URL behind an endpoint of ours, until its input ends
//
// Each line of the output is one JSON object. The tests in Node read it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/chat"
)

func main() {
	runs := flag.Int("runs", 0, "how many runs of a server of ours to print")
	fold := flag.Bool("fold", false, "print the runs of golden files")
	behind := flag.String("proxy", "", "the agent to serve behind an endpoint of ours")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	var err error
	switch {
	case *behind != "":
		err = proxy(out, os.Stdin, *behind)
	case *fold:
		err = printFolded(out, flag.Args())
	default:
		err = print(out, *runs, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(1)
	}
}

func print(out *json.Encoder, runs int, urls []string) error {
	for seed := range runs {
		r, err := babbled(uint64(seed))
		if err != nil {
			return fmt.Errorf("run %d: %w", seed, err)
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	for _, url := range urls {
		if err := out.Encode(ask(context.Background(), url)); err != nil {
			return err
		}
	}
	return nil
}

func printFolded(out *json.Encoder, files []string) error {
	for _, file := range files {
		runs, err := folded(file)
		if err != nil {
			return err
		}
		for _, r := range runs {
			if err := out.Encode(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// held is what a client holds when a run is over.
type held struct {
	Types      []agui.EventType `json:"types"`
	State      json.RawMessage  `json:"state"`
	Messages   []agui.Message   `json:"messages"`
	Interrupts []agui.Interrupt `json:"interrupts"`
	Result     json.RawMessage  `json:"result,omitempty"`
	Stale      bool             `json:"stale"`
	// Code and Error are of a failure, Peer says whose: the peer's, or ours.
	Code  string `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
	Peer  bool   `json:"peer,omitempty"`
}

// ask runs the same thread that the reference client is asked to run.
func ask(ctx context.Context, url string) *held {
	weather := chat.NewTool("weather", "The weather here.", func(_ context.Context, in struct {
		City string `json:"city"`
	}) (string, error) {
		return "rain in " + in.City, nil
	})
	thread := aguiclient.NewThread[map[string]any](aguiclient.HTTP(url, nil), &aguiclient.ThreadOptions{
		ID: "thread", State: json.RawMessage(`{"count":1,"list":["a",null],"nothing":null}`), Tools: []chat.Tool{weather},
	})
	h := &held{}
	for c, err := range thread.Send(ctx, agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.Text("go")}) {
		if err != nil {
			h.fail(err)
			break
		}
		if !c.Local {
			h.Types = append(h.Types, c.Event.Type())
		}
	}
	h.State, h.Messages, h.Interrupts, h.Result, h.Stale = thread.Document(), thread.Messages(), thread.Interrupts(), thread.Result(), thread.Stale()
	return h
}

func (h *held) fail(err error) {
	h.Error = err.Error()
	var e *chat.Error
	if errors.As(err, &e) {
		h.Code = e.Code
	}
	var peer *aguiclient.PeerError
	h.Peer = errors.As(err, &peer)
}
