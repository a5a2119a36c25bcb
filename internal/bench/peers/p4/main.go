// p4: the limit. net/http writing events that were encoded before the first request.
// -batch 1: flush per event; -batch N: one flush per N events; -batch 0: one flush at the end.
// -parse: decode the RunAgentInput as a server has to. -hijack: past net/http's writers, one conn.Write per batch.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"

	"net/http"
	"strconv"

	"github.com/aguistate/aguistate/internal/bench/peers/peer"
)

var (
	batch  = flag.Int("batch", 1, "events per flush")
	parse  = flag.Bool("parse", false, "decode the request body")
	hijack = flag.Bool("hijack", false, "write to the connection directly")
)

type input struct {
	ThreadID string          `json:"threadId"`
	RunID    string          `json:"runId"`
	State    json.RawMessage `json:"state"`
	Messages []struct {
		ID, Role string
		Content  json.RawMessage
	} `json:"messages"`
	Tools          []json.RawMessage `json:"tools"`
	Context        []json.RawMessage `json:"context"`
	ForwardedProps json.RawMessage   `json:"forwardedProps"`
}

func frame(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		log.Fatal(err)
	}
	return append(append([]byte("data: "), b...), "\n\n"...)
}

type m = map[string]any

const mid = "3fa85f64-5717-4562-b3fc-2c963f66afa6"

func text(d string) []byte {
	return frame(struct {
		Type  string `json:"type"`
		ID    string `json:"messageId"`
		Delta string `json:"delta"`
	}{"TEXT_MESSAGE_CONTENT", mid, d})
}

// batches joins the frames, n a write.
func batches(frames [][]byte, n int) [][]byte {
	if n == 0 {
		n = len(frames)
	}
	var out [][]byte
	for i := 0; i < len(frames); i += n {
		var b []byte
		for _, f := range frames[i:min(i+n, len(frames))] {
			b = append(b, f...)
		}
		out = append(out, b)
	}
	return out
}

func start(w http.ResponseWriter, r *http.Request) bool {
	if *parse {
		var in input
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), 400)
			return false
		}
	} else {
		io.Copy(io.Discard, r.Body)
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("Connection", "keep-alive")
	return true
}

func play(bs [][]byte) http.HandlerFunc {
	if *hijack {
		return playHijacked(bs)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if !start(w, r) {
			return
		}
		f := w.(http.Flusher)
		for _, b := range bs {
			if _, err := w.Write(b); err != nil {
				return
			}
			f.Flush()
		}
	}
}

// playHijacked frames the chunks itself and closes the connection after the run.
func playHijacked(bs [][]byte) http.HandlerFunc {
	chunks := make([][]byte, len(bs))
	for i, b := range bs {
		c := strconv.AppendInt(nil, int64(len(b)), 16)
		chunks[i] = append(append(append(c, "\r\n"...), b...), "\r\n"...)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if !start(w, r) {
			return
		}
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"))
		for _, b := range chunks {
			if _, err := c.Write(b); err != nil {
				return
			}
		}
		c.Write([]byte("0\r\n\r\n"))
	}
}

func w3(w http.ResponseWriter, r *http.Request) {
	if !start(w, r) {
		return
	}
	pre := []byte("data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"" + mid + "\",\"delta\":\"")
	buf := make([]byte, 0, 128)
	f := w.(http.Flusher)
	w.Write(frame(m{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}))
	w.Write(frame(m{"type": "TEXT_MESSAGE_START", "messageId": mid, "role": "assistant"}))
	f.Flush()
	peer.Ticks(r.Context(), func(d string) error {
		buf = append(append(append(buf[:0], pre...), d...), "\"}\n\n"...)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		f.Flush()
		return nil
	})
}

func main() {
	peer.Init()
	s := peer.Script
	var in input
	if err := json.Unmarshal(s.W2.Input, &in); err != nil {
		log.Fatal(err)
	}
	head := [][]byte{frame(m{"type": "RUN_STARTED", "threadId": in.ThreadID, "runId": in.RunID})}
	open := frame(m{"type": "TEXT_MESSAGE_START", "messageId": mid, "role": "assistant"})
	tail := [][]byte{frame(m{"type": "TEXT_MESSAGE_END", "messageId": mid}),
		frame(m{"type": "RUN_FINISHED", "threadId": in.ThreadID, "runId": in.RunID})}

	e1 := append([][]byte{}, head...)
	e1 = append(e1, open)
	for _, d := range s.W1.Deltas {
		e1 = append(e1, text(d))
	}
	e1 = append(e1, tail...)

	e2 := append([][]byte{}, head...)
	e2 = append(e2, frame(m{"type": "STATE_SNAPSHOT", "snapshot": in.State}), open)
	for _, st := range s.W2.Steps {
		if st.Pub == nil {
			e2 = append(e2, text(st.Text))
		} else {
			e2 = append(e2, frame(m{"type": "STATE_DELTA", "delta": []any{m{"op": st.Pub.Op, "path": st.Pub.Path, "value": st.Pub.Value}}}))
		}
	}
	e2 = append(e2, tail...)
	if len(e1) != s.W1.Events || len(e2) != s.W2.Events {
		log.Fatal(fmt.Sprint(len(e1), len(e2)))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /w1", play(batches(e1, *batch)))
	mux.HandleFunc("POST /w2", play(batches(e2, *batch)))
	mux.HandleFunc("POST /w3", w3)
	log.Fatal((&http.Server{Handler: mux}).Serve(peer.Listen()))
}
