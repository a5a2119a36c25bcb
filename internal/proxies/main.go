// Command proxies tries the proxy configurations of the docs for real: each is
// started in front of an endpoint, and a client reads a run through it. The
// agent says a piece and waits until the client has it, so a proxy that holds
// pieces back stops the run; then the client leaves in the middle of another
// run, and the agent must be told.
//
//	go run ./internal/proxies
//
// It needs nginx and caddy on the PATH, and ends with an error when a
// configuration does not do what the docs say.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

const (
	pieces   = 20
	runs     = 30 // some faults of proxies come now and then
	patience = 5 * time.Second
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "proxies:", err)
		os.Exit(1)
	}
}

func run() error {
	nginx, err := os.ReadFile(filepath.Join("docs", "nginx.conf"))
	if err != nil {
		return fmt.Errorf("run it from the module's root: %w", err)
	}
	caddy, err := os.ReadFile(filepath.Join("docs", "Caddyfile"))
	if err != nil {
		return err
	}
	failed := 0
	for _, p := range []struct {
		name    string
		command func(dir, config string) (*exec.Cmd, error)
		config  string
	}{
		{"nginx, docs/nginx.conf", startNginx, string(nginx)},
		{"nginx, proxy_pass alone", startNginx, "server { listen 80; location / { proxy_pass http://127.0.0.1:8080; } }\n"},
		{"caddy, docs/Caddyfile", startCaddy, string(caddy)},
		{"caddy, the same and encode", startCaddy, strings.Replace(string(caddy), "{\n", "{\n\tencode gzip\n", 1)},
	} {
		err := try(p.command, p.config)
		if err != nil {
			failed++
			fmt.Printf("%-28s %v\n", p.name, err)
			continue
		}
		fmt.Printf("%-28s %d runs of %d pieces, each before the next; the agent was told that the client left\n", p.name, runs, pieces)
	}
	if failed > 0 {
		return fmt.Errorf("%d configurations failed", failed)
	}
	return nil
}

// agent says pieces, each after the client has said that the last one came.
type agent struct {
	came chan struct{}
	left chan error // the cause of the end of a run that was left
}

func (a *agent) Stream(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for i := range pieces {
			if !yield(&chat.Update{Text: fmt.Sprintf("piece %d ", i)}, nil) {
				return
			}
			select {
			case <-a.came:
			case <-ctx.Done():
				a.left <- context.Cause(ctx)
				yield(nil, ctx.Err())
				return
			}
		}
		yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
	}
}

// try puts a proxy in front of an endpoint and runs through it.
func try(command func(dir, config string) (*exec.Cmd, error), config string) error {
	a := &agent{came: make(chan struct{}), left: make(chan error, 1)}
	endpoint, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: aguihttp.Handler(a, &aguihttp.Options{Logger: slog.New(slog.DiscardHandler)}), ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- server.Serve(endpoint) }()
	defer func() { _ = server.Close(); <-served }()

	front, err := freeAddress()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "proxies")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	_, port, err := net.SplitHostPort(front)
	if err != nil {
		return err
	}
	for _, r := range [][2]string{{"127.0.0.1:8080", endpoint.Addr().String()}, {"listen 80;", "listen " + front + ";"}, {":80 {", ":" + port + " {"}} {
		config = strings.ReplaceAll(config, r[0], r[1])
	}
	cmd, err := command(dir, config)
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if err := listening(front); err != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%w: %s", err, said)
	}

	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i := range runs {
		if err := a.read(client, "http://"+front+"/agent", pieces); err != nil {
			return fmt.Errorf("whole run %d: %w", i+1, err)
		}
	}
	if err := a.read(client, "http://"+front+"/agent", pieces/2); err != nil {
		return fmt.Errorf("a run that is left: %w", err)
	}
	select {
	case <-a.left:
		return nil
	case <-time.After(patience):
		return errors.New("the client left, and the agent was not told")
	}
}

// read reads a run until it has seen a number of pieces, and then leaves,
// or to its end when these are all.
func (a *agent) read(client *http.Client, url string, most int) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url,
		strings.NewReader(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"Go"}]}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return fmt.Errorf("status %s: %s", res.Status, body)
	}
	seen := 0
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), `"delta":"piece `) {
			continue
		}
		if seen++; seen == most && most < pieces {
			return nil
		}
		select {
		case a.came <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("the agent was not there after piece %d", seen)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%d of %d pieces came: %w", seen, most, err)
	}
	if seen != most {
		return fmt.Errorf("%d pieces came, not %d", seen, most)
	}
	return nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// listening waits until somebody takes connections at an address.
func listening(address string) error {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var conn net.Conn
		if conn, err = net.Dial("tcp", address); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("the proxy did not start: %w", err)
}

func startNginx(dir, config string) (*exec.Cmd, error) {
	text := "daemon off; master_process off; pid " + dir + "/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		text += kind + "_temp_path " + dir + "/" + kind + ";\n"
	}
	path := filepath.Join(dir, "nginx.conf")
	return exec.Command("nginx", "-e", "stderr", "-p", dir, "-c", path), os.WriteFile(path, []byte(text+config+"}\n"), 0o600)
}

func startCaddy(dir, config string) (*exec.Cmd, error) {
	version, err := exec.Command("caddy", "version").Output()
	if err != nil {
		return nil, fmt.Errorf("caddy version: %w", err)
	}
	if strings.HasPrefix(strings.TrimPrefix(string(version), "v"), "2.6.") { // the directive had another name
		config = strings.Replace(config, "request_buffers 9MiB", "buffer_requests", 1)
	}
	path := filepath.Join(dir, "Caddyfile")
	cmd := exec.Command("caddy", "run", "--adapter", "caddyfile", "--config", path)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir)
	return cmd, os.WriteFile(path, []byte("{\n\tadmin off\n}\n"+config), 0o600)
}
