package jsonpatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"
	"github.com/wI2L/jsondiff"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/internal/jsonpatch/pairs"
	"github.com/aguistate/aguistate/middleware/agui"
)

var (
	pairCount = flag.Int("pairs", 20_000, "number of generated pairs to check")
	pairSeed  = flag.Uint64("pairseed", 1, "of the generator of pairs")
)

// wire is the patch as it is sent.
func wire(t testing.TB, p agui.Patch) []byte {
	t.Helper()
	text, err := p.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkPair proves that the patch from old to new is right by three appliers.
func checkPair(t testing.TB, old, new []byte) (size int, ok bool) {
	t.Helper()
	a, b := decode(old), decode(new)
	patch, err := jsonpatch.Diff(old, new, nil)
	if err != nil {
		var unsafe *jsonpatch.UnsafeError
		if errors.As(err, &unsafe) {
			return 0, false
		}
		t.Fatalf("Diff: %v\nold %s\nnew %s", err, old, new)
	}
	text := wire(t, patch)
	if got := jsonpatch.Size(patch); got != len(text) {
		t.Fatalf("Size = %d, but it is %d bytes: %s", got, len(text), text)
	}
	if patch == nil {
		// Equal, but for lone surrogates, which only this package tells apart.
		if !same(a, b) {
			t.Fatalf("no patch\nold %s\nnew %s", old, new)
		}
		return 0, true
	}
	if got, err := reference(a, patch); err != nil || !same(got, b) {
		t.Fatalf("reference applier: %v\nold   %s\nnew   %s\npatch %s\ngot   %v", err, old, new, text, got)
	}
	got, err := jsonpatch.Apply(old, patch)
	if err != nil || !same(decode(got), b) {
		t.Fatalf("Apply: %v\nold   %s\nnew   %s\npatch %s\ngot   %s", err, old, new, text, got)
	}
	other, err := evanphx.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err = other.ApplyWithOptions(old, &evanphx.ApplyOptions{AllowMissingPathOnRemove: false})
	if err != nil || !same(decode(got), b) {
		t.Fatalf("evanphx: %v\nold   %s\nnew   %s\npatch %s\ngot   %s", err, old, new, text, got)
	}
	return len(text), true
}

func TestGeneratedPairs(t *testing.T) {
	source := pairs.New(*pairSeed)
	checked := 0
	count := *pairCount
	if testing.Short() {
		count /= 10
	}
	for i := range count {
		source.Wide = 0
		if i%100 == 0 {
			source.Wide = 500
		}
		old, new := source.Pair()
		if _, ok := checkPair(t, old, new); ok {
			checked++
		}
	}
	t.Logf("%d pairs checked, %d have no safe path", checked, count-checked)
	if checked < count*9/10 {
		t.Errorf("too few pairs: %d of %d", checked, count)
	}
}

func useNumber(text []byte, v any) error {
	d, err := tryDecode(text)
	if err != nil {
		return err
	}
	*v.(*any) = d
	return nil
}

// TestSizeAgainstLCS compares the total size of patches with jsondiff's.
func TestSizeAgainstLCS(t *testing.T) {
	source := pairs.New(*pairSeed + 7)
	ours, theirs := 0, 0
	count := 600
	if testing.Short() {
		count = 100
	}
	for i := range count {
		source.Wide = []int{12, 12, 60, 300}[i%4]
		old, new := source.Pair()
		size, ok := checkPair(t, old, new)
		if !ok {
			continue
		}
		patch, err := jsondiff.CompareJSON(old, new, jsondiff.LCS(), jsondiff.UnmarshalFunc(useNumber))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(patch); err != nil {
			t.Fatal(err)
		}
		if patch != nil {
			ours, theirs = ours+size, theirs+b.Len()-1
			if size > b.Len()-1 && testing.Verbose() && size > (b.Len()-1)*5/4 {
				p, _ := jsonpatch.Diff(old, new, nil)
				t.Logf("larger: %d > %d\nold %.300s\nnew %.300s\n%.400s\n%.400s", size, b.Len()-1, old, new, wire(t, p), b.Bytes())
			}
		}
	}
	t.Logf("ours %d bytes, jsondiff with LCS %d", ours, theirs)
	if ours > theirs {
		t.Errorf("patches of %d bytes; jsondiff with LCS makes %d", ours, theirs)
	}
}
