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

// questions are the interrupts for calls that wait for a person.
func (l *loop) questions(ctx context.Context, calls []*turnCall) []agui.Interrupt {
	var out []agui.Interrupt
	for _, call := range calls {
		tool, _ := l.tool(call.Name)
		q := tool.Question
		i := agui.Interrupt{Reason: q.Reason, ToolCallID: call.ID, ResponseSchema: q.Schema}
		var expires time.Time
		if q.Expires > 0 {
			expires = time.Now().Add(q.Expires).Truncate(time.Second)
			i.ExpiresAt = expires.UTC().Format(time.RFC3339)
		}
		if q.Message != nil {
			i.Message = q.Message(call.ToolCall)
		}
		i.ID = l.sign(ctx, call.ToolCall, expires)
		out = append(out, i)
	}
	return out
}

// asks reports whether a call waits for a person. One whose arguments are
// broken does not: nobody could judge it, and the model is told instead.
func (l *loop) asks(call *turnCall) bool {
	tool, known := l.tool(call.Name)
	if !known || tool.Question == nil {
		return false
	}
	arguments, err := objectArguments(call.Arguments)
	if err == nil {
		err = tool.Question.fits(arguments)
	}
	return err == nil && !call.cut
}

// broken reports whether a call waits for nobody because it cannot be asked.
func (l *loop) broken(call *turnCall) bool {
	tool, known := l.tool(call.Name)
	return known && tool.Question != nil && !l.asks(call)
}

// sign makes the id of the interrupt for a call: its expiry, and a code over
// all that the answer must not change.
func (l *loop) sign(ctx context.Context, call agui.ToolCall, expires time.Time) string {
	var unix int64
	if !expires.IsZero() {
		unix = expires.Unix()
	}
	head := binary.BigEndian.AppendUint64(nil, uint64(unix))
	head = append(head, argumentsHash(call.Arguments)...)
	return questionPrefix + base64.RawURLEncoding.EncodeToString(l.code(ctx, call, head))
}

const (
	hashSize = 16
	headSize = 8 + hashSize // expiry and the arguments' hash
)

// argumentsHash stands for the arguments in an id: an answer may have changed
// them in the history, and its replay must still be known.
func argumentsHash(arguments string) []byte {
	sum := sha256.Sum256([]byte(arguments))
	return sum[:hashSize]
}

// code returns the head of an id followed by its code.
func (l *loop) code(ctx context.Context, call agui.ToolCall, head []byte) []byte {
	thread := ""
	if in, ok := InputFrom(ctx); ok {
		thread = in.ThreadID
	}
	mac := hmac.New(sha256.New, l.o.Key)
	mac.Write(head)
	for _, part := range []string{thread, call.ID, call.Name} {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return mac.Sum(slices.Clone(head))
}

// signature is what the id of an interrupt says of a call.
type signature struct {
	expires time.Time
	// unchanged says that the arguments are those that the person saw.
	unchanged bool
}

// signed reads an interrupt id; false when it was not made for the call.
func (l *loop) signed(ctx context.Context, id string, call agui.ToolCall) (s signature, ok bool) {
	text, ok := strings.CutPrefix(id, questionPrefix)
	if !ok {
		return s, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) != headSize+sha256.Size || !hmac.Equal(raw, l.code(ctx, call, raw[:headSize:headSize])) {
		return s, false
	}
	if unix := int64(binary.BigEndian.Uint64(raw)); unix != 0 {
		s.expires = time.Unix(unix, 0)
	}
	s.unchanged = bytes.Equal(raw[8:headSize], argumentsHash(call.Arguments))
	return s, true
}
