package state_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// inNode is the publish of a server in Node: the state is marshalled, and read
// back to be kept as what was sent; the two are compared by fast-json-patch and
// the patch is marshalled. Two states alternate, so that each publish has work
// to do. It prints the nanoseconds of CPU for one.
const inNode = `
const { compare } = require("fast-json-patch");
const { a, b, n } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const states = [a, b];
let kept = JSON.parse(JSON.stringify(a)), sink = 0;
const publish = (i) => {
  const text = JSON.stringify(states[i % 2]);
  const next = JSON.parse(text);
  sink += JSON.stringify(compare(kept, next)).length;
  kept = next;
};
for (let i = 1, end = Date.now() + 300; Date.now() < end; i++) publish(i); // compiled by then
const from = process.cpuUsage();
for (let i = 1; i <= n; i++) publish(i);
const used = process.cpuUsage(from);
console.log(((used.user + used.system) * 1000) / n);
`

// benchNode measures the same edit in Node, if it is there.
func benchNode(b *testing.B, size int, edit func(*Sheet, int)) {
	modules, err := filepath.Abs("../../internal/e2e/node_modules")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "fast-json-patch")); err != nil {
		b.Skip("fast-json-patch is not installed")
	}
	before, after := sheet(size), sheet(size)
	edit(&after, 1)
	in, err := json.Marshal(map[string]any{"a": before, "b": after, "n": max(50, min(b.N, 2000))})
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("node", "-e", inNode)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var ns float64
	if err := json.Unmarshal(out, &ns); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(ns, "cpu-ns/op")
	b.ReportMetric(0, "ns/op") // it would be the time to start Node
}
