package agui

import "encoding/json"

// SubagentStarted opens a subagent's run; its id is the tag of the events
// that belong to it.
type SubagentStarted struct {
	Base
	SubagentRunID       string
	Name                string
	Description         string
	ParentSubagentRunID string
	ParentToolCallID    string
	ParentMessageID     string
}

// SubagentFinished closes a subagent's run that did not fail.
type SubagentFinished struct {
	Base
	SubagentRunID string
	// Result is any JSON but null; nil is absent.
	Result json.RawMessage
	// Outcome is nil for plain success.
	Outcome *SubagentOutcome
}

// SubagentError closes a subagent's run that failed.
type SubagentError struct {
	Base
	SubagentRunID string
	Message       string
	Code          string
}

func (*SubagentStarted) Type() EventType  { return TypeSubagentStarted }
func (*SubagentFinished) Type() EventType { return TypeSubagentFinished }
func (*SubagentError) Type() EventType    { return TypeSubagentError }
