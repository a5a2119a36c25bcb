package chat

import "github.com/aguistate/aguistate/middleware/agui"

// AddUsage adds one count of tokens to a list that has one entry for each
// provider and model.
func AddUsage(sum []agui.TokenUsage, u agui.TokenUsage) []agui.TokenUsage {
	for i := range sum {
		s := &sum[i]
		if s.Provider != u.Provider || s.Model != u.Model {
			continue
		}
		s.InputTokens += u.InputTokens
		s.OutputTokens += u.OutputTokens
		s.TotalTokens += u.TotalTokens
		s.ReasoningTokens += u.ReasoningTokens
		s.CachedInputTokens += u.CachedInputTokens
		s.CacheWriteInputTokens += u.CacheWriteInputTokens
		return sum
	}
	return append(sum, u)
}
