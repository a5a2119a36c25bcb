package chat

import (
	"context"
	"errors"
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
// is the cause, for the log only.
type Error struct {
	Code    string
	Message string
	Err     error
}

// Error returns code, message and cause: for logs, not for clients.
func (e *Error) Error() string {
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
func (e *Error) Unwrap() error { return e.Err }

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

// generalMessage is shown when an error has no text of its own that may be.
const generalMessage = "The agent failed. The server's log has the details."

// public returns the code and the text that a client sees of an error that
// ended a run under ctx.
func public(ctx context.Context, err error) (code, message string) {
	if ctx.Err() != nil {
		// What a layer makes of a cancelled context varies; the cause counts.
		var e *Error
		switch cause := context.Cause(ctx); {
		case errors.As(cause, &e):
			err = e
		case errors.Is(cause, context.DeadlineExceeded):
			err = &Error{Code: CodeTimeout, Message: "The run took too long and was stopped."}
		default:
			err = &Error{Code: CodeCancelled, Message: "The run was cancelled."}
		}
	}
	var e *Error
	if !errors.As(err, &e) {
		return CodeAgent, generalMessage
	}
	code, message = e.Code, e.Message
	if code == "" {
		code = CodeAgent
	}
	if message == "" {
		message = generalMessage
	}
	return code, message
}
