package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Request is one chat-completions request that the server received.
type Request struct {
	ID     int    // 1 for the first since the server was made
	Status int    // the status it was answered with; 0 while that is open
	Body   []byte // as received
}

// MarshalJSON gives the body as JSON, or as a string where it is none.
func (r Request) MarshalJSON() ([]byte, error) {
	body := json.RawMessage(r.Body)
	if !json.Valid(body) {
		body = appendString(nil, string(r.Body))
	}
	return json.Marshal(struct {
		ID     int             `json:"id"`
		Status int             `json:"status"`
		Body   json.RawMessage `json:"body"`
	}{r.ID, r.Status, body})
}

const (
	maxLogged      = 128
	maxLoggedBytes = 16 << 20
)

// requestLog keeps the newest requests within two bounds.
type requestLog struct {
	mu    sync.Mutex
	list  []Request
	bytes int
	last  int           // the newest ID
	grown chan struct{} // closed at the next request
}

func (l *requestLog) add(body []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.list = append(l.list, Request{ID: l.last, Body: body})
	l.bytes += len(body)
	for len(l.list) > 1 && (len(l.list) > maxLogged || l.bytes > maxLoggedBytes) {
		l.bytes -= len(l.list[0].Body)
		l.list = slices.Delete(l.list, 0, 1)
	}
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
	return l.last
}

func (l *requestLog) status(id, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.list {
		if l.list[i].ID == id {
			l.list[i].Status = status
		}
	}
}

func (l *requestLog) all() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Request{}, l.list...) // [] in JSON when there are none
}

func (l *requestLog) wait(ctx context.Context, id int) (Request, error) {
	for {
		l.mu.Lock()
		if id <= l.last {
			defer l.mu.Unlock()
			if i := slices.IndexFunc(l.list, func(r Request) bool { return r.ID == id }); i >= 0 {
				return l.list[i], nil
			}
			return Request{}, fmt.Errorf("standin: request %d is no longer in the log", id)
		}
		if l.grown == nil {
			l.grown = make(chan struct{})
		}
		grown := l.grown
		l.mu.Unlock()
		select {
		case <-grown:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("standin: request %d has not come: %w", id, ctx.Err())
		}
	}
}
