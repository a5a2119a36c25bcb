// Package jsonpatch compares, patches and rebases JSON documents on their raw
// text.
package jsonpatch
