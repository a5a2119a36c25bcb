package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

func TestRun(t *testing.T) {
	var out, again bytes.Buffer
	if err := run(&out, 300, 5, 40); err != nil {
		t.Fatal(err)
	}
	if err := run(&again, 300, 5, 40); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("the same seed gave other pairs, %v", err)
	}
	lines := 0
	for line := range bytes.Lines(out.Bytes()) {
		lines++
		var pair struct {
			Old, New json.RawMessage
			Patch    agui.Patch
		}
		if err := json.Unmarshal(line, &pair); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		got, err := jsonpatch.Apply(pair.Old, pair.Patch)
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if rest, err := jsonpatch.Diff(got, pair.New, nil); err != nil || rest != nil {
			t.Errorf("%s gives %s", line, got)
		}
	}
	if lines != 300 {
		t.Errorf("%d lines", lines)
	}
}
