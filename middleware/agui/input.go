package agui

import "encoding/json"

// ProtocolVersion is the AG-UI version that this package speaks.
const ProtocolVersion = "1.0"

// RunAgentInput is the request that starts a run (AG-UI 1.0,
// "RunAgentInput"). Read it with [ParseInput].
type RunAgentInput struct {
	ThreadID string
	RunID    string
	// ProtocolVersion is empty when the client predates 1.0.
	ProtocolVersion string
	ParentRunID     string
	// State is the client's whole document, byte for byte as it came; nil
	// when it was absent or null.
	State    json.RawMessage
	Messages []Message
	// Tools and Context are absent when nil, [] when empty, which is what
	// ParseInput makes of absent. Servers before 1.0 need them present.
	Tools   []Tool
	Context []Context
	// ForwardedProps is any JSON but null; nil is absent.
	ForwardedProps json.RawMessage
	// Resume answers interrupts. Nil is absent, empty is [].
	Resume []ResumeEntry
	// Extra holds members that the protocol does not name, kept as they came.
	Extra map[string]json.RawMessage
}

// Tool is a tool that the client offers and runs itself.
type Tool struct {
	Name        string
	Description string
	// Parameters is a JSON Schema, in practice an object; nil is absent.
	Parameters json.RawMessage
	Metadata   Metadata
}

// Context is a piece of context that the client adds to a run.
type Context struct {
	Description string
	Value       string
}
