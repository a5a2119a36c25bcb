package agui

import "encoding/json"

// RunStarted opens a run; it comes first.
type RunStarted struct {
	Base
	ThreadID        string
	RunID           string
	ProtocolVersion string
	ParentRunID     string
	Input           *RunAgentInput
}

// RunFinished ends a run that did not fail.
type RunFinished struct {
	Base
	ThreadID string
	RunID    string
	// Result is any JSON but null; nil is absent.
	Result json.RawMessage
	// Outcome is nil for plain success.
	Outcome *RunOutcome
	Usage   []TokenUsage
}

// RunError ends a run that failed.
type RunError struct {
	Base
	// Message is shown to people: it holds nothing secret.
	Message string
	Code    string
	Usage   []TokenUsage
}

// StepStarted opens a named step.
type StepStarted struct {
	Base
	Tag
	StepName string
}

// StepFinished closes a named step.
type StepFinished struct {
	Base
	Tag
	StepName string
}

// Raw passes a foreign event on.
type Raw struct {
	Base
	Tag
	// Event is any JSON; nil is written as null.
	Event  json.RawMessage
	Source string
}

// Custom is an application's own event.
type Custom struct {
	Base
	Tag
	Name string
	// Value is any JSON; nil is written as null.
	Value json.RawMessage
}

func (*RunStarted) Type() EventType   { return TypeRunStarted }
func (*RunFinished) Type() EventType  { return TypeRunFinished }
func (*RunError) Type() EventType     { return TypeRunError }
func (*StepStarted) Type() EventType  { return TypeStepStarted }
func (*StepFinished) Type() EventType { return TypeStepFinished }
func (*Raw) Type() EventType          { return TypeRaw }
func (*Custom) Type() EventType       { return TypeCustom }
