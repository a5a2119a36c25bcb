package aguitest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/aguistate/aguistate/middleware/agui"
)

// readEvents reads an event stream as AG-UI's reference client does: frames
// end with an empty line, their data lines are joined by newlines, comments
// and other fields are skipped.
func readEvents(r io.Reader) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		lines := bufio.NewReader(r)
		var decoder agui.Decoder
		var data []byte
		has := false
		frame := func() bool {
			if !has {
				return true
			}
			e, err := decoder.Decode(data)
			if err != nil {
				yield(nil, fmt.Errorf("aguitest: the frame %q: %w", data, err))
				return false
			}
			data, has = nil, false
			return yield(e, nil)
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, fmt.Errorf("aguitest: the event stream broke off: %w", err))
				return
			}
			line = bytes.TrimSuffix(line, []byte("\n"))
			if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				if has {
					data = append(data, '\n')
				}
				data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
				has = true
			}
			if len(line) == 0 && !frame() {
				return
			}
			if err != nil {
				frame()
				return
			}
		}
	}
}
