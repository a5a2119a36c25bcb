package jsonpatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/internal/jsonpatch/pairs"
)

// tagName is a member that no generated document has.
const tagName = "§unknown"

// tagged puts a member that "the type does not know" into every object of a
// compact text, each with a number of its own, first or last in turn.
func tagged(text []byte) []byte {
	var out []byte
	var last []int // of open brackets: the tag to be put at the end, or 0
	n, inString := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if inString {
			out = append(out, c)
			switch c {
			case '\\':
				i++
				out = append(out, text[i])
			case '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '[':
			last = append(last, 0)
		case '{':
			n++
			if n%2 == 0 || text[i+1] == '}' {
				last = append(last, 0)
				out = fmt.Appendf(out, `{"%s":%d`, tagName, n)
				if text[i+1] != '}' {
					out = append(out, ',')
				}
				continue
			}
			last = append(last, n)
		case ']', '}':
			if k := last[len(last)-1]; k > 0 {
				out = fmt.Appendf(out, `,"%s":%d`, tagName, k)
			}
			last = last[:len(last)-1]
		}
		out = append(out, c)
	}
	return out
}

// untagged removes the tags from a tree.
func untagged(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = untagged(x[i])
		}
	case map[string]any:
		delete(x, tagName)
		for k := range x {
			x[k] = untagged(x[k])
		}
	}
	return v
}

// checkKept compares the tags of a result with what had to be kept: those of
// objects that are reached by names only, and in arrays those of as many
// equal elements as there are on both sides.
func checkKept(before, after, doc, result any) error {
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok {
			return nil
		}
		d, r := doc.(map[string]any), result.(map[string]any)
		if d[tagName] != r[tagName] {
			return fmt.Errorf("tag %v became %v", d[tagName], r[tagName])
		}
		for k := range b {
			if _, ok := a[k]; !ok {
				continue
			}
			if err := checkKept(b[k], a[k], d[k], r[k]); err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
		}
	case []any:
		a, ok := after.([]any)
		if !ok {
			return nil
		}
		key := func(v any) string {
			text, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			return string(text)
		}
		type count struct{ before, after, kept int }
		counts := map[string]*count{}
		tags := map[string]map[any]bool{}
		for i, v := range b {
			if _, ok := v.(map[string]any); !ok {
				continue
			}
			k := key(v)
			if counts[k] == nil {
				counts[k], tags[k] = &count{}, map[any]bool{}
			}
			counts[k].before++
			tags[k][doc.([]any)[i].(map[string]any)[tagName]] = true
		}
		for i, v := range a {
			if c := counts[key(v)]; c != nil {
				c.after++
				if tags[key(v)][result.([]any)[i].(map[string]any)[tagName]] {
					c.kept++
				}
			}
		}
		for k, c := range counts {
			if c.kept < min(c.before, c.after) {
				return fmt.Errorf("of %d and %d elements %s, %d kept what was unknown", c.before, c.after, k, c.kept)
			}
		}
	}
	return nil
}

// checkRebase returns the sizes of Edit's patch and of Diff's for the same.
func checkRebase(t testing.TB, doc, before, after []byte) (edit, diff int) {
	t.Helper()
	next, patch, err := jsonpatch.Edit(doc, before, after, nil)
	var unsafe *jsonpatch.UnsafeError
	if err != nil && !errors.As(err, &unsafe) {
		t.Fatalf("Edit: %v\ndoc    %s\nbefore %s\nafter  %s", err, doc, before, after)
	}
	rebased, rebaseErr := jsonpatch.Rebase(doc, before, after, nil)
	if rebaseErr != nil || !bytes.Equal(rebased, next) {
		t.Fatalf("Rebase: %v\n%s\nEdit\n%s", rebaseErr, rebased, next)
	}
	if compact, err := jsonpatch.Check(next); err != nil || !compact {
		t.Fatalf("not compact: %v\ndoc    %s\nbefore %s\nafter  %s\nnext   %s", err, doc, before, after, next)
	}
	if got := untagged(decode(next)); !same(got, decode(after)) {
		t.Fatalf("wrong\ndoc    %s\nbefore %s\nafter  %s\nnext   %s", doc, before, after, next)
	}
	if err := checkKept(decode(before), decode(after), decode(doc), decode(next)); err != nil {
		t.Fatalf("%v\ndoc    %s\nbefore %s\nafter  %s\nnext   %s", err, doc, before, after, next)
	}
	if err == nil {
		got, err := reference(decode(doc), patch)
		if err != nil || !same(got, decode(next)) {
			t.Fatalf("the patch is wrong: %v\ndoc    %s\nbefore %s\nafter  %s\nnext   %s\npatch  %s", err, doc, before, after, next, wire(t, patch))
		}
		direct, err := jsonpatch.Diff(doc, next, nil)
		if err == nil {
			return jsonpatch.Size(patch), jsonpatch.Size(direct)
		}
	}
	return 0, 0
}

func TestRebaseGenerated(t *testing.T) {
	source := pairs.New(*pairSeed + 3)
	count := *pairCount / 2
	if testing.Short() {
		count /= 10
	}
	source.Orderly = true // as marshallings of a type are
	edits, diffs := 0, 0
	for i := range count {
		source.Wide = 0
		if i%50 == 0 {
			source.Wide = 100
		}
		before, after := source.Pair()
		edit, diff := checkRebase(t, tagged(before), before, after)
		edits, diffs = edits+edit, diffs+diff
		switch i % 6 {
		case 0:
			checkRebase(t, before, before, after)
		case 1, 2: // members in another order, strings spelled otherwise
			if bytes.Contains(before, []byte(`"\ud800":`)) {
				continue // a name that encoding/json does not keep
			}
			checkRebase(t, tagged(marshal(decode(before))), before, after)
		}
	}
	t.Logf("patches of Edit %d bytes, of Diff %d", edits, diffs)
	if edits > diffs+diffs/100 {
		t.Errorf("Edit's patches are larger than Diff's: %d bytes, %d", edits, diffs)
	}
}
