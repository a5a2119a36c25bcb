package chat

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
)

// questionPrefix marks the interrupt ids of this layer.
const questionPrefix = "ask-"

// rawID is the id of an interrupt of this layer, decoded: when it expires, what
// stands for the arguments and for the call's id, a tag of the layer that has
// made it, and a code over all that the answer must not change.
type rawID []byte

const (
	hashSize = 16
	markSize = 8
	headSize = 8 + hashSize + markSize
	tagSize  = 6
)

// interruptID reads an id; false when no layer of this kind has made it.
func interruptID(id string) (rawID, bool) {
	text, ok := strings.CutPrefix(id, questionPrefix)
	if !ok {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	// One id has one spelling: by another it could be claimed once more.
	ok = err == nil && len(raw) == headSize+tagSize+sha256.Size && base64.RawURLEncoding.EncodeToString(raw) == text
	return raw, ok
}

// expires is zero for never.
func (r rawID) expires() time.Time {
	if unix := int64(binary.BigEndian.Uint64(r)); unix != 0 {
		return time.Unix(unix, 0)
	}
	return time.Time{}
}

// unchanged reports whether arguments are those that the person saw: an answer
// may have changed them in the history, and its replay must still be known.
func (r rawID) unchanged(arguments string) bool {
	return bytes.Equal(r[8:8+hashSize], hash(arguments, hashSize))
}

// mark finds the call: see the function of that name.
func (r rawID) mark() string { return string(r[8+hashSize : headSize]) }

// mark stands for a call's id.
func mark(callID string) string { return string(hash(callID, markSize)) }

func hash(text string, size int) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:size]
}

// sign makes the id of the interrupt for a call.
func (l *loop) sign(ctx context.Context, call agui.ToolCall, expires time.Time) string {
	var unix int64
	if !expires.IsZero() {
		unix = expires.Unix()
	}
	head := binary.BigEndian.AppendUint64(nil, uint64(unix))
	head = append(head, hash(call.Arguments, hashSize)...)
	head = append(head, mark(call.ID)...)
	return questionPrefix + base64.RawURLEncoding.EncodeToString(l.code(ctx, call, head))
}

// signed reports whether an id was made for a call.
func (l *loop) signed(ctx context.Context, id rawID, call agui.ToolCall) bool {
	return hmac.Equal(id, l.code(ctx, call, id[:headSize:headSize]))
}

// code returns the head of an id followed by the tag and the code.
func (l *loop) code(ctx context.Context, call agui.ToolCall, head []byte) []byte {
	thread := ""
	if in, ok := InputFrom(ctx); ok {
		thread = in.ThreadID
	}
	return slices.Concat(head, l.tag(head, call.Name), l.mac(head, thread, call.ID, call.Name))
}

// tag says of an id's head that a layer with this key has asked about a tool.
func (l *loop) tag(head []byte, tool string) []byte { return l.mac(head, tool)[:tagSize] }

func (l *loop) mac(head []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, l.o.Key)
	mac.Write(head)
	for _, part := range parts {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}

// made reports whether an id is of this layer, of whatever call and thread.
func (l *loop) made(interrupt string) bool {
	id, ok := interruptID(interrupt)
	return ok && slices.ContainsFunc(l.req.Tools, func(t Tool) bool {
		return t.Question != nil && hmac.Equal(id[headSize:headSize+tagSize], l.tag(id[:headSize], t.Name))
	})
}
