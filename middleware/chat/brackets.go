package chat

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/arguments"
)

// brackets turns updates into events. It opens and closes messages, reasoning
// and calls, names them, and expands chunks made by hand.
//
// What is open by its own doing is in text, reasoning and calls; what was
// opened by hand, in Update.Events, only the verifier knows.
type brackets struct {
	// What every piece of text needs comes first and lies together: of a run that
	// has waited for its model nothing is in a cache, and each place that has to
	// be fetched costs more than what is done there.
	out       []agui.Event // the events of the update in hand
	room      [2]agui.Event
	expansion *expansion // since a chunk was seen everything goes through it
	text      string     // the open text message
	pieces    pieces

	turn    string   // the turn's assistant message; "" before its first piece
	turnAsk string   // the MessageID that the turn's updates ask for
	divided bool     // the turn's message has ended its text, or has calls
	used    idSet    // ids of messages
	enc     []string // encrypted reasoning that waits for the turn's message

	hand      string   // the text message that was opened by hand and is open
	cut       []string // text messages opened by hand that own output has ended
	textAsk   string   // the MessageID that its updates ask for
	reasoning string   // the open reasoning message and span
	calls     []*openCall
	ended     idSet           // ids of calls that have ended
	results   map[string]bool // ids of the results of answers
}

// openCall is a call between its START and its END.
type openCall struct {
	id   string
	held bool
	args arguments.Text // of a call that is not held
}

// add returns the events of one update, and with an error those of what comes
// before the fault: they have been noted as sent. The slice is valid until the
// next call.
func (b *brackets) add(u *Update) ([]agui.Event, error) {
	if b.out = b.out[:0]; cap(b.out) == 0 {
		b.out = b.room[:0]
	}
	b.pieces.reuse()
	err := b.addUpdate(u)
	if b.expansion == nil {
		return b.out, err
	}
	events, bad := b.expanded()
	return events, cmp.Or(bad, err)
}

func (b *brackets) addUpdate(u *Update) error {
	if u.MessageID != "" && u.MessageID != b.turnAsk {
		b.endTurn()
		b.turnAsk = u.MessageID
	}
	if u.Reasoning != "" {
		b.addReasoning(u.Reasoning)
	}
	if u.EncryptedReasoning != "" {
		b.enc = append(b.enc, u.EncryptedReasoning)
		if b.turn != "" {
			b.flushEncrypted()
		}
	}
	if u.Text != "" {
		b.addText(u)
	}
	for i := range u.ToolCalls {
		if err := b.addCall(&u.ToolCalls[i]); err != nil {
			return err
		}
	}
	if u.ToolResult != nil {
		b.addResult(u.ToolResult)
	}
	for _, e := range u.Events {
		if err := b.addEvent(e); err != nil {
			return err
		}
	}
	if u.FinishReason != "" {
		b.endTurn()
		b.turnAsk = ""
	}
	return nil
}

func (b *brackets) emit(e agui.Event) { b.out = append(b.out, e) }

func (b *brackets) addReasoning(delta string) {
	if b.reasoning == "" {
		b.endHand()
		b.endText()
		b.endCalls(false)
		b.reasoning = agui.NewID()
		b.emit(&agui.ReasoningStart{MessageID: b.reasoning})
		b.emit(&agui.ReasoningMessageStart{MessageID: b.reasoning})
	}
	e := b.pieces.nextReasoning()
	e.MessageID, e.Delta = b.reasoning, delta
	b.emit(e)
}

func (b *brackets) addText(u *Update) {
	begins := b.text == "" || u.MessageID != b.textAsk && u.MessageID != ""
	if begins {
		b.endReasoning()
		b.endHand()
		b.endText()
		b.endCalls(false)
		id := b.turnID()
		if b.divided {
			id = b.freshID("")
		}
		b.text, b.textAsk = id, u.MessageID
		b.emit(&agui.TextMessageStart{MessageID: id, Role: textRole(u.Role), Base: agui.Base{Metadata: u.Metadata}})
		b.flushEncrypted()
	}
	e := b.pieces.nextText()
	e.MessageID, e.Delta, e.Metadata = b.text, u.Text, u.Metadata
	if begins {
		e.Metadata = nil // the start has it
	}
	b.emit(e)
}

