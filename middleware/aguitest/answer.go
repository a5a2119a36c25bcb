package aguitest

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// answer is a stream gathered, with the laws it broke on the way.
type answer struct {
	text, reasoning string
	calls           []*gatheredCall
	usage           *agui.TokenUsage
	finish          chat.FinishReason
	err             error
	broken          []string
}

type gatheredCall struct {
	id, name, arguments string
	pieces              int
}

func (a *answer) breach(format string, args ...any) {
	a.broken = append(a.broken, fmt.Sprintf(format, args...))
}

// lawful returns an error when the stream broke a law that holds for every
// stream.
func (a *answer) lawful() error {
	if len(a.broken) == 0 {
		return nil
	}
	return errors.New(strings.Join(a.broken, "; "))
}

// good is lawful for a stream that should have ended well.
func (a *answer) good() error {
	if a.err != nil {
		return fmt.Errorf("the stream failed: %w", a.err)
	}
	if a.finish == "" {
		a.breach("the stream ended well and without a finish reason")
	}
	return a.lawful()
}

// bad is lawful for a stream that should have failed.
func (a *answer) bad() error {
	if a.err == nil {
		return fmt.Errorf("the stream ended well, with text %q, %d calls and finish reason %q", a.text, len(a.calls), a.finish)
	}
	return a.lawful()
}

func (a *answer) call(id string) *gatheredCall {
	for _, c := range a.calls {
		if c.id == id {
			return c
		}
	}
	return nil
}

// gather ranges over a stream to its end.
func gather(seq iter.Seq2[*chat.Update, error], req *chat.Request) *answer {
	a := &answer{}
	for u, err := range seq {
		if a.err != nil {
			a.breach("a pair came after the error %v", a.err)
			break
		}
		if err != nil {
			a.err = err
			if u != nil {
				a.breach("the error came with an update")
			}
			continue
		}
		if u == nil {
			a.breach("a pair with neither update nor error")
			continue
		}
		a.add(u, req)
	}
	return a
}

func (a *answer) add(u *chat.Update, req *chat.Request) {
	for _, s := range []string{u.Text, u.Reasoning} {
		if !utf8.ValidString(s) {
			a.breach("the piece %q ends inside a code point", s)
		}
	}
	if a.finish != "" && (u.Text != "" || len(u.ToolCalls) > 0) {
		a.breach("text or a call after the finish reason")
	}
	for _, m := range req.Messages {
		if u.MessageID != "" && u.MessageID == m.ID {
			a.breach("the message id %q is in the conversation already", u.MessageID)
		}
	}
	a.text += u.Text
	a.reasoning += u.Reasoning
	for _, d := range u.ToolCalls {
		a.addCall(d, req)
	}
	if u.Usage != nil {
		a.usage = u.Usage
	}
	if u.FinishReason != "" {
		if a.finish != "" {
			a.breach("a second finish reason, %q after %q", u.FinishReason, a.finish)
		}
		a.finish = u.FinishReason
	}
	for _, e := range u.Events {
		if e == nil {
			a.breach("a nil event rides on an update")
		} else if t := e.Type(); t == agui.TypeRunStarted || t == agui.TypeRunFinished || t == agui.TypeRunError {
			a.breach("%s rides on an update", t)
		}
	}
}

func (a *answer) addCall(d chat.ToolCallDelta, req *chat.Request) {
	if d.ID == "" {
		a.breach("a piece of a call without an id")
		return
	}
	c := a.call(d.ID)
	if c == nil {
		if d.Name == "" {
			a.breach("the first piece of the call %q has no name", d.ID)
		}
		for _, m := range req.Messages {
			for _, old := range m.ToolCalls {
				if old.ID == d.ID {
					a.breach("the call id %q is in the conversation already", d.ID)
				}
			}
		}
		c = &gatheredCall{id: d.ID, name: d.Name}
		a.calls = append(a.calls, c)
	}
	if d.Name != "" && d.Name != c.name {
		a.breach("the call %q is named %q and then %q", d.ID, c.name, d.Name)
	}
	c.arguments += d.Arguments
	if d.Arguments != "" {
		c.pieces++
	}
}
