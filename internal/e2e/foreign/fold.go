package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
)

// folded reads the runs of a golden file, an event a line, and returns each
// with what a mirror held before and holds behind it.
func folded(file string) ([]*said, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m := new(aguiclient.Mirror)
	var runs []*said
	var s *said
	for line := range bytes.Lines(text) {
		e, err := agui.DecodeEvent(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if s == nil {
			s = &said{Input: &agui.RunAgentInput{ThreadID: "thread", RunID: "run", State: m.State(), Messages: m.Messages()}}
		}
		s.Events, s.Types = append(s.Events, bytes.Clone(line)), append(s.Types, e.Type())
		_ = m.Apply(e) // deltas of a state that the file does not have: neither client takes them
		if e.Type() == agui.TypeRunFinished || e.Type() == agui.TypeRunError {
			s.State, s.Messages, s.Interrupts, s.Result, s.Stale = m.State(), m.Messages(), m.Interrupts(), m.Result(), m.Stale()
			runs, s = append(runs, s), nil
		}
	}
	if s != nil {
		return nil, fmt.Errorf("%s: the last run does not end", file)
	}
	return runs, nil
}
