package agui

import "github.com/google/uuid"

// NewID returns a new random id (a version 4 UUID) for a message, a call, a
// run or a thread.
func NewID() string { return uuid.NewString() }
