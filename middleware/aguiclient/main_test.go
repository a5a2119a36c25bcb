package aguiclient

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/aguitest"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}
