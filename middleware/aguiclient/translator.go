package aguiclient

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// translator makes updates of one run's events. What it yields as fields gets
// its brackets again at an endpoint, by the rules of [chat.Events]: it keeps
// in mind what those leave open, so that events that it lets ride fit between.
type translator struct {
	tools  map[string]chat.Tool // by name, as offered
	query  *query
	told   map[string]bool // ids of messages that are there already
	unique *chat.CallIDs
	names  *names
	report func(error)

	texts      map[string]*text
	calls      map[string]*call
	reasonings map[string]*reasoning
	spans      map[string]*span
	span       *span             // the last one opened
	ids        map[string]string // of messages, by the agent's
	parents    map[string]bool   // our ids of messages that calls belong to: more text is another message

	turn      string   // the message that updates without an id continue
	open      string   // the text that is open by fields
	thinking  string   // the agent's reasoning that is open by fields
	hand      *text    // the text that rides and is open
	empty     *text    // a text that has ended and said nothing: a call may still make it
	emptyID   string   // the agent's id of it
	encrypted []string // waits for the turn's message
	unpaired  idSet    // our ids of calls without a result

	endable []*call // open calls that what begins next may end
	grown   []*call // those of them that were said more of since it was looked

	state      json.RawMessage
	stateMoved bool

	out []*chat.Update
}

// text is a text message of the agent.
type text struct {
	id   string // ours
	said bool
	// What waits for its first piece, or its next one.
	meta      metadata
	encrypted string

	rides bool // goes on as events
	// Of one that rides: how it began, and whether something else has ended it.
	start  *agui.TextMessageStart
	closed bool
}

// reasoning is a reasoning message of the agent.
type reasoning struct {
	rides bool
	start *agui.ReasoningMessageStart // while nothing was said
}

// span is a span of reasoning of the agent.
type span struct {
	rides bool
	start *agui.ReasoningStart // while it has shown nothing
}

func newTranslator(ctx context.Context, req *chat.Request, q *query, report func(error)) *translator {
	tr := &translator{
		tools: map[string]chat.Tool{}, query: q, told: map[string]bool{},
		unique: chat.CallIDsFor(ctx, req.Messages), report: report,
		texts: map[string]*text{}, calls: map[string]*call{}, reasonings: map[string]*reasoning{}, spans: map[string]*span{}, ids: map[string]string{}, parents: map[string]bool{},
		state: q.in.State,
	}
	if isNull(tr.state) {
		tr.state = json.RawMessage("{}")
	}
	for _, t := range req.Tools {
		tr.tools[t.Name] = t
	}
	for _, list := range [][]agui.Message{req.Messages, q.talk, q.in.Messages} {
		for _, m := range list {
			tr.told[m.ID] = true
		}
	}
	tr.names = namesFor(ctx, tr.told)
	return tr
}

// translate returns the updates that an event becomes, at least one, which are
// the caller's. With an error it is the run's last.
func (tr *translator) translate(e agui.Event) ([]*chat.Update, error) {
	tr.out = nil
	err := tr.event(tr.names.event(e))
	if len(tr.out) == 0 {
		tr.out = append(tr.out, &chat.Update{})
	}
	for _, u := range tr.out {
		u.Raw = e
	}
	return tr.out, err
}

func (tr *translator) emit(u *chat.Update) { tr.out = append(tr.out, u) }

// ride lets events go on as they are, and notes what they open and end.
func (tr *translator) ride(events ...agui.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case *agui.ToolCallStart:
			tr.open, tr.thinking = "", ""
			tr.endHand()
			tr.endCalls(true)
		case *agui.TextMessageStart:
			tr.open, tr.thinking = "", ""
			if e.SubagentRunID == nil {
				tr.hand = tr.texts[e.MessageID]
			}
		case *agui.TextMessageEnd:
			if tr.hand != nil && tr.hand == tr.texts[e.MessageID] {
				tr.hand = nil
			}
		case *agui.ReasoningStart, *agui.ReasoningMessageStart:
			tr.open, tr.thinking = "", ""
		case *agui.MessagesSnapshot:
			tr.open, tr.thinking = "", ""
			tr.endHand()
		}
	}
	tr.emit(&chat.Update{Events: events})
}

// endHand notes that what begins now ends the text that rides.
func (tr *translator) endHand() {
	if tr.hand != nil {
		tr.hand.closed = true
		tr.hand = nil
	}
}

