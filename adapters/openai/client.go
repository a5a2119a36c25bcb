package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"sync/atomic"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/internal/mask"
	"github.com/aguistate/aguistate/middleware/chat"
)

// client is a model behind the chat completions wire.
type client struct {
	*Options
	model string
	sdk   *goopenai.Client
	// own says that the SDK's client was made here, with a [Doer] in it.
	own bool
	// unusable is why there is nothing to send to.
	unusable error
	// doer tells whether there is a [Doer] in the SDK's client, as far as can
	// be seen.
	doer presence
	// secrets are what no error may quote.
	secrets mask.Secrets
	// noUsage remembers that the server refuses stream_options.
	noUsage atomic.Bool
}

// New returns a client for a model. The options may be nil: key and base URL
// come from the environment then, see [Options]. It sends nothing, and checks
// nothing: what is missing is the error of the first call.
func New(model string, o *Options) chat.Client {
	s := o.settings()
	s.environment()
	c := &client{Options: s, model: model, own: true, doer: present}
	c.secrets = c.secrets.Add(s.APIKey).Header(s.Header).URL(s.BaseURL)
	if s.APIKey == "" && s.BaseURL == "" {
		c.unusable = &chat.Error{
			Code: chat.CodeAuthentication, Message: "The agent has no key for its model's server.",
			Err: errors.New("openai: no API key: set OPENAI_API_KEY or Options.APIKey, or a base URL for a server that needs none"),
		}
		return c
	}
	config := goopenai.DefaultConfig(s.APIKey)
	if s.BaseURL != "" {
		config.BaseURL = s.BaseURL
	}
	config.OrgID = s.Organization
	config.HTTPClient = Doer(s.HTTPClient, s)
	config.EmptyMessagesLimit = 1 << 30 // there are none behind a Doer
	c.sdk = goopenai.NewClientWithConfig(config)
	return c
}

// FromClient returns a client for a model behind a client of the SDK, one for
// Azure say. Give its configuration a [Doer] as HTTPClient: without one there
// are no retries, no idle timeout and no limits, a long row of keep-alive
// lines is an error, and what the SDK's request has no field for (audio,
// files, extra members) cannot be sent, which is an error too.
//
// Of the options it reads Defaults, InstructionRole, SchemaInPrompt, Provider
// and ReuseUpdates; the others belong to the [Doer].
func FromClient(sdk *goopenai.Client, model string, o *Options) chat.Client {
	if sdk == nil {
		panic("openai: FromClient of a nil client")
	}
	c := &client{Options: o.settings(), model: model, sdk: sdk}
	c.look()
	return c
}

// Stream calls the model. See the package's comment for what it sends and
// yields.
func (c *client) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		if req == nil {
			req = &chat.Request{}
		}
		// The call's context ends with the range, whoever holds on to it.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, x, out, err := c.open(ctx, req)
		if err != nil {
			yield(nil, c.secrets.Error(err))
			return
		}
		r := newReader(chat.CallIDsFor(ctx, req.Messages), out.names, c.Options, out.model)
		r.secrets = c.secrets.Add(x.secrets...)
		r.run(ctx, stream, x, yield)
	}
}

// open sends the request and returns the stream of its answer.
func (c *client) open(ctx context.Context, req *chat.Request) (*goopenai.ChatCompletionStream, *exchange, *outgoing, error) {
	if c.unusable != nil {
		return nil, nil, nil, c.unusable
	}
	if ctx.Err() != nil {
		return nil, nil, nil, classify(ctx, nil)
	}
	refused := false
	for {
		usage := !refused && !c.noUsage.Load()
		out, err := c.encode(ctx, req, usage)
		if err != nil {
			return nil, nil, nil, err
		}
		stream, x, err := c.send(ctx, out)
		if err == nil {
			if refused {
				c.noUsage.Store(true)
			}
			return stream, x, out, nil
		}
		if !usage || !refusesUsage(err) {
			return nil, nil, nil, x.secrets.Error(classify(ctx, err))
		}
		refused = true
	}
}

func (c *client) send(ctx context.Context, out *outgoing) (*goopenai.ChatCompletionStream, *exchange, error) {
	x := &exchange{body: out.body}
	if out.beyond && c.doer == absent {
		return nil, x, errBeyond()
	}
	request := goopenai.ChatCompletionRequest{Model: out.model}
	if !c.own {
		var err error
		if request, err = out.plain(); err != nil {
			return nil, x, err
		}
	}
	stream, err := c.sdk.CreateChatCompletionStream(context.WithValue(ctx, exchangeKey{}, x), request)
	if err != nil {
		return nil, x, err
	}
	if out.beyond && !x.seen {
		stream.Close()
		return nil, x, errBeyond()
	}
	return stream, x, nil
}

func errBeyond() error {
	return chat.ModelError(chat.CodeInvalidRequest, errors.New("openai: the SDK's client cannot send extra members, audio and files: give its configuration openai.Doer as HTTPClient"))
}

// presence is what is known of a part of the SDK's client.
type presence int

const (
	unknown presence = iota
	present
	absent
)

// look looks into the SDK's client, whose configuration is its own: for a
// [Doer], without which some requests need not be sent in order to fail, and
// for what no error may quote.
func (c *client) look() {
	config := reflect.ValueOf(c.sdk).Elem().FieldByName("config")
	if config.Kind() != reflect.Struct {
		return
	}
	if key := config.FieldByName("authToken"); key.Kind() == reflect.String {
		c.secrets = c.secrets.Add(key.String())
	}
	if base := config.FieldByName("BaseURL"); base.Kind() == reflect.String {
		c.secrets = c.secrets.URL(base.String())
	}
	if h := config.FieldByName("HTTPClient"); h.Kind() == reflect.Interface && !h.IsNil() {
		switch h.Elem().Type() {
		case reflect.TypeFor[*doer]():
			c.doer = present
		case reflect.TypeFor[*http.Client]():
			c.doer = absent
		}
	}
}
