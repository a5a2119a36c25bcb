package agui

import "strconv"

// EventError says that an event cannot be read or written: what is wrong with
// it, and where.
type EventError struct {
	// Type is the event's type, "" when it could not be made out.
	Type EventType
	// Pointer is a JSON Pointer (RFC 6901) into the event; "" is the event.
	Pointer string
	// Reason is a plain sentence without a full stop, made to be shown. It
	// names the place too: "delta[0].path is required".
	Reason string
}

func (e *EventError) Error() string {
	switch {
	case e.Type != "":
		return "agui: " + string(e.Type) + " event: " + e.Reason
	case e.Pointer != "":
		return "agui: event: " + e.Reason
	}
	return "agui: " + e.Reason
}

// InputError says that a [RunAgentInput], or one of the objects that it is
// made of, cannot be read or written: what is wrong with it, and where.
type InputError struct {
	// Pointer is a JSON Pointer (RFC 6901) into the input; "" is the input.
	Pointer string
	// Reason is a plain sentence without a full stop, made to be shown. It
	// names the place too: "messages[0].role is required".
	Reason string
}

func (e *InputError) Error() string {
	if e.Pointer != "" {
		return "agui: input: " + e.Reason
	}
	return "agui: " + e.Reason
}

// fault is an EventError or InputError before it is known which of the two.
// Its reason has yet to be told what it speaks of.
type fault struct {
	pointer string
	reason  string
}

func (f *fault) event(t EventType) error {
	return &EventError{Type: t, Pointer: f.pointer, Reason: named("the event", f.pointer) + " " + f.reason}
}

// input is nil for no fault.
func (f *fault) input() error {
	if f == nil {
		return nil
	}
	return &InputError{Pointer: f.pointer, Reason: named("the input", f.pointer) + " " + f.reason}
}

// quoted is for text from outside inside a reason.
func quoted(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strconv.Quote(s)
}
