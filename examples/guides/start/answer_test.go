package main

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/aguitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestAnswer is the stream of the page: what curl shows.
func TestAnswer(t *testing.T) {
	events := aguitest.Post(t, serve(parrot.New()), need(`add_task {"title":"buy milk"}`, `{"tasks":["call home"],"theme":"dark"}`))
	aguitest.Golden(t, filepath.Join("testdata", "answer.jsonl"), events)
}
