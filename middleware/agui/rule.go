package agui

// Rule is a rule of the order of events (AG-UI 1.0), by what breaks it.
type Rule string

// The rules that a [Verifier] checks.
const (
	RuleAfterRunError         Rule = "AFTER_RUN_ERROR"                 // after RUN_ERROR only RUN_STARTED
	RuleAfterRunFinished      Rule = "AFTER_RUN_FINISHED"              // after RUN_FINISHED only RUN_STARTED or RUN_ERROR
	RuleFirstEvent            Rule = "FIRST_EVENT_MUST_BE_RUN_STARTED" // or RUN_ERROR
	RuleRunStartedWhileActive Rule = "RUN_STARTED_WHILE_ACTIVE"

	RuleTextAlreadyOpen             Rule = "TEXT_ALREADY_OPEN"
	RuleTextNotOpen                 Rule = "TEXT_NOT_OPEN"
	RuleToolCallAlreadyOpen         Rule = "TOOL_CALL_ALREADY_OPEN"
	RuleToolCallNotOpen             Rule = "TOOL_CALL_NOT_OPEN"
	RuleStepAlreadyOpen             Rule = "STEP_ALREADY_OPEN"
	RuleStepNotOpen                 Rule = "STEP_NOT_OPEN"
	RuleStepWrongOwner              Rule = "STEP_WRONG_OWNER" // the step is open under another tag
	RuleReasoningSpanAlreadyOpen    Rule = "REASONING_SPAN_ALREADY_OPEN"
	RuleReasoningSpanNotOpen        Rule = "REASONING_SPAN_NOT_OPEN"
	RuleReasoningMessageAlreadyOpen Rule = "REASONING_MESSAGE_ALREADY_OPEN"
	RuleReasoningMessageNotOpen     Rule = "REASONING_MESSAGE_NOT_OPEN"
	RuleSubagentAlreadyOpen         Rule = "SUBAGENT_ALREADY_OPEN"
	RuleSubagentIDReused            Rule = "SUBAGENT_ID_REUSED"
	RuleSubagentParentUnknown       Rule = "SUBAGENT_PARENT_UNKNOWN"
	RuleSubagentNotOpen             Rule = "SUBAGENT_NOT_OPEN"

	RuleOpenStep             Rule = "OPEN_STEP_AT_RUN_FINISHED"
	RuleOpenText             Rule = "OPEN_TEXT_AT_RUN_FINISHED"
	RuleOpenReasoningMessage Rule = "OPEN_REASONING_MESSAGE_AT_RUN_FINISHED"
	RuleOpenReasoningSpan    Rule = "OPEN_REASONING_SPAN_AT_RUN_FINISHED"
	RuleOpenToolCall         Rule = "OPEN_TOOL_CALL_AT_RUN_FINISHED"
	RuleOpenSubagent         Rule = "OPEN_SUBAGENT_AT_RUN_FINISHED"

	RuleTagDiffersFromOpener    Rule = "TAG_DIFFERS_FROM_OPENER"
	RuleToolCallTagDiffers      Rule = "TOOL_CALL_TAG_DIFFERS_FROM_PARENT_MESSAGE"
	RuleToolCallReopenedByOther Rule = "TOOL_CALL_REOPENED_UNDER_OTHER_OWNER"
)

// The rules that an [Expander] checks.
const (
	RuleChunkOpenerNeedsID       Rule = "CHUNK_OPENER_NEEDS_ID"
	RuleChunkOpenerNeedsToolName Rule = "CHUNK_OPENER_NEEDS_TOOL_NAME"
	RuleChunkFieldMismatch       Rule = "CHUNK_FIELD_MISMATCH" // a repeated field has another value
	RuleChunkTagMismatch         Rule = "CHUNK_TAG_MISMATCH"
	RuleChunkAmbiguousLane       Rule = "CHUNK_AMBIGUOUS_LANE"
)

// OrderError says that an event may not come where it came.
type OrderError struct {
	Rule Rule
	// Type is the event's type.
	Type EventType
	// ID is the message, tool call, step name or subagent that the rule is
	// about, "" when it is about the run.
	ID string
}

func (e *OrderError) Error() string {
	s := "agui: " + string(e.Type) + " out of order: " + string(e.Rule)
	if e.ID != "" {
		s += " (" + quoted(e.ID) + ")"
	}
	return s
}
