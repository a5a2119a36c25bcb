package load

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguistate/aguistate/internal/bench/script"
)

type Config struct {
	Name string
	URL  string
	Path string // default "/" + W
	PID  int    // 0: no CPU and memory
	W    string // w1, w2, w3
	C    int    // w1, w2: concurrent runs; w3: open streams
	Dur  time.Duration
	Warm time.Duration
	Lax  bool // the event count may differ from the script's (a server that merges deltas)
	Poll bool // w1, w2: clients read now and then and aren't woken (see pollConn)
	S    *script.Script
}

type Result struct {
	Name     string  `json:"name"`
	W        string  `json:"w"`
	C        int     `json:"c"`
	Poll     bool    `json:"poll,omitempty"`
	Secs     float64 `json:"secs"`
	Runs     int     `json:"runs"`
	Errors   int64   `json:"errors"`
	FirstErr string  `json:"first_err,omitempty"`
	Verified int     `json:"verified"`
	RunsS    float64 `json:"runs_s"`
	EventsS  float64 `json:"events_s"`
	BytesRun float64 `json:"bytes_run"` // SSE payload
	WireRun  float64 `json:"wire_run"`  // with HTTP headers and chunk framing
	TTFE50   float64 `json:"ttfe50_ms"`
	TTFE99   float64 `json:"ttfe99_ms"`
	Run50    float64 `json:"run50_ms"`
	Run99    float64 `json:"run99_ms"`

	Lat50 float64 `json:"lat50_us,omitempty"` // w3: emit to receipt
	Lat99 float64 `json:"lat99_us,omitempty"`
	Due50 float64 `json:"due50_us,omitempty"` // w3: due time to receipt
	Due99 float64 `json:"due99_us,omitempty"`
	Rate  float64 `json:"rate,omitempty"` // w3: delivered / due

	CPU       float64 `json:"cpu_s"`
	SysShare  float64 `json:"sys_share"`
	Util      float64 `json:"util"` // CPU seconds per second
	CPUperEv  float64 `json:"cpu_us_event"`
	CPUperRun float64 `json:"cpu_us_run"`
	RSS0      float64 `json:"rss0_mb"`
	RSS       float64 `json:"rss_mb"`
	PeakRSS   float64 `json:"peak_rss_mb"`
	PerStream float64 `json:"kb_stream,omitempty"`
	ClientCPU float64 `json:"client_cpu_s"`
	Other     float64 `json:"other_cores"` // cores busy with other things than server and client
}

type usage struct{ user, sys, rss, peak, busy float64 }

// Busy is the CPU seconds of the whole machine.
func Busy() (s float64) {
	b, _ := os.ReadFile("/proc/stat")
	f := strings.Fields(strings.SplitN(string(b), "\n", 2)[0])
	for i, x := range f {
		if i == 0 || i == 4 || i == 5 || i > 8 { // not idle, iowait, guest
			continue
		}
		v, _ := strconv.ParseFloat(x, 64)
		s += v / 100
	}
	return s
}

func usageOf(pid int) usage {
	u := usage{busy: Busy()}
	if pid == 0 {
		return u
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+2:]))
	ut, _ := strconv.ParseFloat(f[11], 64)
	st, _ := strconv.ParseFloat(f[12], 64)
	u.user, u.sys = ut/100, st/100
	b, _ = os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, l := range strings.Split(string(b), "\n") {
		f := strings.Fields(l)
		if len(f) < 2 {
			continue
		}
		v, _ := strconv.ParseFloat(f[1], 64)
		switch f[0] {
		case "VmRSS:":
			u.rss = v / 1024
		case "VmHWM:":
			u.peak = v / 1024
		}
	}
	return u
}

func pct(v []float64, p float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return v[min(len(v)-1, int(p*float64(len(v))))]
}

type errs struct {
	n     atomic.Int64
	mu    sync.Mutex
	first string
}

func (e *errs) add(err error) {
	if e.n.Add(1) == 1 {
		e.mu.Lock()
		e.first = err.Error()
		e.mu.Unlock()
	}
}

