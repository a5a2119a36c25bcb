package standin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Fault is a way in which the next answer goes wrong.
type Fault struct {
	// Kind is one of FaultKinds, or "status" with a number from 400 to 599.
	Kind string
	// After is how many chunks are sent before it happens; negative is half of
	// them. The chunk with the finish reason is never among them.
	After int
}

// FaultKinds are the kinds that [Server.InjectFault] knows beside "status500"
// and its like:
//
//   - cut: the body ends without a finish reason and without [DONE];
//   - tear: the body ends within a data line;
//   - abort: the connection breaks;
//   - error: an error object comes in the stream of status 200;
//   - error-late: the same, after the chunk's other members;
//   - error-plain: the error without the "error" member, as vLLM sends it;
//   - hang: nothing more comes until the client leaves;
//   - garbage: a data line that is not JSON;
//   - refuse: the model refuses;
//   - length: the answer is cut at the token limit;
//   - filter: the answer is cut by the content filter.
var FaultKinds = []string{"cut", "tear", "abort", "error", "error-late", "error-plain", "hang", "garbage", "refuse", "length", "filter"}

// status is the HTTP status that a fault of the kind "status…" asks for, or 0.
func (f *Fault) status() int {
	if f == nil {
		return 0
	}
	s, ok := strings.CutPrefix(f.Kind, "status")
	n, err := strconv.Atoi(s)
	if !ok || err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

func (f Fault) check() error {
	if slices.Contains(FaultKinds, f.Kind) || f.status() != 0 {
		return nil
	}
	return fmt.Errorf("standin: there is no fault %q; there are %s, and status400 to status599", f.Kind, strings.Join(FaultKinds, ", "))
}

// faults is the queue of faults to come, one for each request.
type faults struct {
	mu   sync.Mutex
	list []Fault
}

const maxFaults = 1000

func (q *faults) push(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= maxFaults {
		return fmt.Errorf("standin: %d faults are waiting already", maxFaults)
	}
	q.list = append(q.list, f)
	return nil
}

func (q *faults) pop() *Fault {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil
	}
	f := q.list[0]
	q.list = q.list[1:]
	return &f
}

// serverError is what the service says when it is the one to blame.
func serverError(status int) *apiError {
	kind, code, msg := "server_error", "", "The stand-in was told to fail with the status %d."
	if status == 429 {
		kind, code = "requests", "rate_limit_exceeded"
	} else if status < 500 {
		kind = "invalid_request_error"
	}
	return &apiError{status: status, message: fmt.Sprintf(msg, status), kind: kind, code: code}
}

// spoil changes the answer itself, for the faults that are answers.
func (f *Fault) spoil(r reply) reply {
	if f == nil {
		return r
	}
	half := func(s string) string {
		p := pieces(s, r.json)
		return strings.Join(p[:f.at(len(p))], "")
	}
	cut := func(finish string) reply {
		r.text, r.finish = half(r.text), finish
		if len(r.calls) > 0 {
			r.calls = slices.Clone(r.calls[:1])
			r.calls[0].args = half(r.calls[0].args)
		}
		return r
	}
	switch f.Kind {
	case "refuse":
		return reply{refusal: "I'm sorry, but I cannot help with that.", finish: "stop"}
	case "length":
		return cut("length")
	case "filter":
		return cut("content_filter")
	}
	return r
}

// at is how many of n come before the fault.
func (f *Fault) at(n int) int {
	if f.After < 0 {
		return n / 2
	}
	return min(f.After, n)
}

// ending is how a body ends.
type ending int

const (
	endWell ending = iota
	endAbort
	endHang
)

// breakOff changes the frames of a stream, for the faults of the wire. body is
// how many frames come before the finish reason.
func (f *Fault) breakOff(frames []frame, body int, id string) ([]frame, ending) {
	if f == nil || f.status() != 0 {
		return frames, endWell
	}
	n := f.at(body)
	data := func(s string) frame { return frame{data: s, wire: "data: " + s + "\n\n"} }
	failure := `"The stand-in was told to fail in the middle of its answer."`
	head := slices.Clone(frames[:n])
	switch f.Kind {
	case "cut":
		return head, endWell
	case "tear":
		next := frames[n]
		return append(head, frame{data: next.data[:len(next.data)/2], wire: next.wire[:len(next.wire)/2]}), endWell
	case "abort":
		return head, endAbort
	case "hang":
		return head, endHang
	case "error":
		return append(head, data(`{"error":{"message":`+failure+`,"type":"server_error","param":null,"code":null}}`)), endWell
	case "error-late":
		return append(head, data(`{"id":"`+id+`","error":{"message":`+failure+`,"type":"server_error","param":null,"code":null}}`)), endWell
	case "error-plain":
		return append(head, data(`{"object":"error","message":`+failure+`,"type":"InternalServerError","param":null,"code":500}`)), endWell
	case "garbage":
		return append(head, data("<html><body>502 Bad Gateway</body></html>")), endWell
	}
	return frames, endWell
}
