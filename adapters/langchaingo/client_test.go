package langchaingo_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

func TestOpenAIClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(openaiModel(t, m, true), nil)
	})
}

func TestOpenAIClientWithoutTap(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(openaiModel(t, m, false), nil)
	}, aguitest.NoInterleaving)
}

func TestAnthropicClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(anthropicModel(t, m, true), nil)
	})
}

func TestAnthropicClientWithoutTap(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(anthropicModel(t, m, false), nil)
	}, aguitest.WholeCalls, aguitest.NoToolChoice)
}

func TestOllamaClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		return langchaingo.New(ollamaModel(t, m, true), nil)
	}, aguitest.WholeCalls, aguitest.NoToolChoice)
}