// textRole is the role to write: always explicit, for older clients want one.
func textRole(r agui.Role) agui.Role {
	if r == "" {
		return agui.RoleAssistant
	}
	return r
}

func (b *brackets) addCall(d *ToolCallDelta) error {
	call := b.find(d.ID)
	if call == nil {
		if b.ended.has(d.ID) {
			if strings.TrimSpace(d.Arguments) == "" {
				return nil
			}
			return fmt.Errorf("chat: arguments for tool call %q after its end", d.ID)
		}
		if d.ID == "" || d.Name == "" {
			return fmt.Errorf("chat: a tool call begins without id or name (id %q, name %q)", d.ID, d.Name)
		}
		b.endReasoning()
		b.endHand()
		b.endText()
		b.endCalls(true)
		call = &openCall{id: d.ID, held: d.Held}
		b.calls = append(b.calls, call)
		parent := b.turnID()
		b.divided = true
		b.emit(&agui.ToolCallStart{ToolCallID: d.ID, ToolCallName: d.Name, ParentMessageID: parent})
		b.flushEncrypted()
	}
	if d.EncryptedReasoning != "" {
		b.emit(&agui.ReasoningEncryptedValue{Subtype: agui.EncryptedToolCall, EntityID: d.ID, EncryptedValue: d.EncryptedReasoning})
	}
	if d.Arguments != "" {
		if !call.held {
			call.args.Add(d.Arguments)
		}
		e := b.pieces.nextArgs()
		e.ToolCallID, e.Delta = d.ID, d.Arguments
		b.emit(e)
	}
	return nil
}

func (b *brackets) addResult(r *ToolResult) {
	id := r.MessageID
	if id == "" {
		id = agui.NewID()
	}
	if r.ofAnswer {
		if b.results[id] {
			return // several loops of the run have taken the answer
		}
		if b.results == nil {
			b.results = map[string]bool{}
		}
		b.results[id] = true
	}
	b.endReasoning()
	b.endHand()
	b.endText()
	b.answer(r.ToolCallID)
	content := r.Content
	if content.IsZero() {
		content = agui.Text(r.Error)
	}
	b.emit(&agui.ToolCallResult{
		MessageID: id, ToolCallID: r.ToolCallID, Content: content, Role: agui.RoleTool,
		Base: agui.Base{Metadata: r.Metadata},
	})
}

// answer ends the call that a result is about to answer.
func (b *brackets) answer(id string) {
	if i := slices.IndexFunc(b.calls, func(c *openCall) bool { return c.id == id }); i >= 0 {
		b.calls = slices.Delete(b.calls, i, i+1)
		b.ended.add(id)
		b.emit(&agui.ToolCallEnd{ToolCallID: id})
	}
}

