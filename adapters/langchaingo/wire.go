package langchaingo

import (
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// provider is what is known of one of langchaingo's providers, as it is
// without [HTTPClient].
type provider struct {
	name string
	// callJSON: the streaming function gets tool calls as JSON among the text.
	callJSON bool
	// blocks: the choices of a response are the blocks of one answer, not
	// alternatives.
	blocks bool
	// onePart: of an assistant's message only the first part is sent.
	onePart bool
	// leading: all system messages are sent in front of the conversation.
	leading bool
	// noTools: tools are dropped. noChoice: the tool choice is. noJSON: the
	// JSON mode is.
	noTools, noChoice, noJSON bool
	// noNone: the choice of no tool keeps the tools. loses: a streamed answer
	// loses its calls.
	noNone, loses bool
	// noReason: an answer never says why it ended. quiet: it may not.
	noReason, quiet bool
	// images says how images are taken.
	images imageForm
	// wire is how it looks behind the tap; nil is unknown there.
	wire *wire
}

type imageForm int

const (
	imageURLs  imageForm = iota // by address, also of data
	imageBytes                  // by value only
	mediaBytes                  // any medium by value
	noImages
)

// unknown is a model that no provider of langchaingo is behind, as far as can
// be seen. What it gives is looked at with care.
var unknown = provider{callJSON: true, blocks: true, quiet: true}

var providers = map[string]provider{
	"openai":    {callJSON: true, wire: &openaiWire},
	"anthropic": {blocks: true, onePart: true, leading: true, noChoice: true, noJSON: true, images: imageBytes, wire: &anthropicWire},
	"ollama":    {noTools: true, noReason: true, images: imageBytes, wire: &ollamaWire},
	"googleai":  {quiet: true, noChoice: true, images: mediaBytes},
	"vertex":    {quiet: true, noChoice: true, images: mediaBytes},
	"mistral":   {quiet: true, noChoice: true, noJSON: true, images: noImages},
	"bedrock":   {quiet: true, blocks: true, leading: true, noNone: true, loses: true, noJSON: true, images: imageBytes},
}

// providerOf returns what is known of a model: by the name given, or else by
// the package of its type.
func providerOf(model llms.Model, name string) provider {
	if name == "" {
		t := reflect.TypeOf(model)
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		rest, ok := strings.CutPrefix(t.PkgPath(), "github.com/tmc/langchaingo/llms/")
		if !ok {
			return unknown
		}
		name = rest[strings.LastIndexByte(rest, '/')+1:]
		if name == "palm" || name == "googleaiv2" {
			name = "googleai"
		}
	}
	p, ok := providers[name]
	if !ok {
		p = unknown
	}
	p.name = name
	return p
}

// wire is a provider's protocol, as [HTTPClient] sees it pass.
type wire struct {
	path string // the end of the address that answers chats
	sse  bool   // server-sent events; otherwise a JSON object a line
	// edit changes the members of a request's body to what is wanted.
	edit func(body map[string]any, w *wants) error
	// decoder returns a function that reads the objects of one answer.
	decoder func() func(data []byte, event string) (chunk, error)
	// open, token and close are the answer that the provider is given in
	// place of the real one: a token for each object that was read. whole is
	// the answer where it asked for no stream.
	open, token, close, whole string
}

var wires = []*wire{&openaiWire, &anthropicWire, &ollamaWire}

// wants is what a request asks for beyond what langchaingo sends.
type wants struct {
	options  chat.Options
	format   *chat.ResponseFormat
	choice   chat.ToolChoice
	tools    []chat.Tool
	messages []agui.Message
	names    *toolname.Table
}

// chunk is what one object of an answer says, on any wire.
type chunk struct {
	model     string
	reasoning string
	opaque    string
	text      string
	calls     []pieces.Piece
	finish    string
	usage     *agui.TokenUsage
	raw       []byte
}
