package aguiclient

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// cases reads a fixture file and holds the number of its cases against the
// manifest. The fixtures were made by running the reference implementation.
func cases[T any](t *testing.T, file string) []T {
	t.Helper()
	var manifest struct{ Cases map[string]int }
	readJSON(t, "manifest.json", &manifest)
	var list []T
	readJSON(t, file, &list)
	if want := manifest.Cases[file]; len(list) != want || want == 0 {
		t.Errorf("%s has %d cases, the manifest says %d", file, len(list), want)
	}
	return list
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// value reads JSON into maps and slices. Numbers are compared as numbers: the
// reference writes 1.0 as 1.
func value(t testing.TB, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

func sameJSON(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if !reflect.DeepEqual(value(t, got), value(t, want)) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// deviations are the cases where this client differs from the reference on
// purpose, each with its reason. A listed case that agrees fails.
type deviations map[string]string

// settle reports whether a difference is allowed.
func (d deviations) settle(t *testing.T, name string, differs bool) {
	t.Helper()
	reason, listed := d[name]
	switch {
	case listed && !differs:
		t.Errorf("%s agrees with the reference, and is listed as a deviation (%s)", name, reason)
	case !listed && differs:
		t.Errorf("%s differs from the reference", name)
	}
}

// complete fails when a deviation names no case.
func (d deviations) complete(t *testing.T, names []string) {
	t.Helper()
	for name := range d {
		if !slices.Contains(names, name) {
			t.Errorf("the deviation %q names no case", name)
		}
	}
}

func decodeAll(t testing.TB, raws []json.RawMessage) []agui.Event {
	t.Helper()
	var d agui.Decoder
	var out []agui.Event
	for _, raw := range raws {
		e, err := d.Decode(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		out = append(out, e)
	}
	return out
}

func compacted(t testing.TB, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return b.String()
}

// quietLog is for servers whose handlers are meant to fail.
var quietLog = log.New(io.Discard, "", 0)
