package chat

import "github.com/aguistate/aguistate/middleware/agui"

// pieces makes the events that carry pieces, which are nearly all events of a
// run. Unless they are kept, those of one update serve again for the next.
type pieces struct {
	keep bool
	used int // of args, by the update in hand

	// An update has one piece of text and one of reasoning at the most.
	text      agui.TextMessageContent
	reasoning *agui.ReasoningMessageContent // nil until there is some
	args      []*agui.ToolCallArgs
}

// reuse says that the events made so far are no longer needed.
func (p *pieces) reuse() { p.used = 0 }

// nextText returns an event of which all that is ever set is to be set.
func (p *pieces) nextText() *agui.TextMessageContent {
	if p.keep {
		return new(agui.TextMessageContent)
	}
	return &p.text
}

// nextReasoning does so for reasoning.
func (p *pieces) nextReasoning() *agui.ReasoningMessageContent {
	if p.keep || p.reasoning == nil {
		p.reasoning = new(agui.ReasoningMessageContent)
	}
	return p.reasoning
}

// nextArgs does so for arguments, of any number of calls.
func (p *pieces) nextArgs() *agui.ToolCallArgs {
	if p.keep {
		return new(agui.ToolCallArgs)
	}
	if p.used == len(p.args) {
		p.args = append(p.args, new(agui.ToolCallArgs))
	}
	p.used++
	return p.args[p.used-1]
}
