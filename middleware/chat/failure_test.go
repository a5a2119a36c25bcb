package chat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// brokenOff is a client that says something and fails, as soon as ctx has
// ended where that is asked for.
func brokenOff(err error, waits bool) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			if !yield(&chat.Update{Text: "a"}, nil) {
				return
			}
			if waits {
				<-ctx.Done()
			}
			yield(nil, err)
		}
	})
}

// Neither OnError nor the logger changes what the client is told of a failure,
// and one that panics does not keep it from the other.
func TestHooksThatPanic(t *testing.T) {
	fault := &chat.Error{Code: "TEAPOT", Message: "I am a teapot.", Err: errors.New("short and stout")}
	for name, tt := range map[string]struct{ log, hook bool }{
		"none": {}, "the logger": {log: true}, "OnError": {hook: true}, "both": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			var told []error
			o := &chat.EventOptions{Logger: slog.New(slog.NewTextHandler(&log, nil)), OnError: func(_ context.Context, err error) {
				told = append(told, err)
				if tt.hook {
					panic("the hook")
				}
			}}
			if tt.log {
				o.Logger = slog.New(unheard{})
			}
			all := runEvents(t.Context(), brokenOff(fault, false), input(), o)
			aguitest.Verify(t, all)
			if e, ok := all[len(all)-1].(*agui.RunError); !ok || e.Code != fault.Code || e.Message != fault.Message {
				t.Errorf("ended by %+v", all[len(all)-1])
			}
			if len(told) != 1 || !errors.Is(told[0], fault) {
				t.Errorf("OnError is told %v", told)
			}
			if got := strings.Contains(log.String(), "short and stout"); got == tt.log {
				t.Errorf("the log: %s", &log)
			}
			if got := strings.Contains(log.String(), `msg="OnError failed" thread=thread run=run error="panic: the hook" stack=`); got != (tt.hook && !tt.log) {
				t.Errorf("the log: %s", &log)
			}
		})
	}
}

// Where the context has ended OnError is told why, and what came of it.
func TestTheWholeOfAnError(t *testing.T) {
	own := &chat.Error{Code: chat.CodeIncomplete, Message: "The model's answer broke off before its end.", Err: io.ErrUnexpectedEOF}
	lost := errors.New("the wire is cut")
	for name, tt := range map[string]struct {
		cause error // of the context's end; nil is none
		err   error // of the chain
		code  string
		is    []error
	}{
		"no end":            {nil, own, chat.CodeIncomplete, []error{own, io.ErrUnexpectedEOF}},
		"cancelled":         {context.Canceled, own, chat.CodeCancelled, []error{own, context.Canceled}},
		"with a cause":      {lost, context.Canceled, chat.CodeCancelled, []error{lost, context.Canceled}},
		"with a code":       {&chat.Error{Code: chat.CodeShutdown, Err: lost}, own, chat.CodeShutdown, []error{own, lost}},
		"a code, and plain": {&chat.Error{Code: chat.CodeShutdown, Err: lost}, context.Canceled, chat.CodeShutdown, []error{lost, context.Canceled}},
		"a deadline":        {context.DeadlineExceeded, own, chat.CodeTimeout, []error{own, context.DeadlineExceeded}},
		"the cause itself":  {lost, fmt.Errorf("model: %w", lost), chat.CodeCancelled, []error{lost}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var told error
			o := &chat.EventOptions{Logger: quiet.Logger, OnError: func(_ context.Context, err error) { told = err }}
			var ended agui.Event
			for e := range chat.Events(ctx, brokenOff(tt.err, tt.cause != nil), input(), o) {
				if _, ok := e.(*agui.TextMessageContent); ok && tt.cause != nil {
					cancel(tt.cause)
				}
				ended = e
			}
			if e, ok := ended.(*agui.RunError); !ok || e.Code != tt.code {
				t.Errorf("ended by %+v", ended)
			}
			var coded *chat.Error
			if !errors.As(told, &coded) || coded.Code != tt.code {
				t.Errorf("told %v", told)
			}
			for _, want := range tt.is {
				if !errors.Is(told, want) {
					t.Errorf("told %v, without %v", told, want)
				}
			}
			if text := told.Error(); strings.Count(text, lost.Error()) > 1 {
				t.Errorf("told the same twice: %s", text)
			}
		})
	}
}

// A deadline of the context's own is no different.
func TestTheWholeOfADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var told error
		runEvents(ctx, brokenOff(io.ErrUnexpectedEOF, true), input(), &chat.EventOptions{
			Logger: quiet.Logger, OnError: func(_ context.Context, err error) { told = err },
		})
		var coded *chat.Error
		if !errors.As(told, &coded) || coded.Code != chat.CodeTimeout || !errors.Is(told, context.DeadlineExceeded) || !errors.Is(told, io.ErrUnexpectedEOF) {
			t.Errorf("told %v", told)
		}
	})
}

// An error that cannot be read ends its run like any other.
func TestErrorsThatPanic(t *testing.T) {
	for name, err := range map[string]error{"a nil *Error": nilError(), "nil": nilQuota(), "Is": untrue{}, "a nil panic": (*chat.PanicError)(nil)} {
		t.Run(name, func(t *testing.T) {
			all := runEvents(t.Context(), brokenOff(err, false), input(), quiet)
			aguitest.Verify(t, all)
			if e, ok := all[len(all)-1].(*agui.RunError); !ok || e.Code != chat.CodeAgent || e.Message == "" {
				t.Errorf("ended by %+v", all[len(all)-1])
			}
		})
	}
}
