package chat_test

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

// quiet keeps runs that fail on purpose out of the test's output.
var quiet = &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}
