// Command genpairs prints pairs of documents and the patch between them as
// JSON lines, {"old":…,"new":…,"patch":[…]}, for appliers in other languages
// to check. Pairs for which there is no patch are left out.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/internal/jsonpatch/pairs"
)

func main() {
	n := flag.Int("n", 20_000, "number of pairs")
	seed := flag.Uint64("seed", 1, "of the generator")
	wide := flag.Int("wide", 0, "longest array (default 12)")
	flag.Parse()
	if err := run(os.Stdout, *n, *seed, *wide); err != nil {
		fmt.Fprintln(os.Stderr, "genpairs:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, n int, seed uint64, wide int) error {
	w := bufio.NewWriter(out)
	source := pairs.New(seed)
	source.Wide = wide
	for written := 0; written < n; {
		old, new := source.Pair()
		patch, err := jsonpatch.Diff(old, new, nil)
		if err != nil {
			continue // a token that has no safe path: a snapshot would go out
		}
		text, err := patch.MarshalJSON()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "{\"old\":%s,\"new\":%s,\"patch\":%s}\n", old, new, text); err != nil {
			return err
		}
		written++
	}
	return w.Flush()
}
