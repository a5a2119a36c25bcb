package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/internal/mask"
	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Updates turns a stream that the caller has opened with the SDK into
// updates. It follows the laws of a client's stream, and closes the stream
// when the range ends, however it ends; it can be ranged over once.
//
// From the request, which may be nil, it takes the conversation, so that the
// ids of tool calls are unique in it, and the names of the tools. The options
// may be nil; Provider and ReuseUpdates are read.
//
// Every chunk gives one update, whose Raw is the chunk as the server sent it,
// a [json.RawMessage]. One more update at the end has the usage and the
// finish reason. Only the choice with index 0 is the answer.
//
// How the stream was opened decides what else is kept. Without a [Doer] in the
// SDK's configuration there are no limits and no idle timeout: a server that is
// silent is awaited until the context of the stream ends, also one that stays
// open behind its finish reason; and some errors and spellings of streams are
// lost in the SDK's reader.
func Updates(stream *goopenai.ChatCompletionStream, req *chat.Request, o *Options) iter.Seq2[*chat.Update, error] {
	if req == nil {
		req = &chat.Request{}
	}
	return func(yield func(*chat.Update, error) bool) {
		r := newReader(chat.NewCallIDs(req.Messages), toolname.New(req.Tools), o.settings(), "")
		r.run(context.Background(), stream, nil, yield)
	}
}

// source is what is used of the SDK's stream.
type source interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// reader makes updates out of one stream.
type reader struct {
	options   *Options
	model     string
	chunk     chunk       // the newest
	update    chat.Update // the newest, where one serves for all
	calls     pieces.Calls
	text      pieces.Seam
	reasoning pieces.Seam
	finish    string
	usage     *usage
	opaque    []byte // opaque reasoning, the entries of an array
	named     bool   // an update has the model
	secrets   mask.Secrets
}

func newReader(ids *chat.CallIDs, n *toolname.Table, o *Options, model string) *reader {
	return &reader{
		options: o,
		model:   model,
		calls:   pieces.Calls{IDs: ids, Names: n},
	}
}

// blank returns an update that says nothing.
func (r *reader) blank() *chat.Update {
	if !r.options.ReuseUpdates {
		return new(chat.Update)
	}
	r.update = chat.Update{}
	return &r.update
}

// run reads the stream to its end and closes it.
func (r *reader) run(ctx context.Context, src source, x *exchange, yield func(*chat.Update, error) bool) {
	defer src.Close()
	for {
		raw, err := src.RecvRaw()
		if ctx.Err() != nil {
			// What is already here does not count: the caller has left.
			r.fail(classify(ctx, err), yield)
			return
		}
		if err == nil && raw == nil {
			// The SDK found an error and could not read it.
			err = &goopenai.APIError{Message: "the server reported an error in the stream"}
		}
		if err == nil && len(raw) > 0 && raw[0] == '[' && strings.HasPrefix("[DONE]", string(raw)) {
			err = io.ErrUnexpectedEOF // cut inside [DONE]
		}
		if err != nil {
			r.end(ctx, err, yield)
			return
		}
		if len(raw) == 0 {
			continue
		}
		if err = r.chunk.parse(raw); err == nil {
			err = r.chunk.failure()
		} else {
			err = fmt.Errorf("%w: chunk %.200q", err, raw)
		}
		if err != nil {
			r.fail(classify(ctx, err), yield)
			return
		}
		if !yield(r.read(raw), nil) {
			return
		}
		if x != nil && r.finish != "" {
			x.end.Store(true)
		}
	}
}

// end yields what belongs after the last chunk.
func (r *reader) end(ctx context.Context, err error, yield func(*chat.Update, error) bool) {
	var api *goopenai.APIError
	var own *chat.Error
	switch {
	case errors.As(err, &api), errors.As(err, &own),
		errors.Is(err, ErrTooLong), errors.Is(err, goopenai.ErrTooManyEmptyStreamMessages):
		r.fail(classify(ctx, err), yield)
		return
	case r.finish != "":
		// The answer is complete: what became of its tail is no matter.
	case err == io.EOF:
		r.fail(incomplete(nil), yield)
		return
	case errors.Is(err, ErrIdle), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		r.fail(classify(ctx, err), yield)
		return
	default:
		r.fail(incomplete(err), yield)
		return
	}
	u := r.blank()
	if !r.named {
		u.Model = r.model
	}
	u.Reasoning, u.Text = r.reasoning.Rest(), r.text.Rest()
	u.EncryptedReasoning = r.encrypted()
	u.ToolCalls, err = r.calls.Finish(nil)
	if err != nil {
		r.fail(chat.ModelError(chat.CodeBadResponse, fmt.Errorf("openai: %w", err)), yield)
		return
	}
	if r.usage != nil {
		u.Usage = r.usage.tokens(r.options.Provider, r.model)
	}
	u.FinishReason = finishReason(r.finish, len(r.calls.All()) > 0)
	yield(u, nil)
}

// fail yields an error, behind the tokens that are known to be spent.
func (r *reader) fail(err error, yield func(*chat.Update, error) bool) {
	if r.usage != nil && !yield(&chat.Update{Usage: r.usage.tokens(r.options.Provider, r.model)}, nil) {
		return
	}
	yield(nil, r.secrets.Error(err))
}

// read turns the chunk, which came as raw, into an update.
func (r *reader) read(raw []byte) *chat.Update {
	k, u := &r.chunk, r.blank()
	u.Raw = json.RawMessage(raw)
	if len(k.model) > 0 && string(k.model) != r.model {
		r.model = pieces.Mend(string(k.model))
	}
	if len(k.model) > 0 && !r.named {
		r.named, u.Model = true, r.model
	}
	if k.usage != nil {
		r.usage = k.usage
	}
	for i := range k.choices {
		ch := &k.choices[i]
		if ch.index != 0 {
			continue
		}
		u.Reasoning += r.reasoning.Add(ch.reasoning)
		u.Text += r.text.Add(ch.text)
		u.Text += r.text.Add(ch.refusal)
		if ch.reasoningDetails != nil {
			if r.opaque != nil {
				r.opaque = append(r.opaque, ',')
			}
			r.opaque = append(r.opaque, ch.reasoningDetails...)
		}
		for _, p := range ch.calls {
			u.ToolCalls = r.calls.Add(u.ToolCalls, p)
		}
		if ch.finish != "" {
			r.finish = ch.finish
		}
	}
	return u
}

// encrypted returns the opaque reasoning as a JSON array, "" if there is
// none.
func (r *reader) encrypted() string {
	if r.opaque == nil {
		return ""
	}
	return "[" + pieces.Mend(string(r.opaque)) + "]"
}

// finishReason translates a server's finish reason. Some servers say stop
// when there are calls, and tool_calls when there are none: what came counts,
// for a turn that was taken for one of calls would have nothing to run.
func finishReason(s string, calls bool) chat.FinishReason {
	switch reason := chat.FinishReason(strings.ToLower(s)); reason {
	case "stop", "tool_calls", "tool_use", "function_call", "eos", "eos_token", "end_turn", "stop_sequence":
		if calls {
			return chat.FinishToolCalls
		}
		return chat.FinishStop
	case "length", "max_tokens", "model_length", "max_output_tokens":
		return chat.FinishLength
	case "content_filter", "safety", "refusal":
		return chat.FinishContentFilter
	default:
		return reason
	}
}
