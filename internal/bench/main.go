// Command bench measures the endpoint with a whole chain behind it, beside
// other ways of serving the same events. See README.md.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

type command struct {
	name, about string
	run         func(ctx context.Context, args []string) error
}

var commands = []command{
	{"compare", "measure this server and its peers, and print one table", compare},
	{"loss", "kill clients and servers at random, and count runs that were wrong or lost silently", loss},
	{"serve", "serve the workloads", serve},
	{"load", "measure one server that is running", loadOne},
	{"script", "print the workloads", printScript},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		fmt.Fprintln(os.Stderr, "usage: bench COMMAND [flags]; COMMAND -h shows its flags")
		for _, c := range commands {
			fmt.Fprintf(os.Stderr, "  %-8s %s\n", c.name, c.about)
		}
		os.Exit(2)
	}
	if err := commands[i].run(ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
