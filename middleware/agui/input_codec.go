package agui

import (
	"bytes"
	"slices"
)

var inputMembers = []string{
	"threadId", "runId", "protocolVersion", "parentRunId", "state",
	"messages", "tools", "context", "forwardedProps", "resume",
}

func (w *writer) input(in *RunAgentInput) {
	w.open('{')
	w.string("threadId", in.ThreadID)
	w.string("runId", in.RunID)
	w.optional("protocolVersion", in.ProtocolVersion)
	w.optional("parentRunId", in.ParentRunID)
	w.optionalJSON("state", in.State)
	w.messages("messages", in.Messages)
	if in.Tools != nil {
		w.tools("tools", in.Tools)
	}
	if in.Context != nil {
		w.name("context")
		w.open('[')
		for _, c := range in.Context {
			w.comma()
			w.context(&c)
		}
		w.close(']')
	}
	w.optionalJSON("forwardedProps", in.ForwardedProps)
	if in.Resume != nil {
		w.name("resume")
		w.enter("resume")
		w.open('[')
		for i := range in.Resume {
			w.comma()
			w.element(i)
			w.resumeEntry(&in.Resume[i])
			w.leave()
		}
		w.close(']')
		w.leave()
	}
	if len(in.Extra) > 0 {
		w.extra(in.Extra, func(name string) bool { return slices.Contains(inputMembers, name) })
	}
	w.close('}')
}

func (w *writer) tools(name string, tools []Tool) {
	w.name(name)
	w.enter(name)
	w.open('[')
	for i := range tools {
		w.comma()
		w.element(i)
		w.tool(&tools[i])
		w.leave()
	}
	w.close(']')
	w.leave()
}

func (w *writer) tool(t *Tool) {
	w.open('{')
	w.string("name", t.Name)
	w.string("description", t.Description)
	w.optionalJSON("parameters", t.Parameters)
	w.metadata(t.Metadata)
	w.close('}')
}

func (w *writer) context(c *Context) {
	w.open('{')
	w.string("description", c.Description)
	w.string("value", c.Value)
	w.close('}')
}

func (w *writer) resumeEntry(r *ResumeEntry) {
	w.open('{')
	w.string("interruptId", r.InterruptID)
	if r.Status != ResumeResolved && r.Status != ResumeCancelled {
		w.fail("status", "must be resolved or cancelled, not "+quoted(string(r.Status)))
	}
	w.string("status", string(r.Status))
	w.optionalJSON("payload", r.Payload)
	w.metadata(r.Metadata)
	w.close('}')
}

// ParseInput reads the body of a request, as the reference schema of AG-UI 1.0
// does: threadId, runId and messages are required, names are case-sensitive,
// and null is refused for every optional member but state, which it makes
// absent. Absent tools and context become empty, not nil.
//
// Beyond the schema it refuses what could be read in two ways or hides an
// attack: a member name that is there twice, at any depth; text that is not
// UTF-8; nesting beyond 128 levels; anything behind the object.
//
// It also refuses the names of the protocol in snake case, such as
// forwarded_props, where they stand in the place of its own or beside them:
// otherwise what they say would be lost in silence.
//
// It also refuses an input with more than 131,072 values inside metadata and in
// members that the protocol does not name, taken together: a few bytes each,
// they would take fifty times the memory.
//
// State is kept byte for byte and is not read into anything; numbers keep
// their digits; members that the protocol does not name are kept in Extra, of
// the input and of each message, and dropped from the objects inside those.
//
// The "binary" parts of clients before 1.0 are translated when the input names
// no protocolVersion, as the reference client translates them.
//
// The error is an [*InputError]; its Pointer names the member. The result
// shares no memory with data.
func ParseInput(data []byte) (*RunAgentInput, error) { return parseInput(data, typed) }

func parseInput(data []byte, index indexing) (*RunAgentInput, error) {
	d, f := readDocument(parser{data: data, maxDepth: maxInputDepth, unique: true, index: index})
	if f != nil {
		return nil, f.input()
	}
	defer d.release()
	r := reader{doc: d}
	in := new(RunAgentInput)
	if r.object(0) {
		r.legacy = d.member(0, "protocolVersion") == 0
		r.input(0, in)
	}
	if r.fault != nil {
		return nil, r.fault.input()
	}
	return in, nil
}

func (r *reader) input(i uint32, in *RunAgentInput) {
	in.ThreadID = r.string(i, "threadId")
	in.RunID = r.string(i, "runId")
	in.ProtocolVersion = r.optional(i, "protocolVersion")
	in.ParentRunID = r.optional(i, "parentRunId")
	if s := r.get(i, "state"); s != 0 && r.kind(s) != 'n' {
		in.State = bytes.Clone(r.doc.bytes(s))
	}
	in.Messages = r.messages(i, "messages")
	in.Tools = r.tools(i, "tools")
	if in.Tools == nil {
		in.Tools = []Tool{}
	}
	in.Context = r.context(i)
	in.ForwardedProps = r.repairedJSON(i, "forwardedProps")
	in.Resume = r.resume(i)
	in.Extra = r.extra(i, inputMembers)
}

// tools reads an array that may be absent, which is nil.
func (r *reader) tools(object uint32, name string) []Tool {
	array, ok := r.array(object, name)
	if !ok {
		return nil
	}
	tools := make([]Tool, 0, r.objects(array))
	for e := range r.elements(array) {
		if !r.object(e) {
			return nil
		}
		tools = append(tools, r.tool(e))
	}
	return tools
}

func (r *reader) tool(i uint32) (t Tool) {
	t.Name = r.string(i, "name")
	t.Description = r.string(i, "description")
	t.Parameters = r.repairedJSON(i, "parameters")
	t.Metadata = r.metadata(i)
	return t
}

// context reads an array; absent is empty.
func (r *reader) context(object uint32) []Context {
	array, ok := r.array(object, "context")
	if !ok {
		return []Context{}
	}
	list := make([]Context, 0, r.objects(array))
	for e := range r.elements(array) {
		if !r.object(e) {
			return nil
		}
		list = append(list, r.contextEntry(e))
	}
	return list
}

func (r *reader) contextEntry(i uint32) Context {
	return Context{Description: r.string(i, "description"), Value: r.string(i, "value")}
}

// resume reads an array that may be absent, which is nil.
func (r *reader) resume(object uint32) []ResumeEntry {
	array, ok := r.array(object, "resume")
	if !ok {
		return nil
	}
	list := make([]ResumeEntry, 0, r.objects(array))
	for e := range r.elements(array) {
		if !r.object(e) {
			return nil
		}
		list = append(list, r.resumeEntry(e))
	}
	return list
}

func (r *reader) resumeEntry(i uint32) (e ResumeEntry) {
	e.InterruptID = r.string(i, "interruptId")
	e.Status = ResumeStatus(r.choice(i, "status"))
	if e.Status != ResumeResolved && e.Status != ResumeCancelled {
		r.unchosen(i, "status", "resolved or cancelled")
	}
	e.Payload = r.repairedJSON(i, "payload")
	e.Metadata = r.metadata(i)
	r.spelling(i, "interruptId")
	return e
}
