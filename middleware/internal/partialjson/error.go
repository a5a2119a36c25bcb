package partialjson

import "fmt"

// SyntaxError says why a text is not, and with more text cannot become, what
// was asked for.
type SyntaxError struct {
	Offset  int    // in bytes from the start of the text
	Pointer string // of the value that was being read (RFC 6901); "" is the whole
	Reason  string
	Err     error // io.ErrUnexpectedEOF when the text was cut, otherwise nil
}

// Error names the reason and the place.
func (e *SyntaxError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%s, at offset %d", e.Reason, e.Offset)
	}
	return fmt.Sprintf("%s, at offset %d in %s", e.Reason, e.Offset, e.Pointer)
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

func (r *Reader) fail(offset int, reason string) error {
	return &SyntaxError{Offset: offset, Pointer: r.pointer(), Reason: reason}
}

func (r *Reader) expected(what string, c byte) error {
	found := fmt.Sprintf("%q", c)
	if c >= 0x80 {
		found = fmt.Sprintf("the byte 0x%02X", c)
	}
	return r.fail(r.offset, "expected "+what+", found "+found)
}
