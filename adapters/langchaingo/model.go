package langchaingo

import (
	"context"
	"errors"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/middleware/chat"
)

type runModel struct{ client chat.Client }

func (m *runModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func (m *runModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	return nil, errors.New("soon")
}
