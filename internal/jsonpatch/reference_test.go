package jsonpatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
)

// The tests' own RFC 6902: on trees, written for plainness, and sharing
// nothing with the package.

func decode(text []byte) any {
	v, err := tryDecode(text)
	if err != nil {
		panic(fmt.Sprintf("%v in %s", err, text))
	}
	return v
}

func tryDecode(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more text")
	}
	return v, nil
}

func same(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, same)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	}
	return a == b // numbers by their text
}

func clone(v any) any {
	switch x := v.(type) {
	case []any:
		c := make([]any, len(x))
		for i := range x {
			c[i] = clone(x[i])
		}
		return c
	case map[string]any:
		c := make(map[string]any, len(x))
		for k := range x {
			c[k] = clone(x[k])
		}
		return c
	}
	return v
}

func tokensOf(p string) ([]string, error) {
	if p == "" {
		return nil, nil
	}
	if p[0] != '/' {
		return nil, errors.New("no slash")
	}
	ts := strings.Split(p[1:], "/")
	for i, t := range ts {
		if s := strings.ReplaceAll(strings.ReplaceAll(t, "~0", ""), "~1", ""); strings.Contains(s, "~") {
			return nil, errors.New("bad tilde")
		}
		ts[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return ts, nil
}

func indexOf(t string, n int) (int, error) {
	i, err := strconv.Atoi(t)
	if err != nil || i < 0 || i >= n || strconv.Itoa(i) != t {
		return 0, fmt.Errorf("bad index %q", t)
	}
	return i, nil
}

func at(doc any, tokens []string) (any, error) {
	for _, t := range tokens {
		switch x := doc.(type) {
		case []any:
			i, err := indexOf(t, len(x))
			if err != nil {
				return nil, err
			}
			doc = x[i]
		case map[string]any:
			v, ok := x[t]
			if !ok {
				return nil, fmt.Errorf("no %q", t)
			}
			doc = v
		default:
			return nil, errors.New("no container")
		}
	}
	return doc, nil
}

// with returns doc after f changed the container that tokens' last one is of.
func with(doc any, tokens []string, f func(parent any, last string) (any, error)) (any, error) {
	if len(tokens) == 1 {
		return f(doc, tokens[0])
	}
	child, err := at(doc, tokens[:1])
	if err != nil {
		return nil, err
	}
	child, err = with(child, tokens[1:], f)
	if err != nil {
		return nil, err
	}
	switch x := doc.(type) {
	case []any:
		i, _ := strconv.Atoi(tokens[0])
		x[i] = child
	case map[string]any:
		x[tokens[0]] = child
	}
	return doc, nil
}

func add(doc any, tokens []string, v any) (any, error) {
	if len(tokens) == 0 {
		return v, nil
	}
	return with(doc, tokens, func(parent any, last string) (any, error) {
		switch x := parent.(type) {
		case []any:
			if last == "-" {
				return append(x, v), nil
			}
			i, err := indexOf(last, len(x)+1)
			if err != nil {
				return nil, err
			}
			return slices.Insert(x, i, v), nil
		case map[string]any:
			x[last] = v
			return x, nil
		}
		return nil, errors.New("no container")
	})
}

func remove(doc any, tokens []string) (any, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	return with(doc, tokens, func(parent any, last string) (any, error) {
		switch x := parent.(type) {
		case []any:
			i, err := indexOf(last, len(x))
			if err != nil {
				return nil, err
			}
			return slices.Delete(x, i, i+1), nil
		case map[string]any:
			if _, ok := x[last]; !ok {
				return nil, fmt.Errorf("no %q", last)
			}
			delete(x, last)
			return x, nil
		}
		return nil, errors.New("no container")
	})
}

// reference applies a patch. doc is used up.
func reference(doc any, p agui.Patch) (any, error) {
	for i, op := range p {
		var err error
		if doc, err = referenceOp(doc, op); err != nil {
			return nil, fmt.Errorf("operation %d, %s %q: %w", i, op.Op, op.Path, err)
		}
	}
	return doc, nil
}

func referenceOp(doc any, op agui.Operation) (any, error) {
	tokens, err := tokensOf(op.Path)
	if err != nil {
		return nil, err
	}
	from, err := tokensOf(op.From)
	if err != nil {
		return nil, err
	}
	var value any
	switch op.Op {
	case agui.OpAdd, agui.OpReplace, agui.OpTest:
		if value, err = tryDecode(op.Value); err != nil {
			return nil, err
		}
	}
	switch op.Op {
	case agui.OpAdd:
		return add(doc, tokens, value)
	case agui.OpRemove:
		return remove(doc, tokens)
	case agui.OpReplace:
		if _, err := at(doc, tokens); err != nil {
			return nil, err
		}
		if len(tokens) > 0 {
			if parent, _ := at(doc, tokens[:len(tokens)-1]); parent != nil {
				if x, ok := parent.([]any); ok {
					i, _ := strconv.Atoi(tokens[len(tokens)-1])
					x[i] = value
					return doc, nil
				}
			}
		}
		return add(doc, tokens, value)
	case agui.OpMove:
		v, err := at(doc, from)
		if err != nil {
			return nil, err
		}
		if op.From == op.Path {
			return doc, nil
		}
		if strings.HasPrefix(op.Path, op.From+"/") {
			return nil, errors.New("into itself")
		}
		if doc, err = remove(doc, from); err != nil {
			return nil, err
		}
		return add(doc, tokens, v)
	case agui.OpCopy:
		v, err := at(doc, from)
		if err != nil {
			return nil, err
		}
		return add(doc, tokens, clone(v))
	case agui.OpTest:
		v, err := at(doc, tokens)
		if err != nil {
			return nil, err
		}
		if !same(v, value) {
			return nil, errors.New("differs")
		}
		return doc, nil
	}
	return nil, errors.New("no operation")
}
