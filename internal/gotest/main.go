// Command gotest runs go test with its own arguments and counts what ran. It
// prints one line a package, the whole output of what failed, and fails when
// a test failed, did not build, or was skipped: a skipped test proves nothing.
//
//	go run ./internal/gotest -counts file -race ./...
//
// The file gets one line, "go N": the number of tests, subtests, examples and
// seeds that passed.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	counts := flag.String("counts", "", "`file` to append the number of passed tests to")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: gotest -counts file [go test arguments]")
	}
	if len(os.Args) < 3 || os.Args[1] != "-counts" {
		flag.Usage()
		os.Exit(2)
	}
	// Only -counts is ours: the rest goes to go test as it is.
	if err := flag.CommandLine.Parse(os.Args[1:3]); err != nil {
		os.Exit(2)
	}
	if err := run(*counts, os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
}

func run(counts string, args []string) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := newReport(os.Stdout)
	readErr := r.read(stdout)
	if err := cmd.Wait(); readErr == nil && err != nil && r.ok() {
		// It failed in a way that no event told.
		readErr = err
	}
	if readErr != nil {
		return readErr
	}
	f, err := os.OpenFile(counts, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "go %d\n", r.passed); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return r.finish()
}
