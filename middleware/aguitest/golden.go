package aguitest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

func init() {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write golden files instead of comparing with them")
	}
}

// Updating reports whether the test binary was started with -update.
func Updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// Golden compares events with the file at path, conventionally under testdata
// and ending in .jsonl: one event a line, as [Lines] writes them. With -update
// it writes the file. A difference fails the test and shows the lines.
func Golden(t testing.TB, path string, events []agui.Event) {
	t.Helper()
	lines, err := Lines(events)
	if err != nil {
		t.Error(err)
		return
	}
	GoldenFile(t, path, lines)
}

// GoldenFile compares text with the file at path, or writes it with -update.
func GoldenFile(t testing.TB, path string, got []byte) {
	t.Helper()
	if Updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Error(err)
			return
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v (run the test with -update to write it)", err)
		return
	}
	if bytes.Equal(got, want) {
		return
	}
	t.Errorf("%s differs (- want, + got; -update accepts it):\n%s", path, diffLines(string(want), string(got)))
}

// randomID matches the ids of [agui.NewID], also without their dashes, as
// [chat.CallIDs] has them.
var randomID = regexp.MustCompile(`[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}`)

// Lines writes events as the wire has them, one a line, with what differs from
// run to run made equal: random ids become id-1, id-2… in the order in which
// they appear, and timestamps are left out.
func Lines(events []agui.Event) ([]byte, error) {
	var out []byte
	for i, e := range events {
		if e == nil {
			return nil, fmt.Errorf("aguitest: event %d is nil", i)
		}
		var err error
		if out, err = agui.AppendEvent(out, withoutTimestamp(e)); err != nil {
			return nil, fmt.Errorf("aguitest: event %d, %s: %w", i, e.Type(), err)
		}
		out = append(out, '\n')
	}
	names := map[string]string{}
	return randomID.ReplaceAllFunc(out, func(id []byte) []byte {
		name, ok := names[string(id)]
		if !ok {
			name = fmt.Sprintf("id-%d", len(names)+1)
			names[string(id)] = name
		}
		return []byte(name)
	}), nil
}

// withoutTimestamp returns e, or a copy when it has a timestamp.
func withoutTimestamp(e agui.Event) agui.Event {
	v := reflect.ValueOf(e).Elem()
	if v.FieldByName("Timestamp").IsZero() {
		return e
	}
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	c.Elem().FieldByName("Timestamp").SetZero()
	return c.Interface().(agui.Event)
}
