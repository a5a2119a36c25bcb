package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"runtime/debug"
	"time"

	"github.com/aguistate/aguistate/internal/bench/load"
	"github.com/aguistate/aguistate/internal/bench/script"
)

// loadOne measures one server and prints one line of JSON.
func loadOne(_ context.Context, args []string) error {
	var c load.Config
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	flags.StringVar(&c.Name, "name", "server", "name in the result")
	flags.StringVar(&c.URL, "url", "http://127.0.0.1:9100", "base URL; the workload's name is appended")
	flags.StringVar(&c.Path, "path", "", "path in place of /w1, /w2, /w3")
	flags.IntVar(&c.PID, "pid", 0, "pid of the server, for CPU and memory")
	flags.StringVar(&c.W, "w", "w1", "workload: w1, w2, w3")
	flags.IntVar(&c.C, "c", 16, "concurrent runs, or open streams for w3")
	flags.DurationVar(&c.Dur, "dur", 2*time.Second, "measured time")
	flags.DurationVar(&c.Warm, "warm", 700*time.Millisecond, "warm-up")
	flags.BoolVar(&c.Lax, "lax", false, "allow another number of events than the workload's")
	flags.BoolVar(&c.Poll, "poll", false, "w1, w2: clients poll and are not woken by each write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	debug.SetGCPercent(400)
	var err error
	if c.S, err = script.Default(); err != nil {
		return err
	}
	r, err := load.Run(c)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func printScript(context.Context, []string) error {
	_, err := os.Stdout.Write(script.JSON())
	return err
}
