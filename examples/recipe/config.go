package main

import (
	"flag"
	"fmt"
	"io"
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
	key     string

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
	// A key has no flag: a process list shows flags to everybody.
	c.key = getenv("OPENAI_API_KEY")
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
	switch {
	case c.backend != "openai" && c.backend != "langchaingo":
		return nil, fmt.Errorf("-backend is openai or langchaingo, not %q", c.backend)
	case c.pace < 0:
		return nil, fmt.Errorf("-pace is negative")
	case c.maxRuns < 0:
		return nil, fmt.Errorf("-max-runs is negative")
	}
	return c, nil
}
