package langchaingo

import (
	"time"

	"github.com/aguistate/aguistate/adapters/internal/silence"
)

// DefaultIdleTimeout is the value of a zero Options.IdleTimeout.
const DefaultIdleTimeout = 5 * time.Minute

// ErrIdle says that a server was silent for longer than Options.IdleTimeout.
var ErrIdle = silence.Err
