package langchaingo

import (
	"context"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"

	"github.com/aguistate/aguistate/middleware/agui"
)

// runMemory is a memory of langchaingo that remembers the conversation of the
// run in place of its own, in its own way: with its key, its prefixes, its
// window. It keeps nothing. Memories of other kinds, and all of them outside a
// run, are as they are.
type runMemory struct{ schema.Memory }

// LoadMemoryVariables returns what the memory makes of the run's history.
func (m runMemory) LoadMemoryVariables(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	if own, ok := m.of(ctx); ok {
		return own.LoadMemoryVariables(ctx, inputs)
	}
	return m.Memory.LoadMemoryVariables(ctx, inputs)
}

// SaveContext keeps nothing of a run.
func (m runMemory) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	if _, ok := m.of(ctx); ok {
		return nil
	}
	return m.Memory.SaveContext(ctx, inputs, outputs)
}

// Clear clears nothing of a run.
func (m runMemory) Clear(ctx context.Context) error {
	if _, ok := m.of(ctx); ok {
		return nil
	}
	return m.Memory.Clear(ctx)
}

// of returns a memory for the run.
func (m runMemory) of(ctx context.Context) (schema.Memory, bool) {
	run := runFrom(ctx)
	if run == nil {
		return nil, false
	}
	past := memory.NewChatMessageHistory(memory.WithPreviousMessages(history(run.req.Messages)))
	switch own := m.Memory.(type) {
	case *memory.ConversationBuffer:
		c := *own
		c.ChatHistory = past
		return &c, true
	case *memory.ConversationWindowBuffer:
		c := *own
		c.ChatHistory = past
		return &c, true
	case *memory.ConversationTokenBuffer:
		c := *own
		c.ChatHistory = past
		return &c, true
	}
	return nil, false
}

// history is what was said before the last user message.
func history(messages []agui.Message) []llms.ChatMessage {
	out := []llms.ChatMessage{}
	for i, end := 0, lastUser(messages); i < end; i++ {
		text := messages[i].Content.Text()
		switch {
		case text == "":
		case messages[i].Role == agui.RoleUser:
			out = append(out, llms.HumanChatMessage{Content: text})
		case messages[i].Role == agui.RoleAssistant:
			out = append(out, llms.AIChatMessage{Content: text})
		}
	}
	return out
}
