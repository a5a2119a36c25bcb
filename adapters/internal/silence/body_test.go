package silence_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/adapters/internal/silence"
)

// silent says something and then nothing until its context ends.
type silent struct {
	ctx  context.Context
	says *strings.Reader
}

func (s *silent) Read(p []byte) (int, error) {
	if n, err := s.says.Read(p); err == nil {
		return n, nil
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s *silent) Close() error { return nil }

func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		header bool // it comes at once
		ended  bool
		idle   time.Duration
		took   time.Duration
	}{
		"no header":       {idle: time.Minute, took: time.Minute},
		"no body":         {header: true, idle: time.Minute, took: time.Minute},
		"a tail":          {header: true, ended: true, idle: time.Minute, took: silence.Grace},
		"a shorter limit": {header: true, ended: true, idle: time.Second, took: time.Second},
		"without a limit": {header: true, ended: true, took: silence.Grace},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from := time.Now()
				resp, body, err := silence.Watch(t.Context(), c.idle, func(ctx context.Context) (*http.Response, error) {
					if !c.header {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return &http.Response{Body: &silent{ctx, strings.NewReader("Hi")}}, nil
				})
				if err == nil {
					body.Ended = new(atomic.Bool)
					body.Ended.Store(c.ended)
					var said []byte
					if said, err = io.ReadAll(resp.Body); string(said) != "Hi" {
						t.Errorf("it said %q", said)
					}
					if err := resp.Body.Close(); err != nil {
						t.Error(err)
					}
				}
				if took := time.Since(from); !errors.Is(err, silence.Err) || took != c.took {
					t.Errorf("%v after %v, want silence after %v", err, took, c.took)
				}
			})
		})
	}
}

// A caller that leaves is not told of a silence.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := silence.Watch(ctx, time.Minute, func(ctx context.Context) (*http.Response, error) { return nil, ctx.Err() })
	if !errors.Is(err, context.Canceled) || errors.Is(err, silence.Err) {
		t.Error(err)
	}
}