// Run measures one workload at one concurrency.
func Run(cfg Config) (Result, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return Result{}, err
	}
	if h := u.Hostname(); h != "127.0.0.1" && h != "localhost" {
		return Result{}, errors.New("only to 127.0.0.1")
	}
	path := cfg.Path
	if path == "" {
		path = strings.TrimRight(u.Path, "/") + "/" + cfg.W
	}
	if cfg.W == "w3" {
		return streams(cfg, u.Host, request(u.Host, path, cfg.S.W3.Input))
	}
	body, want := cfg.S.W1.Input, cfg.S.W1.Events
	if cfg.W == "w2" {
		body, want = cfg.S.W2.Input, cfg.S.W2.Events
	}
	return closed(cfg, u.Host, request(u.Host, path, body), want)
}

func closed(cfg Config, host string, req []byte, want int) (Result, error) {
	res := Result{Name: cfg.Name, W: cfg.W, C: cfg.C, Poll: cfg.Poll}
	res.RSS0 = usageOf(cfg.PID).rss
	type sample struct{ ttfe, total float64 }
	var (
		es       errs
		verified atomic.Int64
		mu       sync.Mutex
		all      []sample
		events   int64
		payload  int64
		wire     int64
		warm, ph sync.WaitGroup
		start    = make(chan struct{})
		stopAt   time.Time
	)
	warm.Add(cfg.C)
	warmEnd := time.Now().Add(cfg.Warm)
	for i := 0; i < cfg.C; i++ {
		ph.Add(1)
		go func() {
			defer ph.Done()
			c := &client{addr: host, req: req, size: 32 << 10}
			if cfg.Poll {
				c.poll = 200 * time.Microsecond * time.Duration(max(16, cfg.C)) / 16
			}
			defer c.close()
			one := func(check bool) (sample, counter, int64, error) {
				var k counter
				var cap []byte
				var s sample
				t := time.Now()
				n, err := c.do(t.Add(60*time.Second), func(p []byte) error {
					k.add(p)
					if s.ttfe == 0 && k.events > 0 {
						s.ttfe = time.Since(t).Seconds() * 1e3
					}
					if check {
						cap = append(cap, p...)
					}
					return nil
				})
				s.total = time.Since(t).Seconds() * 1e3
				if err == nil && !cfg.Lax && k.events != want {
					err = fmt.Errorf("%d events for %d", k.events, want)
				}
				if err == nil && check {
					if err = verify(cap, cfg.W, cfg.S); err == nil {
						verified.Add(1)
					}
				}
				if err != nil {
					es.add(err)
				}
				return s, k, n, err
			}
			for j := 0; j == 0 || time.Now().Before(warmEnd); j++ {
				one(j == 0 && i < 4)
			}
			warm.Done()
			<-start
			var mine []sample
			var ev, pb, wb int64
			for time.Now().Before(stopAt) {
				s, k, n, err := one(false)
				if err != nil {
					time.Sleep(5 * time.Millisecond)
					continue
				}
				mine = append(mine, s)
				ev += int64(k.events)
				pb += k.bytes
				wb += n
			}
			mu.Lock()
			all = append(all, mine...)
			events += ev
			payload += pb
			wire += wb
			mu.Unlock()
		}()
	}
	warm.Wait()
	u0, c0 := usageOf(cfg.PID), usageOf(os.Getpid())
	t0 := time.Now()
	stopAt = t0.Add(cfg.Dur)
	close(start)
	ph.Wait()
	res.Secs = time.Since(t0).Seconds()
	u1, c1 := usageOf(cfg.PID), usageOf(os.Getpid())
	// a verified run again after the load
	c := &client{addr: host, req: req, size: 32 << 10}
	var cap []byte
	if _, err := c.do(time.Now().Add(10*time.Second), func(p []byte) error { cap = append(cap, p...); return nil }); err != nil {
		es.add(err)
	} else if err := verify(cap, cfg.W, cfg.S); err != nil {
		es.add(err)
	} else {
		verified.Add(1)
	}
	c.close()

	var ttfe, total []float64
	for _, s := range all {
		ttfe = append(ttfe, s.ttfe)
		total = append(total, s.total)
	}
	slices.Sort(ttfe)
	slices.Sort(total)
	n := float64(len(all))
	res.Runs, res.Errors, res.FirstErr, res.Verified = len(all), es.n.Load(), es.first, int(verified.Load())
	res.RunsS, res.EventsS = n/res.Secs, float64(events)/res.Secs
	res.TTFE50, res.TTFE99 = pct(ttfe, .5), pct(ttfe, .99)
	res.Run50, res.Run99 = pct(total, .5), pct(total, .99)
	if n > 0 {
		res.BytesRun, res.WireRun = float64(payload)/n, float64(wire)/n
	}
	fill(&res, u0, u1, c0, c1, float64(events), n)
	return res, nil
}

