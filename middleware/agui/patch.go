package agui

import "encoding/json"

// Op names an operation of a JSON Patch (RFC 6902 §4).
type Op string

// The six operations of RFC 6902 §4.
const (
	OpAdd     Op = "add"
	OpRemove  Op = "remove"
	OpReplace Op = "replace"
	OpMove    Op = "move"
	OpCopy    Op = "copy"
	OpTest    Op = "test"
)

// Operation is one step of a [Patch]. Path and From are JSON Pointers
// (RFC 6901): "" is the whole document.
//
// Value is used by add, replace and test, where it is always written, also
// when it is null; the others ignore it. From is used by move and copy only.
type Operation struct {
	Op    Op
	Path  string
	From  string
	Value json.RawMessage
}

// Patch is a JSON Patch document (RFC 6902): operations that apply one after
// the other, all or none. The empty patch is legal and changes nothing; a nil
// Patch is written as [].
type Patch []Operation