// addEvent passes an event made by hand, and keeps the own brackets right
// around it.
func (b *brackets) addEvent(e agui.Event) error {
	switch e := e.(type) {
	case nil:
		return &Error{Code: CodeProtocolViolation, Message: generalMessage, Err: errors.New("chat: an update has a nil event")}
	case *agui.RunStarted, *agui.RunFinished, *agui.RunError:
		return &Error{
			Code: CodeProtocolViolation, Message: generalMessage,
			Err: fmt.Errorf("chat: a %s event rides in an update", e.Type()),
		}
	case *agui.TextMessageChunk, *agui.ToolCallChunk, *agui.ReasoningMessageChunk:
		if b.expansion == nil {
			b.expansion = &expansion{}
		}
		b.endReasoning()
		b.endText()
		b.endCalls(true)
	case *agui.TextMessageStart:
		b.endReasoning()
		b.endText()
		b.cut = slices.DeleteFunc(b.cut, func(id string) bool { return id == e.MessageID })
		// A subagent's goes on beside whatever comes.
		if e.SubagentRunID == nil {
			b.hand = e.MessageID
		}
	case *agui.TextMessageContent:
		if i := slices.Index(b.cut, e.MessageID); i >= 0 {
			b.cut = slices.Delete(b.cut, i, i+1)
			b.endReasoning()
			b.endText()
			b.hand = e.MessageID
			b.emit(&agui.TextMessageStart{MessageID: e.MessageID, Role: agui.RoleAssistant})
		}
	case *agui.ReasoningStart, *agui.ReasoningMessageStart:
		b.endReasoning()
		b.endText()
	case *agui.MessagesSnapshot:
		// What is open may be gone from the client then.
		b.endReasoning()
		b.endHand()
		b.endText()
	case *agui.TextMessageEnd:
		if e.MessageID == b.hand {
			b.hand = ""
		}
		if i := slices.Index(b.cut, e.MessageID); i >= 0 {
			b.cut = slices.Delete(b.cut, i, i+1)
			return nil // it has ended already
		}
		if e.MessageID == b.text {
			b.text, b.divided = "", true
		}
	case *agui.ToolCallStart:
		b.endReasoning()
		b.endHand()
		b.endText()
		b.endCalls(true)
		b.calls = append(b.calls, &openCall{id: e.ToolCallID, held: true})
	case *agui.ToolCallEnd:
		if i := slices.IndexFunc(b.calls, func(c *openCall) bool { return c.id == e.ToolCallID }); i >= 0 {
			b.calls = slices.Delete(b.calls, i, i+1)
			b.ended.add(e.ToolCallID)
		}
	case *agui.ToolCallResult:
		b.answer(e.ToolCallID)
	}
	b.emit(e)
	return nil
}

// endTurn closes what belongs to a turn of the model. Held calls stay open.
func (b *brackets) endTurn() {
	b.endReasoning()
	b.endText()
	b.endCalls(false)
	if b.turn != "" || len(b.enc) > 0 {
		b.turnID()
		b.flushEncrypted()
	}
	b.turn, b.divided = "", false
}

func (b *brackets) endText() {
	if b.text == "" {
		return
	}
	b.emit(&agui.TextMessageEnd{MessageID: b.text})
	b.text, b.textAsk, b.divided = "", "", true
}

// endHand ends the text message that was opened by hand, before other output:
// older clients take one thing at a time. It is opened again if it goes on.
func (b *brackets) endHand() {
	if b.hand != "" {
		b.emit(&agui.TextMessageEnd{MessageID: b.hand})
		b.cut, b.hand = append(b.cut, b.hand), ""
	}
}

func (b *brackets) endReasoning() {
	if b.reasoning == "" {
		return
	}
	b.emit(&agui.ReasoningMessageEnd{MessageID: b.reasoning})
	b.emit(&agui.ReasoningEnd{MessageID: b.reasoning})
	b.reasoning = ""
}

// endCalls ends the open calls that are not held. Before another call begins
// only those end whose arguments are whole: providers interleave the pieces of
// parallel calls.
func (b *brackets) endCalls(wholeOnly bool) {
	b.calls = slices.DeleteFunc(b.calls, func(c *openCall) bool {
		if c.held || wholeOnly && !c.args.Whole() {
			return false
		}
		b.emit(&agui.ToolCallEnd{ToolCallID: c.id})
		b.ended.add(c.id)
		return true
	})
}

func (b *brackets) find(id string) *openCall {
	for _, c := range b.calls {
		if c.id == id {
			return c
		}
	}
	return nil
}

// turnID names the turn's assistant message.
func (b *brackets) turnID() string {
	if b.turn == "" {
		b.turn = b.freshID(b.turnAsk)
	}
	return b.turn
}

// freshID returns an id that no message of this run has had: ask, if that is
// one.
func (b *brackets) freshID(ask string) string {
	if ask == "" || b.used.has(ask) {
		ask = agui.NewID()
	}
	b.used.add(ask)
	return ask
}

// flushEncrypted attaches waiting encrypted reasoning to the turn's message,
// which the client knows by now.
func (b *brackets) flushEncrypted() {
	for _, v := range b.enc {
		b.emit(&agui.ReasoningEncryptedValue{Subtype: agui.EncryptedMessage, EntityID: b.turn, EncryptedValue: v})
	}
	b.enc = b.enc[:0]
}
