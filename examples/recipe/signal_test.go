//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The first signal lets runs go on, and the second does not wait for them.
func TestSecondSignal(t *testing.T) {
	program := exec.CommandContext(t.Context(), os.Args[0], "-addr", "127.0.0.1:0", "-step")
	program.Env = append(os.Environ(), asMain+"=1", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://\S+/agent`).FindString(line)
	if err != nil || url == "" {
		t.Fatalf("%v, %q", err, line)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	res, err := client.Post(url, "application/json",
		strings.NewReader(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"a pancake recipe"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	// The run has begun, and its model waits to be told to speak.
	stream := bufio.NewReader(res.Body)
	if line, err := stream.ReadString('\n'); err != nil || !strings.Contains(line, "RUN_STARTED") {
		t.Fatalf("%v, %q", err, line)
	}
	ended := make(chan *os.ProcessState, 1)
	go func() {
		_ = program.Wait()
		ended <- program.ProcessState
	}()
	for program.Process.Signal(os.Interrupt) == nil { // a second too close to the first is one with it
	}
	if status, ok := (<-ended).Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended by itself: %v", status)
	}
	if rest, _ := io.ReadAll(stream); strings.Contains(string(rest), "RUN_ERROR") {
		t.Errorf("it waited for the run: %s", rest)
	}
}
