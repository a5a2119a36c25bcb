package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// outcome is what a client knows of its run.
type outcome int

const (
	finished outcome = iota // saw RUN_FINISHED, and everything was right
	wrong                   // saw RUN_FINISHED, and something was not
	silent                  // saw the stream end well, or stall, without a terminal event
	killed                  // left by itself
	failed                  // saw RUN_ERROR
	cut                     // saw the connection break
	refused                 // got no stream, and tries again
	outcomes
)

// loss has many clients run against a server, some of which leave at random,
// while the server is killed and restarted, and counts what the clients know.
// It fails when a run that was seen to finish was wrong, or when a client
// cannot tell that its run did not finish.
func loss(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("loss", flag.ExitOnError)
	n := flags.Int("n", 20000, "runs")
	clients := flags.Int("c", 64, "clients at one time")
	leave := flags.Float64("leave", 0.3, "share of the clients that leave before the end")
	every := flags.Duration("every", 700*time.Millisecond, "mean time between two ends of the server, by SIGKILL and SIGTERM in turn")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := &victim{}
	if err := s.start(); err != nil {
		return err
	}
	defer s.stop()
	done := make(chan struct{})
	var keeper sync.WaitGroup
	keeper.Go(func() { s.keepKilling(ctx, done, *every) })

	var counts [outcomes]atomic.Int64
	var next atomic.Int64
	var complaint atomic.Pointer[string]
	var wg sync.WaitGroup
	for range *clients {
		wg.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			c := &http.Client{Transport: transport}
			for i := next.Add(1); i <= int64(*n) && ctx.Err() == nil; {
				o, why := lossRun(ctx, c, s.url(), fmt.Sprintf("run-%d", i), rand.Float64() < *leave)
				counts[o].Add(1)
				if o == wrong || o == silent {
					text := fmt.Sprintf("run-%d: %s", i, why)
					complaint.CompareAndSwap(nil, &text)
				}
				if o == refused { // the server is down: try again
					time.Sleep(10 * time.Millisecond)
					continue
				}
				i = next.Add(1)
			}
		})
	}
	wg.Wait()
	close(done)
	keeper.Wait()

	total := int64(0)
	for i := range refused {
		total += counts[i].Load()
	}
	fmt.Printf("runs %d  killed %d  finished %d  wrong %d  silent %d  (told by RUN_ERROR %d, by a broken connection %d; server ended %d times, %d attempts found it down)\n",
		total, counts[killed].Load(), counts[finished].Load(), counts[wrong].Load(), counts[silent].Load(),
		counts[failed].Load(), counts[cut].Load(), s.ends.Load(), counts[refused].Load())
	if p := complaint.Load(); p != nil {
		return fmt.Errorf("the first of them: %s", *p)
	}
	return ctx.Err()
}

// stall is how long a client waits for a byte before it calls its run silent.
const stall = 20 * time.Second

// lossRun makes one run and judges it.
func lossRun(ctx context.Context, c *http.Client, url, run string, leave bool) (outcome, string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stalled atomic.Bool
	watch := time.AfterFunc(stall, func() { stalled.Store(true); cancel() })
	defer watch.Stop()

	body, err := tallyInput(run)
	if err != nil {
		return wrong, err.Error()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return wrong, err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Do(req)
	if err != nil {
		return refused, err.Error()
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refused, res.Status
	}
	m := &mirror{state: []byte(`{"kept":[1,2.50]}`)}
	left := -1
	if leave {
		left = rand.IntN(40)
	}
	r := bufio.NewReader(res.Body)
	for {
		frame, err := readFrame(r)
		switch {
		case err == io.EOF:
			return silent, "the stream ended well without a terminal event"
		case stalled.Load():
			return silent, "no byte for " + stall.String()
		case err != nil:
			return cut, err.Error()
		}
		watch.Reset(stall)
		end, err := m.apply(frame)
		if err != nil {
			return wrong, err.Error()
		}
		switch {
		case end == "RUN_ERROR":
			return failed, ""
		case end == "RUN_FINISHED":
			if err := m.check(run); err != nil {
				return wrong, err.Error()
			}
			return finished, ""
		case left == 0:
			return killed, ""
		}
		left--
	}
}

// readFrame returns the data of the next event. io.EOF means that the body has
// ended as it should; a broken connection is another error.
func readFrame(r *bufio.Reader) ([]byte, error) {
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if err == io.EOF && len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			return data, nil
		}
	}
}

