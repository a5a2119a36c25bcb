package chat

import (
	"fmt"
	"strings"
)

// The codes of RUN_ERROR events. An [Error] may have others.
const (
	CodeSerialization     = "SERIALIZATION"
	CodeProtocolViolation = "PROTOCOL_VIOLATION"
	CodeCancelled         = "CANCELLED"
	CodeTimeout           = "TIMEOUT"
	CodeShutdown          = "SHUTDOWN"
	CodeAgent             = "AGENT_ERROR"

	// An answer to an interrupt that cannot be taken.
	CodeInterruptUnknown = "INTERRUPT_UNKNOWN" // to no question that was asked
	CodeInterruptPartial = "INTERRUPT_PARTIAL" // not to all that are pending
	CodeInterruptExpired = "INTERRUPT_EXPIRED" // too late
	CodeInterruptPayload = "INTERRUPT_PAYLOAD" // does not fit the schema
	CodeInterruptPending = "INTERRUPT_PENDING" // no answer, while there are questions
)

// Error is an error with a code and a text that may be shown to a client. Err
// is the cause, for the log only. A nil *Error that was returned as an error, as
// a function with that result does, is an error that says nothing.
type Error struct {
	Code    string
	Message string
	Err     error
}

// Error returns code, message and cause: for logs, not for clients.
func (e *Error) Error() string {
	if e == nil {
		e = &Error{}
	}
	var parts []string
	for _, p := range []string{e.Code, e.Message} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if e.Err != nil {
		// The text for clients may well quote the cause.
		if cause := e.Err.Error(); !strings.Contains(e.Message, cause) {
			parts = append(parts, cause)
		}
	}
	if len(parts) == 0 {
		return "chat: an error that says nothing"
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// PanicError is a panic that was turned into an error, in a tool or in the
// chain.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the panic's value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
