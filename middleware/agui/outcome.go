package agui

import "encoding/json"

// OutcomeType is the type of a [RunOutcome] or [SubagentOutcome].
type OutcomeType string

// The outcomes of AG-UI 1.0. There is no error outcome: a failure is a
// [RunError] or [SubagentError].
const (
	OutcomeSuccess   OutcomeType = "success"
	OutcomeInterrupt OutcomeType = "interrupt" // of a run only
	OutcomeCancelled OutcomeType = "cancelled" // of a run only; 1.0 clients only
	OutcomeSuspended OutcomeType = "suspended" // of a subagent only
)

// RunOutcome says how a run ended.
type RunOutcome struct {
	Type OutcomeType
	// PendingToolCallIDs belongs to success (1.0 clients only). Nil is
	// absent, empty is [].
	PendingToolCallIDs []string
	// Interrupts belongs to interrupt, where it is always written.
	Interrupts []Interrupt
}

// SubagentOutcome says how a subagent's run ended.
type SubagentOutcome struct {
	Type OutcomeType
	// InterruptIDs belongs to suspended. Nil is absent, empty is [].
	InterruptIDs []string
}

// Interrupt asks the person at the client for something; the next run's
// [ResumeEntry] with its ID is the answer.
type Interrupt struct {
	Tag
	ID         string
	Reason     string
	Message    string
	ToolCallID string
	// ResponseSchema is a JSON Schema object for the payload; nil is absent.
	ResponseSchema json.RawMessage
	// ExpiresAt is an ISO 8601 date; what is no date never expires.
	ExpiresAt string
	Metadata  Metadata
}

// ResumeStatus says how an interrupt was answered.
type ResumeStatus string

// The two ways of answering an interrupt.
const (
	ResumeResolved  ResumeStatus = "resolved"
	ResumeCancelled ResumeStatus = "cancelled"
)

// ResumeEntry answers one interrupt.
type ResumeEntry struct {
	InterruptID string
	Status      ResumeStatus
	// Payload is any JSON but null; nil is absent.
	Payload  json.RawMessage
	Metadata Metadata
}

// TokenUsage counts the tokens of one provider and model in one run.
// InputTokens and OutputTokens are totals: ReasoningTokens is a share of
// output, CachedInputTokens and CacheWriteInputTokens are disjoint shares of
// input. 0 is absent: not reported.
type TokenUsage struct {
	Provider              string
	Model                 string
	InputTokens           int64
	OutputTokens          int64
	TotalTokens           int64
	ReasoningTokens       int64
	CachedInputTokens     int64
	CacheWriteInputTokens int64
}
