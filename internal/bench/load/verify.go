package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/internal/bench/script"
)

type event struct {
	Type      string          `json:"type"`
	MessageID string          `json:"messageId"`
	Delta     json.RawMessage `json:"delta"`
	Snapshot  any             `json:"snapshot"`
}

type op struct {
	Op, Path, From string
	Value          any
}

// verify checks a whole run's body: order of the lifecycle, the text, the final state.
func verify(body []byte, w string, s *script.Script) error {
	var want strings.Builder
	switch w {
	case "w1":
		for _, d := range s.W1.Deltas {
			want.WriteString(d)
		}
	case "w2":
		for _, st := range s.W2.Steps {
			want.WriteString(st.Text)
		}
	}
	var text strings.Builder
	var state any
	var types []string
	for _, block := range bytes.Split(body, []byte("\n\n")) {
		var data []byte
		for _, l := range bytes.Split(block, []byte("\n")) {
			if d, ok := bytes.CutPrefix(l, []byte("data:")); ok {
				data = append(data, bytes.TrimPrefix(d, []byte(" "))...)
			}
		}
		if len(data) == 0 {
			continue
		}
		var ev event
		if err := json.Unmarshal(data, &ev); err != nil {
			return fmt.Errorf("%w in %.200q", err, data)
		}
		types = append(types, ev.Type)
		switch ev.Type {
		case "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK":
			var d string
			if err := json.Unmarshal(ev.Delta, &d); err != nil {
				return err
			}
			text.WriteString(d)
		case "STATE_SNAPSHOT":
			state = ev.Snapshot
		case "STATE_DELTA":
			var ops []op
			if err := json.Unmarshal(ev.Delta, &ops); err != nil {
				return err
			}
			for _, o := range ops {
				var err error
				if state, err = apply(state, o); err != nil {
					return fmt.Errorf("%s %s: %w", o.Op, o.Path, err)
				}
			}
		case "RUN_ERROR":
			return fmt.Errorf("RUN_ERROR %s", data)
		}
	}
	if len(types) < 4 || types[0] != "RUN_STARTED" || types[len(types)-1] != "RUN_FINISHED" {
		return fmt.Errorf("%d events, not from RUN_STARTED to RUN_FINISHED", len(types))
	}
	if text.String() != want.String() {
		return fmt.Errorf("text differs: %d bytes for %d", text.Len(), want.Len())
	}
	if w == "w2" {
		var final any
		if err := json.Unmarshal(s.W2.Final, &final); err != nil {
			return err
		}
		if !reflect.DeepEqual(state, final) {
			return fmt.Errorf("the final state differs")
		}
	}
	return nil
}

// apply is RFC 6902 without test.
func apply(doc any, o op) (any, error) {
	switch o.Op {
	case "add", "replace", "remove":
		return edit(doc, tokens(o.Path), o.Op, o.Value)
	case "move", "copy":
		v, err := get(doc, tokens(o.From))
		if err != nil {
			return nil, err
		}
		if o.Op == "move" {
			if doc, err = edit(doc, tokens(o.From), "remove", nil); err != nil {
				return nil, err
			}
		} else {
			b, _ := json.Marshal(v)
			v = nil
			json.Unmarshal(b, &v)
		}
		return edit(doc, tokens(o.Path), "add", v)
	}
	return nil, fmt.Errorf("op %q", o.Op)
}

func tokens(p string) []string {
	if p == "" {
		return nil
	}
	t := strings.Split(p[1:], "/")
	for i := range t {
		t[i] = strings.ReplaceAll(strings.ReplaceAll(t[i], "~1", "/"), "~0", "~")
	}
	return t
}

func get(doc any, t []string) (any, error) {
	for _, k := range t {
		switch d := doc.(type) {
		case map[string]any:
			doc = d[k]
		case []any:
			i, err := strconv.Atoi(k)
			if err != nil || i >= len(d) {
				return nil, fmt.Errorf("no %q", k)
			}
			doc = d[i]
		default:
			return nil, fmt.Errorf("no %q", k)
		}
	}
	return doc, nil
}

func edit(doc any, t []string, what string, v any) (any, error) {
	if len(t) == 0 {
		return v, nil
	}
	k, last := t[0], len(t) == 1
	switch d := doc.(type) {
	case map[string]any:
		old, ok := d[k]
		if last && what == "add" {
			d[k] = v
			return d, nil
		}
		if !ok {
			return nil, fmt.Errorf("no %q", k)
		}
		if last && what == "remove" {
			delete(d, k)
			return d, nil
		}
		n, err := edit(old, t[1:], what, v)
		d[k] = n
		return d, err
	case []any:
		if last && what == "add" && k == "-" {
			return append(d, v), nil
		}
		i, err := strconv.Atoi(k)
		if err != nil || i < 0 || i > len(d) || i == len(d) && !(last && what == "add") {
			return nil, fmt.Errorf("no %q", k)
		}
		if last && what == "add" {
			d = append(d, nil)
			copy(d[i+1:], d[i:])
			d[i] = v
			return d, nil
		}
		if last && what == "remove" {
			return append(d[:i], d[i+1:]...), nil
		}
		n, err := edit(d[i], t[1:], what, v)
		d[i] = n
		return d, err
	}
	return nil, fmt.Errorf("no %q", k)
}
