package agui

import "strconv"

// EventError says that an event cannot be read or written: what is wrong with
// it, and where.
type EventError struct {
	// Type is the event's type, "" when it could not be made out.
	Type EventType
	// Pointer is a JSON Pointer (RFC 6901) into the event; "" is the event.
	Pointer string
	// Reason is a plain sentence without a full stop, made to be shown.
	Reason string
}

func (e *EventError) Error() string {
	s := "agui: "
	if e.Type != "" {
		s += string(e.Type) + " "
	}
	return s + "event: " + located(e.Pointer, e.Reason)
}

// InputError says that a [RunAgentInput], or one of the objects that it is
// made of, cannot be read or written: what is wrong with it, and where.
type InputError struct {
	// Pointer is a JSON Pointer (RFC 6901) into the input; "" is the input.
	Pointer string
	// Reason is a plain sentence without a full stop, made to be shown.
	Reason string
}

func (e *InputError) Error() string { return "agui: input: " + located(e.Pointer, e.Reason) }

func located(pointer, reason string) string {
	if pointer == "" {
		return reason
	}
	return strconv.Quote(pointer) + ": " + reason
}

// fault is an EventError or InputError before it is known which of the two.
type fault struct {
	pointer string
	reason  string
}

func (f *fault) event(t EventType) error {
	return &EventError{Type: t, Pointer: f.pointer, Reason: f.reason}
}

// input is nil for no fault.
func (f *fault) input() error {
	if f == nil {
		return nil
	}
	return &InputError{Pointer: f.pointer, Reason: f.reason}
}

// quoted is for text from outside inside a reason.
func quoted(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strconv.Quote(s)
}