func fill(res *Result, u0, u1, c0, c1 usage, events, runs float64) {
	res.CPU = u1.user + u1.sys - u0.user - u0.sys
	if res.CPU > 0 {
		res.SysShare = (u1.sys - u0.sys) / res.CPU
	}
	res.Util = res.CPU / res.Secs
	if events > 0 {
		res.CPUperEv = res.CPU / events * 1e6
	}
	if runs > 0 {
		res.CPUperRun = res.CPU / runs * 1e6
	}
	res.RSS, res.PeakRSS = u1.rss, u1.peak
	res.ClientCPU = c1.user + c1.sys - c0.user - c0.sys
	res.Other = (c1.busy - c0.busy - res.CPU - res.ClientCPU) / res.Secs
}

// streams opens C idle streams and measures the latency of their deltas for Dur.
func streams(cfg Config, host string, req []byte) (Result, error) {
	res := Result{Name: cfg.Name, W: cfg.W, C: cfg.C}
	res.RSS0 = usageOf(cfg.PID).rss
	var (
		es      errs
		mu      sync.Mutex
		emits   []float64
		dues    []float64
		payload int64
		wg      sync.WaitGroup
		from    atomic.Int64 // window, unix ns; 0: not yet
		until   atomic.Int64
		open    atomic.Int64
		key     = []byte(`"delta":"`)
		stop    = errors.New("stop")
	)
	per := int(cfg.Dur/(100*time.Millisecond)) + 8
	for i := 0; i < cfg.C; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := &client{addr: host, req: req, size: 1 << 10}
			defer c.close()
			e := make([]float64, 0, per)
			d := make([]float64, 0, per)
			var line []byte
			var bytesIn int64
			first := true
			_, err := c.do(time.Now().Add(80*time.Second), func(p []byte) error {
				now := time.Now()
				f, u := from.Load(), until.Load()
				if u != 0 && now.UnixNano() >= u {
					return stop
				}
				if first {
					first = false
					open.Add(1)
				}
				in := f != 0 && now.UnixNano() >= f
				if in {
					bytesIn += int64(len(p))
				}
				line = append(line, p...)
				for {
					i := bytes.IndexByte(line, '\n')
					if i < 0 {
						return nil
					}
					if j := bytes.Index(line[:i], key); in && j >= 0 && j+len(key)+5 <= i {
						em, du, ok := script.Unstamp(line[j+len(key):j+len(key)+5], now)
						if !ok {
							return errors.New("no stamp in a delta")
						}
						e = append(e, em.Seconds()*1e6)
						d = append(d, du.Seconds()*1e6)
					}
					line = append(line[:0], line[i+1:]...)
				}
			})
			if err != nil && err != stop {
				es.add(err)
			}
			mu.Lock()
			emits = append(emits, e...)
			dues = append(dues, d...)
			payload += bytesIn
			mu.Unlock()
		}()
		if i%20 == 19 {
			time.Sleep(10 * time.Millisecond) // 2000 a second at most
		}
	}
	for t := time.Now(); open.Load() < int64(cfg.C) && time.Since(t) < 25*time.Second; {
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(cfg.Warm)
	u0, c0 := usageOf(cfg.PID), usageOf(os.Getpid())
	t0 := time.Now()
	until.Store(t0.Add(cfg.Dur).UnixNano())
	from.Store(t0.UnixNano())
	time.Sleep(cfg.Dur)
	u1, c1 := usageOf(cfg.PID), usageOf(os.Getpid())
	res.Secs = time.Since(t0).Seconds()
	wg.Wait()
	slices.Sort(emits)
	slices.Sort(dues)
	n := float64(len(emits))
	res.Runs, res.Errors, res.FirstErr = int(open.Load()), es.n.Load(), es.first
	res.EventsS = n / cfg.Dur.Seconds()
	res.Rate = n / (float64(cfg.C) * cfg.Dur.Seconds() * 10)
	if n > 0 {
		res.BytesRun = float64(payload) / n
	}
	res.Lat50, res.Lat99 = pct(emits, .5), pct(emits, .99)
	res.Due50, res.Due99 = pct(dues, .5), pct(dues, .99)
	fill(&res, u0, u1, c0, c1, n, 0)
	res.PerStream = (u1.rss - res.RSS0) * 1024 / float64(cfg.C)
	return res, nil
}
