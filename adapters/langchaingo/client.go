package langchaingo

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// client is a model of langchaingo as a [chat.Client].
type client struct {
	model    llms.Model
	o        Options
	provider provider
	base     llms.CallOptions
	found
}

// New returns a client for a model of langchaingo. The options may be nil. See
// the package's comment for what each provider streams, and [HTTPClient] for
// how to have all of it. A model made by [NewModel] gives the client that is
// in it.
//
// Each range calls GenerateContent once, in a [chat.Run]: the sequence returns
// only after the model has, so a provider that does not obey its context keeps
// a cancelled run waiting. New panics when model is nil.
func New(model llms.Model, o *Options) chat.Client {
	if model == nil {
		panic("langchaingo: New of a nil model")
	}
	if m, ok := model.(*runModel); ok && m.client != nil {
		return m.client
	}
	var options llms.CallOptions
	if o != nil {
		for _, option := range o.CallOptions {
			option(&options)
		}
	}
	return newClient(model, o, options)
}

// newClient returns a client that calls the model with options.
func newClient(model llms.Model, o *Options, options llms.CallOptions) *client {
	c := &client{model: model, base: options}
	if o != nil {
		c.o = *o
	}
	c.provider = providerOf(model, c.o.Provider)
	c.base.StreamingFunc, c.base.StreamingReasoningFunc = nil, nil
	c.base.Tools, c.base.ToolChoice = nil, nil
	c.base.Functions, c.base.FunctionCallBehavior = nil, ""
	c.found = look(model)
	c.tapped = c.tapped && c.provider.wire != nil
	return c
}

// Stream calls the model.
func (c *client) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	if req == nil {
		req = &chat.Request{}
	}
	return obedient(ctx, chat.Run(ctx, func(ctx context.Context) error {
		x := &exchange{idle: c.o.IdleTimeout, secrets: c.secrets}
		err := c.call(ctx, req, x)
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.secrets.Error(err)
	}))
}

// obedient ends a sequence with the context's error once that has ended: what
// is on its way then does not count.
func obedient(ctx context.Context, seq iter.Seq2[*chat.Update, error]) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for u, err := range seq {
			if gone := ended(ctx, err); gone != nil {
				yield(nil, gone)
				return
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

// streams reports whether the model is to stream its answer.
func (c *client) streams(req *chat.Request) bool {
	switch c.o.Streaming {
	case StreamNever:
		return false
	case StreamWithoutTools:
		return len(req.Tools) == 0
	}
	return len(req.Tools) == 0 || !c.provider.loses
}

func (c *client) call(ctx context.Context, req *chat.Request, x *exchange) error {
	if err := ended(ctx, nil); err != nil {
		return err
	}
	stream := c.streams(req)
	out, err := c.encode(ctx, req, c.tapped)
	if err != nil {
		return err
	}
	// The call's requests end with it, whoever holds on to them.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x.wants, x.stream = out.wants, stream
	r := newReader(ctx, c, req, out, x)
	if c.bare {
		if missing := r.missing(); missing != nil {
			return missing
		}
	}
	defer r.close()
	called := r.calls.IDs.Context(context.WithValue(ctx, callerKey{}, c))
	if stream || c.tapped {
		called = withExchange(called, x)
	}
	if stream {
		out.options.StreamingFunc = r.piece
		if !c.tapped {
			out.options.StreamingReasoningFunc = r.thought
		}
	}
	var resp *llms.ContentResponse
	err = chat.Protect(func() (err error) {
		resp, err = c.model.GenerateContent(called, out.messages, llms.WithOptions(out.options))
		return err
	})
	r.close()
	if gone := ended(ctx, err); gone != nil {
		return gone
	}
	return r.end(resp, err)
}

// callerKey marks a context in which [New] reads what a model streams.
type callerKey struct{}

// usage returns the tokens of an answer under the names of this client.
func (c *client) usage(u agui.TokenUsage, model string) *agui.TokenUsage {
	u.Provider, u.Model = c.provider.name, model
	return &u
}

// end emits what belongs after the last piece, or returns why there is no
// good end.
func (r *reader) end(resp *llms.ContentResponse, err error) error {
	if r.failed != nil {
		return r.failed
	}
	x := r.x
	if x.status != 0 {
		return chat.ModelError(codeOf(x.status, string(x.says)), fmt.Errorf("langchaingo: the server answered with status %d: %s", x.status, x.says))
	}
	if x.seen {
		return r.endTapped(err)
	}
	if err != nil {
		if text, _ := r.deltas.settle(""); text != "" {
			if emit := r.emit(&chat.Update{Text: r.text.Add(text)}); emit != nil {
				return emit
			}
		}
		return classify(err)
	}
	if missing := r.missing(); missing != nil {
		return missing
	}
	return r.endResponse(resp)
}

// endTapped ends an answer that the tap has read.
func (r *reader) endTapped(err error) error {
	if emit := r.take(); emit != nil {
		return emit
	}
	x := r.x
	var own *chat.Error
	var says *serverError
	switch {
	case errors.As(x.err, &own):
		return r.fail(x.err)
	case errors.As(x.err, &says):
		return r.fail(chat.ModelError(says.code(), fmt.Errorf("langchaingo: %w", x.err)))
	case r.finish != "":
		// The answer is complete: what became of its tail is no matter.
	case errors.Is(x.err, ErrIdle):
		return r.fail(chat.ModelError(chat.CodeTimeout, fmt.Errorf("langchaingo: %w", x.err)))
	case !x.done && x.err == nil && err != nil:
		return r.fail(classify(err))
	case x.err != nil && !x.answer:
		return chat.ModelError(chat.CodeUnavailable, fmt.Errorf("langchaingo: %w", x.err))
	default:
		return r.fail(cut(x.err))
	}
	return r.finishWith(&chat.Update{}, r.finish)
}

// fail emits the tokens that are known to be spent, and returns the error.
func (r *reader) fail(err error) error {
	if r.usage != nil {
		if emit := r.emit(&chat.Update{Usage: r.c.usage(*r.usage, r.model)}); emit != nil {
			return emit
		}
	}
	return err
}

// finishWith emits the last update: what was held back, usage and why the
// answer ended.
func (r *reader) finishWith(u *chat.Update, reason string) error {
	var err error
	u.Reasoning = r.reasoning.Rest() + u.Reasoning
	u.Text = r.text.Rest() + u.Text
	u.EncryptedReasoning = r.opaque.String()
	if u.ToolCalls, err = r.calls.Finish(u.ToolCalls); err != nil {
		return r.fail(chat.ModelError(chat.CodeBadResponse, fmt.Errorf("langchaingo: %w", err)))
	}
	if r.usage != nil {
		u.Usage = r.c.usage(*r.usage, r.model)
	}
	u.FinishReason = finishReason(reason, len(r.calls.All()) > 0)
	return r.emit(u)
}