// mirror is the little that a client has to know.
type mirror struct {
	text  strings.Builder
	state []byte
	ids   []string
}

func (m *mirror) apply(frame []byte) (end string, err error) {
	var e struct {
		Type     string          `json:"type"`
		RunID    string          `json:"runId"`
		Delta    json.RawMessage `json:"delta"`
		Snapshot json.RawMessage `json:"snapshot"`
	}
	if err := json.Unmarshal(frame, &e); err != nil {
		return "", fmt.Errorf("frame %q: %w", frame, err)
	}
	switch e.Type {
	case "RUN_STARTED", "RUN_FINISHED":
		m.ids = append(m.ids, e.RunID)
		if e.Type == "RUN_FINISHED" {
			return e.Type, nil
		}
	case "RUN_ERROR":
		return e.Type, nil
	case "TEXT_MESSAGE_CONTENT":
		var s string
		if err := json.Unmarshal(e.Delta, &s); err != nil {
			return "", err
		}
		m.text.WriteString(s)
	case "STATE_SNAPSHOT":
		m.state = e.Snapshot
	case "STATE_DELTA":
		p, err := jsonpatch.DecodePatch(e.Delta)
		if err != nil {
			return "", err
		}
		if m.state, err = p.Apply(m.state); err != nil {
			return "", fmt.Errorf("delta %s: %w", e.Delta, err)
		}
	}
	return "", nil
}

// check compares what has arrived with what the run's name says.
func (m *mirror) check(run string) error {
	want := words(run)
	if got := m.text.String(); got != strings.Join(want, "") {
		return fmt.Errorf("text %q, want %q", got, strings.Join(want, ""))
	}
	if !slices.Equal(m.ids, []string{run, run}) {
		return fmt.Errorf("run ids %q", m.ids)
	}
	doc, err := json.Marshal(tally{Run: run, Count: len(want), Words: want})
	if err != nil {
		return err
	}
	full := append([]byte(`{"kept":[1,2.50],`), doc[1:]...)
	if !jsonpatch.Equal(m.state, full) {
		return fmt.Errorf("state %s, want %s", m.state, full)
	}
	return nil
}

// victim is a server that is killed and restarted, on one port.
type victim struct {
	addr string
	ends atomic.Int64
	cmd  *exec.Cmd
}

func (v *victim) url() string { return "http://" + v.addr + "/loss" }

func (v *victim) start() error {
	if v.addr == "" {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		v.addr = ln.Addr().String()
		if err := ln.Close(); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	v.cmd = exec.Command(self, "serve", "-addr", v.addr, "-grace", "10ms")
	v.cmd.Stderr = os.Stderr
	if err := v.cmd.Start(); err != nil {
		return err
	}
	for range 200 {
		c, err := net.Dial("tcp", v.addr)
		if err == nil {
			return c.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	v.stop()
	return errors.New("the server does not listen")
}

func (v *victim) stop() { v.end(os.Kill) }

func (v *victim) end(sig os.Signal) {
	_ = v.cmd.Process.Signal(sig) // it may have ended by itself
	_ = v.cmd.Wait()              // killed is what it should be
}

func (v *victim) keepKilling(ctx context.Context, done <-chan struct{}, every time.Duration) {
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-time.After(every/2 + rand.N(every)):
		}
		sig := os.Signal(os.Kill)
		if i%2 == 1 {
			sig = syscall.SIGTERM
		}
		v.end(sig)
		v.ends.Add(1)
		if err := v.start(); err != nil {
			fmt.Fprintln(os.Stderr, "bench: restart:", err)
			return
		}
	}
}
