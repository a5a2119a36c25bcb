// Package pieces puts together what comes in pieces in the stream of an
// answer: tool calls, whose pieces servers label in many ways, and text, which
// they cut inside characters. Every adapter reads its wire and leaves the rest
// to it.
package pieces
