package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguistate/aguistate/internal/bench/load"
	"github.com/aguistate/aguistate/internal/bench/script"
)

// target is a server to measure.
type target struct {
	name string
	cmd  []string // the address is appended; "peers/x" is built first
	only string   // workloads; empty is all
}

const ours = "ours"

var builtin = []target{
	{name: ours, cmd: []string{"self", "serve"}},
	{name: "oursr", cmd: []string{"self", "serve", "-reuse"}},
	{name: "p1", cmd: []string{"peers/p1"}},
	{name: "p2", cmd: []string{"peers/p2"}},
	{name: "p2s", cmd: []string{"peers/p2", "-snapshot"}, only: "w2"},
	{name: "p3", cmd: []string{"node", "p3/p3.mjs", "--turn"}},
	{name: "p4i", cmd: []string{"peers/p4"}},
	{name: "p4ii", cmd: []string{"peers/p4", "-batch", "16"}, only: "w1 w2"},
	{name: "p4all", cmd: []string{"peers/p4", "-batch", "0"}, only: "w1 w2"},
	{name: "p6a", cmd: []string{"peers/p6", "-mode", "adaptive"}},
	{name: "p6d", cmd: []string{"peers/p6", "-mode", "coalesce", "-state", "diff"}, only: "w2"},
}

// comparison is one call of compare.
type comparison struct {
	peers, works, cs, ns string
	reps, retry, poll    int
	dur, dur3, patience  time.Duration
	budget               time.Duration
	quiet                float64
	pin                  bool
	dir, tmp, addr       string
	began                time.Time
	results              []load.Result
}

// compare measures every peer at every load, several times in turn, each time
// with a fresh server, and prints the medians.
func compare(ctx context.Context, args []string) (err error) {
	c := &comparison{began: time.Now(), addr: "127.0.0.1:9100"}
	flags := flag.NewFlagSet("compare", flag.ExitOnError)
	flags.StringVar(&c.peers, "peers", "ours,oursr,p1,p2,p4i,p4ii,p6a,p6d", "servers to measure")
	flags.StringVar(&c.works, "w", "w1,w2,w3", "workloads")
	flags.StringVar(&c.cs, "c", "1,64", "concurrent runs for w1 and w2")
	flags.StringVar(&c.ns, "n", "5000", "open streams for w3")
	flags.IntVar(&c.reps, "reps", 3, "repetitions")
	flags.DurationVar(&c.dur, "dur", 1500*time.Millisecond, "measured time for w1 and w2")
	flags.DurationVar(&c.dur3, "dur3", 4*time.Second, "measured time for w3")
	flags.BoolVar(&c.pin, "pin", true, "server on CPU 0, load on CPU 1 (taskset)")
	flags.IntVar(&c.poll, "poll", 16, "w1, w2: from so many runs on the clients poll, so that no write pays for waking one (0: never)")
	flags.Float64Var(&c.quiet, "quiet", 0.35, "wait for, and prefer, times when other processes take at most so many cores")
	flags.IntVar(&c.retry, "retry", 2, "measure again, so many times at most, when it was not quiet")
	flags.DurationVar(&c.patience, "patience", 40*time.Second, "longest wait for a quiet time before one measurement")
	flags.DurationVar(&c.budget, "budget", 40*time.Minute, "after so long, wait and retry no more")
	flags.StringVar(&c.dir, "dir", "internal/bench/peers", "the peers' module, seen from here")
	out := flags.String("out", "", "file that results are appended to, a line of JSON each")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if c.tmp, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.tmp)) }()

	targets, err := c.targets(ctx)
	if err != nil {
		return err
	}
	if err := c.measure(ctx, targets); err != nil {
		return err
	}
	if *out != "" {
		if err := c.save(*out); err != nil {
			return err
		}
	}
	c.table(os.Stdout, targets)
	return nil
}

