package chat

import "github.com/aguistate/aguistate/middleware/agui"

// maxCount is the largest count that every peer keeps: 2^53-1.
const maxCount = 1<<53 - 1

// AddUsage adds one count of tokens to a list that has one entry for each
// provider and model. A negative number counts nothing, and no sum grows beyond
// 2^53-1: what comes out can be sent, whatever a provider counts. A usage that
// says nothing adds nothing.
func AddUsage(sum []agui.TokenUsage, u agui.TokenUsage) []agui.TokenUsage {
	for i := range sum {
		if s := &sum[i]; s.Provider == u.Provider && s.Model == u.Model {
			addCounts(s, &u)
			return sum
		}
	}
	s := agui.TokenUsage{Provider: u.Provider, Model: u.Model}
	if addCounts(&s, &u); s == (agui.TokenUsage{}) {
		return sum
	}
	return append(sum, s)
}

func addCounts(sum, u *agui.TokenUsage) {
	more := counts(u)
	for i, n := range counts(sum) {
		*n = count(*n) + count(*more[i])
		*n = count(*n)
	}
}

// count is n where it can be one, and the nearest one where not.
func count(n int64) int64 { return min(max(n, 0), maxCount) }

// countable reports whether all numbers of a usage are counts.
func countable(u *agui.TokenUsage) bool {
	for _, n := range counts(u) {
		if *n != count(*n) {
			return false
		}
	}
	return true
}

func counts(u *agui.TokenUsage) [6]*int64 {
	return [...]*int64{&u.InputTokens, &u.OutputTokens, &u.TotalTokens, &u.ReasoningTokens, &u.CachedInputTokens, &u.CacheWriteInputTokens}
}
