// p2: Echo v4 with encoding/json over map[string]any, fmt.Fprintf and Flush: what a
// user writes without any SDK. The user knows what changed and writes the patch by
// hand; with -snapshot, a whole STATE_SNAPSHOT is sent at each publish instead.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/internal/bench/peers/peer"
)

var snapshot = flag.Bool("snapshot", false, "send a snapshot at each publish")

type input struct {
	ThreadID       string         `json:"threadId"`
	RunID          string         `json:"runId"`
	State          map[string]any `json:"state"`
	Messages       []any          `json:"messages"`
	Tools          []any          `json:"tools"`
	Context        []any          `json:"context"`
	ForwardedProps any            `json:"forwardedProps"`
}

type run struct {
	c  echo.Context
	in input
}

func (r *run) send(ev map[string]any) error {
	b, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(r.c.Response(), "data: %s\n\n", b); err != nil {
		return err
	}
	r.c.Response().Flush()
	return nil
}

func handler(f func(r *run) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := &run{c: c}
		if err := c.Bind(&r.in); err != nil {
			return echo.NewHTTPError(http.StatusBadRequest, "invalid request body")
		}
		h := c.Response().Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		h.Set("Connection", "keep-alive")
		c.Response().WriteHeader(http.StatusOK)
		if err := r.send(map[string]any{"type": "RUN_STARTED", "threadId": r.in.ThreadID, "runId": r.in.RunID}); err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
		return r.send(map[string]any{"type": "RUN_FINISHED", "threadId": r.in.ThreadID, "runId": r.in.RunID})
	}
}

func (r *run) text(id, d string) error {
	return r.send(map[string]any{"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": d})
}

func w1(r *run) error {
	id := uuid.NewString()
	if err := r.send(map[string]any{"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}); err != nil {
		return err
	}
	for _, d := range peer.Script.W1.Deltas {
		if err := r.text(id, d); err != nil {
			return err
		}
	}
	return r.send(map[string]any{"type": "TEXT_MESSAGE_END", "messageId": id})
}

func w2(r *run) error {
	st := r.in.State
	if err := r.send(map[string]any{"type": "STATE_SNAPSHOT", "snapshot": st}); err != nil {
		return err
	}
	id := uuid.NewString()
	if err := r.send(map[string]any{"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}); err != nil {
		return err
	}
	for i := range peer.Script.W2.Steps {
		s := &peer.Script.W2.Steps[i]
		var err error
		if s.Pub == nil {
			err = r.text(id, s.Text)
		} else {
			s.Pub.ApplyMap(st)
			if *snapshot {
				err = r.send(map[string]any{"type": "STATE_SNAPSHOT", "snapshot": st})
			} else {
				err = r.send(map[string]any{"type": "STATE_DELTA", "delta": []map[string]any{
					{"op": s.Pub.Op, "path": s.Pub.Path, "value": s.Pub.Any}}})
			}
		}
		if err != nil {
			return err
		}
	}
	return r.send(map[string]any{"type": "TEXT_MESSAGE_END", "messageId": id})
}

func w3(r *run) error {
	id := uuid.NewString()
	if err := r.send(map[string]any{"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}); err != nil {
		return err
	}
	if err := peer.Ticks(r.c.Request().Context(), func(d string) error { return r.text(id, d) }); err != nil {
		return err
	}
	return r.send(map[string]any{"type": "TEXT_MESSAGE_END", "messageId": id})
}

func main() {
	peer.Init()
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.POST("/w1", handler(w1))
	e.POST("/w2", handler(w2))
	e.POST("/w3", handler(w3))
	e.Listener = peer.Listen()
	e.Logger.Fatal(e.Start(""))
}
