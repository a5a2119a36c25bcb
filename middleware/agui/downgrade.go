package agui

import "strings"

// Downgrade returns what to send in the place of e to a client that names no
// protocolVersion: it predates AG-UI 1.0, and ends the run over what it does
// not know. That is e itself where nothing needs to change, a changed copy, or
// nil where nothing can be sent:
//
//   - SUBAGENT_* events and events of unknown types are nil;
//   - parts in tool results and tool messages become their text, with a note
//     such as [image] in the place of what is no text;
//   - parts in the provider's storage (source file) go;
//   - pendingToolCallIds go, and so does the outcome cancelled;
//   - RUN_STARTED's input gets the tools and the context it lacks, empty.
func Downgrade(e Event) Event {
	switch e := e.(type) {
	case *SubagentStarted, *SubagentFinished, *SubagentError, *UnknownEvent:
		return nil
	case *ToolCallResult:
		if !e.Content.IsParts() {
			return e
		}
		c := *e
		c.Content = Text(flatten(e.Content))
		return &c
	case *MessagesSnapshot:
		messages := downgradeMessages(e.Messages)
		if messages == nil {
			return e
		}
		c := *e
		c.Messages = messages
		return &c
	case *RunStarted:
		if e.Input == nil {
			return e
		}
		messages := downgradeMessages(e.Input.Messages)
		if messages == nil && e.Input.Tools != nil && e.Input.Context != nil {
			return e
		}
		c, in := *e, *e.Input
		if messages != nil {
			in.Messages = messages
		}
		if in.Tools == nil {
			in.Tools = []Tool{}
		}
		if in.Context == nil {
			in.Context = []Context{}
		}
		c.Input = &in
		return &c
	case *RunFinished:
		switch {
		case e.Outcome == nil:
			return e
		case e.Outcome.Type == OutcomeCancelled:
			c := *e
			c.Outcome = nil
			return &c
		case e.Outcome.PendingToolCallIDs != nil:
			c, o := *e, *e.Outcome
			o.PendingToolCallIDs = nil
			c.Outcome = &o
			return &c
		}
	}
	return e
}

// downgradeMessages is nil when no message needs to change.
func downgradeMessages(messages []Message) []Message {
	var changed []Message
	for i := range messages {
		m := messages[i]
		if !m.Content.IsParts() {
			continue
		}
		switch m.Role {
		case RoleTool:
			m.Content = Text(flatten(m.Content))
		case RoleUser:
			c, ok := withoutFiles(m.Content)
			if !ok {
				continue
			}
			m.Content = c
		default:
			continue
		}
		if changed == nil {
			changed = append([]Message{}, messages...)
		}
		changed[i] = m
	}
	return changed
}

// withoutFiles is not ok when there are no files to leave out.
func withoutFiles(c Content) (_ Content, ok bool) {
	kept := make([]Part, 0, len(c.parts))
	for _, p := range c.parts {
		if p.Type == PartText || p.Source.Type != SourceFile {
			kept = append(kept, p)
		}
	}
	return Content{kind: contentParts, parts: kept}, len(kept) < len(c.parts)
}

// flatten is the text of parts; a note stands on a line of its own.
func flatten(c Content) string {
	var b strings.Builder
	noted := false
	for _, p := range c.parts {
		if p.Type == PartText {
			if noted && p.Text != "" {
				b.WriteByte('\n')
				noted = false
			}
			b.WriteString(p.Text)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("[" + string(p.Type) + "]")
		noted = true
	}
	return b.String()
}
