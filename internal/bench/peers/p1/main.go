// p1: the official Go SDK's events and sse.SSEWriter on Echo v4, flush per event,
// patches by wI2L/jsondiff (default options) over the whole document.
package main

import (
	"encoding/json"
	"net/http"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/encoding/sse"
	"github.com/labstack/echo/v4"
	"github.com/wI2L/jsondiff"

	"github.com/aguistate/aguistate/internal/bench/peers/peer"
	"github.com/aguistate/aguistate/internal/bench/script"
)

var sw = sse.NewSSEWriter()

type run struct {
	c  echo.Context
	in types.RunAgentInput
}

func (r *run) send(ev events.Event) error {
	return sw.WriteEvent(r.c.Request().Context(), r.c.Response(), ev)
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
		if err := r.send(events.NewRunStartedEvent(r.in.ThreadID, r.in.RunID)); err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
		return r.send(events.NewRunFinishedEvent(r.in.ThreadID, r.in.RunID))
	}
}

func w1(r *run) error {
	id := events.GenerateMessageID()
	if err := r.send(events.NewTextMessageStartEvent(id, events.WithRole("assistant"))); err != nil {
		return err
	}
	for _, d := range peer.Script.W1.Deltas {
		if err := r.send(events.NewTextMessageContentEvent(id, d)); err != nil {
			return err
		}
	}
	return r.send(events.NewTextMessageEndEvent(id))
}

func w2(r *run) error {
	var st script.State
	b, err := json.Marshal(r.in.State)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &st); err != nil {
		return err
	}
	prev, err := json.Marshal(&st)
	if err != nil {
		return err
	}
	if err := r.send(events.NewStateSnapshotEvent(&st)); err != nil {
		return err
	}
	id := events.GenerateMessageID()
	if err := r.send(events.NewTextMessageStartEvent(id, events.WithRole("assistant"))); err != nil {
		return err
	}
	for i := range peer.Script.W2.Steps {
		s := &peer.Script.W2.Steps[i]
		if s.Pub == nil {
			if err := r.send(events.NewTextMessageContentEvent(id, s.Text)); err != nil {
				return err
			}
			continue
		}
		s.Pub.Apply(&st)
		cur, err := json.Marshal(&st)
		if err != nil {
			return err
		}
		patch, err := jsondiff.CompareJSON(prev, cur)
		if err != nil {
			return err
		}
		prev = cur
		ops := make([]events.JSONPatchOperation, len(patch))
		for i, op := range patch {
			ops[i] = events.JSONPatchOperation{Op: op.Type, Path: op.Path, From: op.From, Value: op.Value}
		}
		if err := r.send(events.NewStateDeltaEvent(ops)); err != nil {
			return err
		}
	}
	return r.send(events.NewTextMessageEndEvent(id))
}

func w3(r *run) error {
	id := events.GenerateMessageID()
	if err := r.send(events.NewTextMessageStartEvent(id, events.WithRole("assistant"))); err != nil {
		return err
	}
	if err := peer.Ticks(r.c.Request().Context(), func(d string) error {
		return r.send(events.NewTextMessageContentEvent(id, d))
	}); err != nil {
		return err
	}
	return r.send(events.NewTextMessageEndEvent(id))
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
