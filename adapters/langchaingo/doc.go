// Package langchaingo joins langchaingo and the chain of chat clients, both
// ways.
package langchaingo
