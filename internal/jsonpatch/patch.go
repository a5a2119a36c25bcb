package jsonpatch

import "github.com/aguistate/aguistate/middleware/agui"

// Size returns the length of p as compact JSON, with "op", "from", "path" and
// "value" and the shortest escapes: what the patch costs on the wire.
func Size(p agui.Patch) int {
	size := 1 // the opening bracket; each operation brings the comma or bracket after it
	for i := range p {
		size += opSize(&p[i]) + 1
	}
	return max(size, 2)
}

func opSize(op *agui.Operation) int {
	n := len(`{"op":"","path":""}`) + len(op.Op) + escapedLen(op.Path)
	switch op.Op {
	case agui.OpAdd, agui.OpReplace, agui.OpTest:
		n += len(`,"value":`) + len(op.Value)
		if op.Value == nil {
			n += len("null")
		}
	case agui.OpMove, agui.OpCopy:
		n += len(`,"from":""`) + escapedLen(op.From)
	}
	return n
}
