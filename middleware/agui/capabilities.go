package agui

// Capabilities says what an agent can do (AG-UI 1.0, "Capabilities"). The
// protocol defines the object, not how it is asked for. Everything may be
// absent, and absent is "not declared", which is not "no": hence the pointers,
// to be filled with new(true) and new(false).
type Capabilities struct {
	Identity       *IdentityCapabilities       `json:"identity,omitempty"`
	Transport      *TransportCapabilities      `json:"transport,omitempty"`
	Tools          *ToolCapabilities           `json:"tools,omitempty"`
	Output         *OutputCapabilities         `json:"output,omitempty"`
	State          *StateCapabilities          `json:"state,omitempty"`
	MultiAgent     *MultiAgentCapabilities     `json:"multiAgent,omitempty"`
	Reasoning      *ReasoningCapabilities      `json:"reasoning,omitempty"`
	Multimodal     *MultimodalCapabilities     `json:"multimodal,omitempty"`
	Execution      *ExecutionCapabilities      `json:"execution,omitempty"`
	HumanInTheLoop *HumanInTheLoopCapabilities `json:"humanInTheLoop,omitempty"`
	// Custom is an application's own.
	Custom Metadata `json:"custom,omitzero"`
}

// IdentityCapabilities says who the agent is.
type IdentityCapabilities struct {
	Name             string   `json:"name,omitempty"`
	Type             string   `json:"type,omitempty"`
	Description      string   `json:"description,omitempty"`
	Version          string   `json:"version,omitempty"`
	Provider         string   `json:"provider,omitempty"`
	DocumentationURL string   `json:"documentationUrl,omitempty"`
	Metadata         Metadata `json:"metadata,omitzero"`
}

// TransportCapabilities says how the agent can be reached.
type TransportCapabilities struct {
	Streaming         *bool `json:"streaming,omitempty"`
	Websocket         *bool `json:"websocket,omitempty"`
	HTTPBinary        *bool `json:"httpBinary,omitempty"`
	PushNotifications *bool `json:"pushNotifications,omitempty"`
	Resumable         *bool `json:"resumable,omitempty"`
}

// ToolCapabilities says which tools the agent has and takes.
type ToolCapabilities struct {
	Supported *bool `json:"supported,omitempty"`
	// Items are the agent's own tools. Nil is absent, empty is [].
	Items          []Tool `json:"items,omitzero"`
	ParallelCalls  *bool  `json:"parallelCalls,omitempty"`
	ClientProvided *bool  `json:"clientProvided,omitempty"`
}

// OutputCapabilities says what the agent's answers can be.
type OutputCapabilities struct {
	StructuredOutput *bool `json:"structuredOutput,omitempty"`
	// SupportedMIMETypes is absent when nil, [] when empty.
	SupportedMIMETypes []string `json:"supportedMimeTypes,omitzero"`
}

// StateCapabilities says how the agent shares state.
type StateCapabilities struct {
	Snapshots       *bool `json:"snapshots,omitempty"`
	Deltas          *bool `json:"deltas,omitempty"`
	Memory          *bool `json:"memory,omitempty"`
	PersistentState *bool `json:"persistentState,omitempty"`
}

// MultiAgentCapabilities says how the agent works with others.
type MultiAgentCapabilities struct {
	Supported  *bool `json:"supported,omitempty"`
	Delegation *bool `json:"delegation,omitempty"`
	Handoffs   *bool `json:"handoffs,omitempty"`
	// Subagents is absent when nil, [] when empty.
	Subagents []SubagentInfo `json:"subagents,omitzero"`
}

// SubagentInfo names one subagent.
type SubagentInfo struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ReasoningCapabilities says whether the agent shows its reasoning.
type ReasoningCapabilities struct {
	Supported *bool `json:"supported,omitempty"`
	Streaming *bool `json:"streaming,omitempty"`
	Encrypted *bool `json:"encrypted,omitempty"`
}

// MultimodalCapabilities says what the agent takes and gives besides text.
type MultimodalCapabilities struct {
	Input  *MultimodalInput  `json:"input,omitempty"`
	Output *MultimodalOutput `json:"output,omitempty"`
}

// MultimodalInput says what the agent takes.
type MultimodalInput struct {
	Image *bool `json:"image,omitempty"`
	Audio *bool `json:"audio,omitempty"`
	Video *bool `json:"video,omitempty"`
	PDF   *bool `json:"pdf,omitempty"`
	File  *bool `json:"file,omitempty"`
}

// MultimodalOutput says what the agent gives.
type MultimodalOutput struct {
	Image *bool `json:"image,omitempty"`
	Audio *bool `json:"audio,omitempty"`
}

// ExecutionCapabilities says what the agent may run, and for how long.
type ExecutionCapabilities struct {
	CodeExecution *bool  `json:"codeExecution,omitempty"`
	Sandboxed     *bool  `json:"sandboxed,omitempty"`
	MaxIterations *int64 `json:"maxIterations,omitempty"`
	// MaxExecutionTime is in milliseconds.
	MaxExecutionTime *int64 `json:"maxExecutionTime,omitempty"`
}

// HumanInTheLoopCapabilities says what the agent asks of people.
type HumanInTheLoopCapabilities struct {
	Supported        *bool `json:"supported,omitempty"`
	Approvals        *bool `json:"approvals,omitempty"`
	Interventions    *bool `json:"interventions,omitempty"`
	Feedback         *bool `json:"feedback,omitempty"`
	Interrupts       *bool `json:"interrupts,omitempty"`
	ApproveWithEdits *bool `json:"approveWithEdits,omitempty"`
}
