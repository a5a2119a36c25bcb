package main

import (
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

// config is what the flags and the environment say.
type config struct {
	addr    string
	origins []string
	maxRuns int

	backend string
	model   string
	baseURL string
	apiKey  string
	key     []byte // signs the questions that tools ask; nil is a random one, made at the start

	pace time.Duration
	step bool
}

func parseConfig(args []string, getenv func(string) string, out io.Writer) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("recipe", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`address` to serve on")
	origins := f.String("origins", "", "comma-separated `origins` of other pages that may call the endpoint, * for all; loopback origins always may")
	f.IntVar(&c.maxRuns, "max-runs", 0, "runs at one time, 0 for no limit")
	f.StringVar(&c.backend, "backend", "openai", "the adapter that talks to the model: openai or langchaingo")
	f.StringVar(&c.model, "model", getenv("OPENAI_MODEL"), "the model's `name`; OPENAI_MODEL")
	f.StringVar(&c.baseURL, "base-url", getenv("OPENAI_BASE_URL"), "`URL` of a server that speaks OpenAI's chat completions (Ollama, vLLM, llama.cpp, …); OPENAI_BASE_URL")
	f.DurationVar(&c.pace, "pace", 30*time.Millisecond, "the stand-in's time between two chunks, 0 for none")
	f.BoolVar(&c.step, "step", false, "the stand-in waits for a POST /step before each chunk")
	key := f.String("key", "", "`base64` of at least 32 random bytes, the same for all processes that serve one page: an approval asked by one can then be given "+
		"to another; RECIPE_KEY, which a process list does not show. Without it each process has one of its own, until it ends")
	// This one has no flag at all: it costs money.
	c.apiKey = getenv("OPENAI_API_KEY")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	for o := range strings.SplitSeq(*origins, ",") {
		if o = strings.TrimSpace(o); o != "" {
			c.origins = append(c.origins, o)
		}
	}
	if *key == "" {
		*key = getenv("RECIPE_KEY")
	}
	var err error
	if c.key, err = parseKey(*key); err != nil {
		return nil, err
	}
	switch {
	case c.backend != "openai" && c.backend != "langchaingo":
		return nil, fmt.Errorf("-backend is openai or langchaingo, not %q", c.backend)
	case c.baseURL != "" && !isHTTP(c.baseURL):
		return nil, fmt.Errorf("-base-url (or OPENAI_BASE_URL) is no http or https URL, like http://localhost:11434/v1: %q", c.baseURL)
	case c.pace < 0:
		return nil, fmt.Errorf("-pace is negative")
	case c.maxRuns < 0:
		return nil, fmt.Errorf("-max-runs is negative")
	}
	return c, nil
}

func isHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// keyBytes is the least length of a key.
const keyBytes = 32

// parseKey reads a key, in either alphabet of base64, padded or not. Its errors
// do not quote it.
func parseKey(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	key, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil {
		return nil, fmt.Errorf("-key (or RECIPE_KEY) is not base64: %w", err)
	}
	if len(key) < keyBytes {
		return nil, fmt.Errorf("-key (or RECIPE_KEY) has %d bytes, at least %d are needed", len(key), keyBytes)
	}
	return key, nil
}