// targets builds what has to be built.
func (c *comparison) targets(ctx context.Context) ([]target, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	work := filepath.Join(c.tmp, "workload.json")
	if err := os.WriteFile(work, script.JSON(), 0o600); err != nil {
		return nil, err
	}
	var all []target
	for name := range strings.SplitSeq(c.peers, ",") {
		i := slices.IndexFunc(builtin, func(t target) bool { return t.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no peer %q", name)
		}
		t := builtin[i]
		t.cmd = slices.Clone(t.cmd)
		switch kind, peer, _ := strings.Cut(t.cmd[0], "/"); kind {
		case "self":
			t.cmd[0] = self
		case "peers":
			t.cmd[0] = filepath.Join(c.tmp, peer)
			if err := c.tool(ctx, "go", "build", "-o", t.cmd[0], "./"+peer); err != nil {
				return nil, err
			}
		case "node":
			if _, err := os.Stat(filepath.Join(c.dir, "p3", "node_modules")); err != nil {
				if err := c.tool(ctx, "npm", "ci", "--silent", "--prefix", "p3"); err != nil {
					return nil, err
				}
			}
			t.cmd[1] = filepath.Join(c.dir, t.cmd[1])
			t.cmd = append(t.cmd, "-script", work)
		}
		all = append(all, t)
	}
	return all, nil
}

// tool runs a command in the peers' module.
func (c *comparison) tool(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = c.dir
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, b)
	}
	return nil
}

func (c *comparison) measure(ctx context.Context, targets []target) error {
	for rep := range c.reps {
		for w := range strings.SplitSeq(c.works, ",") {
			loads := c.cs
			if w == "w3" {
				loads = c.ns
			}
			for n := range strings.SplitSeq(loads, ",") {
				for i := range targets {
					t := targets[(i+rep)%len(targets)]
					if t.only != "" && !strings.Contains(t.only, w) {
						continue
					}
					if err := c.one(ctx, t, w, n); err != nil {
						return fmt.Errorf("%s %s %s: %w", t.name, w, n, err)
					}
				}
				fmt.Fprintf(os.Stderr, "%s repetition %d of %d, %s, %s\n", time.Since(c.began).Round(time.Second), rep+1, c.reps, w, n)
			}
		}
	}
	return nil
}

// one measures until it was quiet, or patience ends.
func (c *comparison) one(ctx context.Context, t target, w, n string) error {
	for range c.retry + 1 {
		c.calm()
		r, err := c.once(ctx, t, w, n)
		if err != nil {
			return err
		}
		c.results = append(c.results, r)
		if r.Other <= c.quiet || time.Since(c.began) > c.budget {
			break
		}
	}
	return nil
}

// calm waits until the machine is quiet.
func (c *comparison) calm() {
	for end := time.Now().Add(c.patience); time.Now().Before(end) && time.Since(c.began) < c.budget; {
		busy, at := load.Busy(), time.Now()
		time.Sleep(400 * time.Millisecond)
		if (load.Busy()-busy)/time.Since(at).Seconds() <= c.quiet {
			return
		}
		time.Sleep(600 * time.Millisecond)
	}
}

func (c *comparison) pinned(cpu string, args []string) []string {
	if c.pin {
		return append([]string{"taskset", "-c", cpu}, args...)
	}
	return args
}

func (c *comparison) once(ctx context.Context, t target, w, n string) (r load.Result, err error) {
	args := c.pinned("0", append(slices.Clone(t.cmd), "-addr", c.addr))
	server := exec.CommandContext(ctx, args[0], args[1:]...)
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		return r, err
	}
	defer func() {
		_ = server.Process.Kill() // it serves until it is killed
		_ = server.Wait()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, log.Bytes())
		}
	}()
	if err := c.listening(); err != nil {
		return r, err
	}
	dur, warm := c.dur, 700*time.Millisecond
	if w == "w3" {
		dur, warm = c.dur3, time.Second
	}
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	args = []string{self, "load", "-name", t.name, "-url", "http://" + c.addr, "-pid", strconv.Itoa(server.Process.Pid),
		"-w", w, "-c", n, "-dur", dur.String(), "-warm", warm.String()}
	if many, err := strconv.Atoi(n); err == nil && w != "w3" && c.poll > 0 && many >= c.poll {
		args = append(args, "-poll")
	}
	args = c.pinned("1", args)
	client := exec.CommandContext(ctx, args[0], args[1:]...)
	client.Stderr = os.Stderr
	b, err := client.Output()
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, err
	}
	if r.Errors > 0 {
		return r, fmt.Errorf("%d runs were wrong, the first: %s", r.Errors, r.FirstErr)
	}
	return r, nil
}

func (c *comparison) listening() error {
	for range 100 {
		conn, err := net.Dial("tcp", c.addr)
		if err == nil {
			time.Sleep(150 * time.Millisecond)
			return conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("the server does not listen")
}

func (c *comparison) save(path string) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	for _, r := range c.results {
		if err := json.NewEncoder(w).Encode(r); err != nil {
			return err
		}
	}
	return w.Flush()
}
