package aguihttp

import (
	"time"

	"github.com/aguistate/aguistate/middleware/chat"
)

// hangUp ends the response under a handler that does not return, behind cut:
// the body of HTTP/1.1 by its last chunk and the end of the connection; the
// stream of HTTP/2, which can only be reset, when the client has had time to
// read. Where the writer can do neither, the response stays open.
func (s *stream) hangUp(chunked bool) {
	if s.limit.alarms {
		time.AfterFunc(obedience/5, func() { _ = chat.Protect(s.reset) })
		return
	}
	s.limit.mu.Lock() // the handler does not return meanwhile
	defer s.limit.mu.Unlock()
	if s.limit.over {
		return
	}
	conn, _, err := s.rc.Hijack()
	if err != nil {
		return
	}
	s.limit.over = true
	if chunked {
		_ = conn.SetWriteDeadline(time.Now().Add(obedience / 5))
		_, _ = conn.Write([]byte("0\r\n\r\n"))
	}
	_ = conn.Close()
}

// reset breaks off a stream of HTTP/2: a deadline that has passed does.
func (s *stream) reset() error {
	s.limit.mu.Lock()
	defer s.limit.mu.Unlock()
	if s.limit.over {
		return nil
	}
	return s.rc.SetWriteDeadline(time.Now())
}
