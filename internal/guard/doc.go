// Package guard holds the rules of the house as tests: who may import whom,
// what is exported, which protocol is spoken, and what no file may say.
package guard
