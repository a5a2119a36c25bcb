package chat

import (
	"encoding/json"

	"github.com/aguistate/aguistate/middleware/agui"
)

// FinishReason says why a model ended its turn. A provider ends every model call
// with one: a stream that stops without is incomplete, and its adapter ends in
// an error that says so ([CodeIncomplete]). Who answers by other means may leave
// it out, but not behind calls of tools: [InvokeFunctions] runs none without.
type FinishReason string

// The finish reasons that layers act on. An adapter maps its provider's to
// these and passes others as they are.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishContentFilter FinishReason = "content_filter"
)

// Update is one step of an answer. Zero fields say nothing; what is set
// happened in the order of the fields. What has a field never also rides in
// Events.
type Update struct {
	// MessageID names the assistant message that Text and ToolCalls belong
	// to. Empty continues the turn's message. Who sets it promises that no
	// message of the conversation has it: adapters leave it empty, for
	// providers repeat theirs.
	MessageID string
	// Role of the message; empty is assistant.
	Role agui.Role
	// Model names the model that answers.
	Model string
	// Metadata goes to the message that Text belongs to.
	Metadata agui.Metadata

	// Reasoning is a piece of visible reasoning, EncryptedReasoning the
	// provider's opaque form of it for the turn's message.
	Reasoning          string
	EncryptedReasoning string
	// Text is a piece of the answer's text, whole code points.
	Text string
	// ToolCalls are pieces of calls.
	ToolCalls []ToolCallDelta
	// ToolResult answers a call.
	ToolResult *ToolResult
	// Events are sent as they are, in their place: state, activities, steps,
	// messages, custom, raw. RUN_* events never ride here.
	Events []agui.Event
	// Interrupts end the run with a question to the person at the client.
	Interrupts []agui.Interrupt
	// Usage counts the tokens of one model call. Adapters send it once for
	// each call, with the last count that the provider gave; layers sum.
	Usage *agui.TokenUsage
	// FinishReason ends the turn.
	FinishReason FinishReason
	// Result is the run's result, any JSON but null.
	Result json.RawMessage
	// Raw is the provider's own chunk, for layers that know it. It is never
	// sent.
	Raw any
}

// ToolCallDelta is a piece of a tool call.
type ToolCallDelta struct {
	// ID names the call in every piece of it. No other call of the
	// conversation has it: providers repeat theirs, see [CallIDs].
	ID string
	// Name of the tool, whole, in the first piece. Later pieces may leave it
	// empty.
	Name string
	// Arguments is a fragment of the arguments' JSON text.
	Arguments string
	// EncryptedReasoning is the provider's opaque reasoning for this call.
	EncryptedReasoning string
	// Held says that the call is answered in this run: it stays open until
	// its result, so that what its tool publishes lies between
	// TOOL_CALL_START and TOOL_CALL_END. [InvokeFunctions] sets it on the
	// calls it will answer; who announces a call by hand and answers it sets
	// it too. It is read from the first piece.
	Held bool
}

// ToolResult answers a tool call.
type ToolResult struct {
	// MessageID of the tool message; empty is a new one.
	MessageID  string
	ToolCallID string
	Content    agui.Content
	// Error says, for the model and the history, that the tool failed.
	Error    string
	Metadata agui.Metadata

	ofAnswer bool // a person's answer has led to it: it may come again
}