func (tr *translator) event(e agui.Event) error {
	tr.endEmpty(e)
	switch e := e.(type) {
	case *agui.TextMessageStart:
		tr.startText(e)
	case *agui.TextMessageContent:
		tr.addText(e)
	case *agui.TextMessageEnd:
		tr.endText(e)
	case *agui.ToolCallStart:
		tr.startCall(e)
	case *agui.ToolCallArgs:
		tr.addArguments(e)
	case *agui.ToolCallEnd:
		tr.endCall(e)
	case *agui.ToolCallResult:
		tr.addResult(e)
	case *agui.ReasoningStart:
		tr.startSpan(e)
	case *agui.ReasoningMessageStart:
		tr.startReasoning(e)
	case *agui.ReasoningMessageContent:
		tr.addReasoning(e)
	case *agui.ReasoningMessageEnd:
		tr.endReasoning(e)
	case *agui.ReasoningEnd:
		tr.endSpan(e)
	case *agui.ReasoningEncryptedValue:
		tr.encrypt(e)
	case *agui.StateSnapshot:
		tr.state, tr.stateMoved = e.Snapshot, true
		if tr.state == nil {
			tr.state = json.RawMessage("null")
		}
		tr.ride(e)
	case *agui.StateDelta:
		next, err := jsonpatch.Apply(tr.state, e.Delta)
		if err != nil {
			tr.report(&ApplyError{Type: e.Type(), Reason: "the patch does not apply, it is left out", Err: err})
			return nil
		}
		tr.state, tr.stateMoved = next, true
		tr.ride(e)
	case *agui.MessagesSnapshot:
		tr.ride(tr.snapshot(e))
	case *agui.SubagentStarted:
		tr.ride(tr.subagent(e))
	case *agui.RunStarted:
	case *agui.RunFinished:
		return tr.finish(e)
	case *agui.RunError:
		tr.usage(e.Usage)
		return &chat.Error{Code: e.Code, Message: e.Message, Err: &PeerError{Code: e.Code, Message: e.Message, Usage: e.Usage}}
	default:
		tr.ride(e)
	}
	return nil
}

// message returns our id for a message of the agent: its own, unless the
// conversation has it.
func (tr *translator) message(id string) string {
	if ours, ok := tr.ids[id]; ok {
		return ours
	}
	ours := tr.fresh(id)
	tr.ids[id] = ours
	return ours
}

func (tr *translator) fresh(id string) string {
	if id == "" || tr.told[id] {
		return agui.NewID()
	}
	return id
}

// callID returns our id for a call of the agent.
func (tr *translator) callID(id string) string {
	if c := tr.calls[id]; c != nil {
		return c.id
	}
	return id
}

// move says that updates belong to a message from now on.
func (tr *translator) move(id string) {
	if id == tr.turn {
		return
	}
	tr.turn, tr.open, tr.thinking = id, "", ""
	tr.endCalls(false)
}

// endCalls notes that the open calls have ended that are not held; before the
// next call, only those that are whole.
func (tr *translator) endCalls(wholeOnly bool) {
	look := tr.endable
	if wholeOnly {
		look = tr.grown
	} else {
		tr.endable = nil
	}
	tr.grown = nil
	for _, c := range look {
		c.closed = c.closed || !c.rides && (!wholeOnly || c.arguments.Whole())
	}
}

// speak emits an update of the turn's message, with the encrypted reasoning
// that waits for one.
func (tr *translator) speak(u *chat.Update) {
	for i, v := range tr.encrypted {
		if i == len(tr.encrypted)-1 && u.EncryptedReasoning == "" {
			u.EncryptedReasoning = v
		} else {
			tr.emit(&chat.Update{MessageID: u.MessageID, EncryptedReasoning: v})
		}
	}
	tr.encrypted = nil
	tr.emit(u)
}

func (tr *translator) usage(list []agui.TokenUsage) {
	for _, u := range list {
		tr.emit(&chat.Update{Usage: &u})
	}
}

func (tr *translator) finish(e *agui.RunFinished) error {
	if n := len(tr.encrypted); n > 0 {
		// No message came for it: it gets one that holds nothing else.
		id := agui.NewID()
		tr.ride(&agui.ReasoningMessageStart{MessageID: id}, &agui.ReasoningMessageEnd{MessageID: id},
			&agui.ReasoningEncryptedValue{Subtype: agui.EncryptedMessage, EntityID: id, EncryptedValue: tr.encrypted[n-1]})
	}
	tr.usage(e.Usage)
	u := &chat.Update{FinishReason: chat.FinishStop}
	if tr.unpaired.len() > 0 {
		u.FinishReason = chat.FinishToolCalls
	}
	outcome := agui.OutcomeSuccess
	if e.Outcome != nil {
		outcome = e.Outcome.Type
	}
	switch outcome {
	case agui.OutcomeCancelled:
		peer := &PeerError{Code: chat.CodeCancelled, Message: "The run was cancelled.", Usage: e.Usage}
		return &chat.Error{Code: peer.Code, Message: peer.Message, Err: peer}
	case agui.OutcomeInterrupt:
		u.Interrupts = slices.Clone(e.Outcome.Interrupts)
		for i := range u.Interrupts {
			u.Interrupts[i].ToolCallID = tr.callID(u.Interrupts[i].ToolCallID)
		}
	default:
		u.Result = e.Result
	}
	tr.emit(u)
	return nil
}

// subagent is the start of a subagent's run with our ids.
func (tr *translator) subagent(e *agui.SubagentStarted) *agui.SubagentStarted {
	out := *e
	out.ParentToolCallID = tr.callID(e.ParentToolCallID)
	if ours, ok := tr.ids[e.ParentMessageID]; ok {
		out.ParentMessageID = ours
	}
	return &out
}
