// Package parrot has a model for trying things out: it needs no key, and does
// what the user's message says, to the letter.
//
//   - "add_task {"title":"buy milk"}", the name of an offered tool and perhaps
//     its arguments, calls the tool.
//   - Where JSON is asked for, it writes what there is in the message, from the
//     first brace on.
//   - Behind the result of a tool it says what the tool said.
//   - To all else it says "You said: " and the message, up to the first brace.
//
// The guides of the documentation use it. It is a chat.Client like any other,
// and shows how little one needs.
package parrot

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Model is the parrot. The zero value is ready, and safe for concurrent use.
type Model struct {
	// Pace is the time before each piece of an answer, so that one can watch
	// it grow. Zero is at once.
	Pace time.Duration
}

// New returns a parrot that answers at once.
func New() *Model { return &Model{} }

// Stream answers the last message of the user, or the tools behind it.
func (m *Model) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for u := range answer(ctx, req) {
			if err := wait(ctx, m.Pace); err != nil {
				yield(nil, err)
				return
			}
			if !yield(u, nil) {
				return
			}
		}
	}
}

// answer is what the parrot says to a request, piece by piece.
func answer(ctx context.Context, req *chat.Request) iter.Seq[*chat.Update] {
	said, results := heard(req.Messages)
	words, object, _ := strings.Cut(said, "{")
	name, arguments, _ := strings.Cut(said, " ")
	offered := slices.ContainsFunc(req.Tools, func(t chat.Tool) bool { return t.Name == name })
	switch {
	case len(results) > 0:
		return say("The tool says: " + strings.Join(results, ", ") + ".")
	case req.ResponseFormat != nil:
		return say("{" + object)
	case offered && req.ToolChoice.Mode != chat.ToolsNone:
		if arguments == "" {
			arguments = "{}"
		}
		return call(chat.CallIDsFor(ctx, req.Messages).New("call"), name, arguments)
	default:
		return say("You said: " + strings.TrimSpace(words))
	}
}

// heard returns the last message of the user, and what tools have said since.
func heard(messages []agui.Message) (said string, results []string) {
	for _, m := range messages {
		switch m.Role {
		case agui.RoleUser:
			said, results = m.Content.Text(), nil
		case agui.RoleTool:
			results = append(results, m.Content.Text())
		}
	}
	return said, results
}

func say(text string) iter.Seq[*chat.Update] {
	return func(yield func(*chat.Update) bool) {
		for piece := range pieces(text) {
			if !yield(&chat.Update{Text: piece}) {
				return
			}
		}
		yield(&chat.Update{FinishReason: chat.FinishStop})
	}
}

func call(id, name, arguments string) iter.Seq[*chat.Update] {
	return func(yield func(*chat.Update) bool) {
		for piece := range pieces(arguments) {
			if !yield(&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, Name: name, Arguments: piece}}}) {
				return
			}
			name = "" // it comes in the first piece
		}
		yield(&chat.Update{FinishReason: chat.FinishToolCalls})
	}
}

// pieces cuts a text behind every third word, as a model's tokens come.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		words, piece := 0, ""
		for word := range strings.SplitAfterSeq(text, " ") {
			piece += word
			if words++; words%3 == 0 {
				if !yield(piece) {
					return
				}
				piece = ""
			}
		}
		if piece != "" {
			yield(piece)
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	if d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}
