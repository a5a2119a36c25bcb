// Package peer is what the Go servers under test share: flags, the script, pprof, the W3 ticker.
package peer

import (
	"context"
	"flag"
	"log"
	"math/rand"
	"net"
	"net/http"
	_ "net/http/pprof"
	"time"

	"github.com/aguistate/aguistate/internal/bench/script"
)

var (
	Addr   = flag.String("addr", "127.0.0.1:9100", "listen address")
	pprof  = flag.String("pprof", "", "address of net/http/pprof (empty: none)")
	file   = flag.String("script", "", "workload file (empty: the built-in one)")
	Script *script.Script
)

const (
	Tick     = 100 * time.Millisecond
	MaxTicks = 900 // a W3 run ends by itself after 90 s
)

// Init parses the flags, loads the script and starts pprof.
func Init() {
	flag.Parse()
	s, err := script.Default()
	if *file != "" {
		s, err = script.Load(*file)
	}
	if err != nil {
		log.Fatal(err)
	}
	Script = s
	if *pprof != "" {
		go func() { log.Print(http.ListenAndServe(*pprof, nil)) }()
	}
}

func Listen() net.Listener {
	ln, err := net.Listen("tcp", *Addr)
	if err != nil {
		log.Fatal(err)
	}
	return ln
}

// Ticks calls emit with a stamped 5-byte delta every 100 ms, the first at a random
// phase, until ctx ends, emit fails, or MaxTicks.
func Ticks(ctx context.Context, emit func(delta string) error) error {
	due := time.Now().Add(time.Duration(rand.Int63n(int64(Tick))))
	t := time.NewTimer(time.Until(due))
	defer t.Stop()
	for i := 0; i < MaxTicks; i++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		if err := emit(script.Stamp(due, time.Now())); err != nil {
			return err
		}
		due = due.Add(Tick)
		t.Reset(time.Until(due))
	}
	return nil
}
