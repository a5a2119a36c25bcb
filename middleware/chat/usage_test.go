package chat_test

import (
	"bytes"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// What a provider counts, however wrong, is nothing that a run fails of.
func TestCountsThatAreNone(t *testing.T) {
	const most = 1<<53 - 1
	for name, tt := range map[string]struct {
		counts []int64
		want   int64
		logged bool
	}{
		"right":        {[]int64{3, 4}, 7, false},
		"negative":     {[]int64{-1}, 0, true},
		"negative too": {[]int64{5, -1, 2}, 7, true},
		"too large":    {[]int64{math.MaxInt64, 1}, most, true},
		"the sum is":   {[]int64{most, most}, most, false},
		"the lowest":   {[]int64{math.MinInt64, 2}, 2, true},
	} {
		for _, fails := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				var updates []*chat.Update
				for _, n := range tt.counts {
					updates = append(updates, &chat.Update{Text: "a", Usage: &agui.TokenUsage{Provider: "p", OutputTokens: n, TotalTokens: n}})
				}
				client := by(append(updates, &chat.Update{FinishReason: chat.FinishStop})...)
				if fails {
					client = by(append(updates, calls(chat.ToolCallDelta{}))...)
				}
				var log bytes.Buffer
				all := runEvents(t.Context(), client, input(), &chat.EventOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				aguitest.Verify(t, all)
				last := all[len(all)-1]
				if _, err := agui.AppendEvent(nil, last); err != nil {
					t.Error(err)
				}
				var usage []agui.TokenUsage
				switch e := last.(type) {
				case *agui.RunFinished:
					usage = e.Usage
				case *agui.RunError:
					usage = e.Usage
				}
				want := []agui.TokenUsage{{Provider: "p", OutputTokens: tt.want, TotalTokens: tt.want}}
				if _, failed := last.(*agui.RunError); failed != fails || !reflect.DeepEqual(usage, want) {
					t.Errorf("ended by %+v", last)
				}
				if got := strings.Contains(log.String(), "a count of tokens"); got != tt.logged {
					t.Errorf("the log: %s", &log)
				}
				// A whole answer adds up to the same.
				res, err := chat.Collect(client.Stream(t.Context(), nil))
				if err != nil || !reflect.DeepEqual(res.Usage, want) {
					t.Error(res, err)
				}
			})
		}
	}
}

// What says nothing is no entry.
func TestUsageOfNothing(t *testing.T) {
	for _, u := range []agui.TokenUsage{{}, {OutputTokens: -1}} {
		if sum := chat.AddUsage(nil, u); sum != nil {
			t.Errorf("%+v adds %+v", u, sum)
		}
	}
}
