package chat

import "github.com/aguistate/aguistate/middleware/agui"

// expansion turns chunks into what they are short for.
type expansion struct {
	chunks agui.Expander
	out    []agui.Event
}

// expanded sends the update's events through the chunk expander, up to one that
// does not pass.
func (b *brackets) expanded() ([]agui.Event, error) {
	x := b.expansion
	x.out = x.out[:0]
	for _, e := range b.out {
		var err error
		if x.out, err = x.chunks.AppendExpand(x.out, e); err != nil {
			return x.out, &Error{Code: CodeProtocolViolation, Message: generalMessage, Err: err}
		}
	}
	return x.out, nil
}
