package schema

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"
)

type Inner struct {
	A int  `json:"a"`
	B *int `json:"b"`
}

type text struct{ s string }

func (t text) MarshalText() ([]byte, error)  { return []byte(t.s), nil }
func (t *text) UnmarshalText(b []byte) error { t.s = string(b); return nil }

type number int

type Word string

type generic[T any] struct {
	V T  `json:"v"`
	P *T `json:"p,omitempty"`
}

// Generic can be embedded by a pointer.
type Generic[T any] struct {
	V T  `json:"v"`
	P *T `json:"p,omitempty"`
}

// The schema of a type takes what the type encodes.
func TestSchemaTakesWhatTheTypeEncodes(t *testing.T) {
	one := 1
	s := "x"
	for name, v := range map[string]any{
		"json.Number":       generic[json.Number]{V: "1e400"},
		"bytes":             generic[[]byte]{V: []byte{1, 2}},
		"named bytes":       generic[json.RawMessage]{V: json.RawMessage(`[1]`)},
		"list of bytes":     generic[[][]byte]{V: [][]byte{{1}}},
		"byte array":        generic[[2]byte]{V: [2]byte{1, 2}},
		"array":             generic[[2]int]{V: [2]int{1, 2}},
		"time":              generic[time.Time]{V: time.Unix(1, 0)},
		"duration":          generic[time.Duration]{V: time.Second},
		"big int":           generic[*big.Int]{V: big.NewInt(7)},
		"big float":         generic[*big.Float]{V: big.NewFloat(7)},
		"big rat":           generic[*big.Rat]{V: big.NewRat(7, 2)},
		"address":           generic[netip.Addr]{V: netip.MustParseAddr("::1")},
		"url":               generic[url.URL]{V: url.URL{Host: "h"}},
		"text":              generic[text]{V: text{"x"}},
		"text keys":         generic[map[text]int]{V: map[text]int{{"x"}: 1}},
		"int keys":          generic[map[int]string]{V: map[int]string{1: "x"}},
		"named number":      generic[number]{V: 1},
		"any":               generic[any]{V: []any{nil, 1.5}},
		"nil any":           generic[any]{},
		"pointer":           generic[*Inner]{V: &Inner{B: &one}},
		"nil pointer":       generic[*Inner]{},
		"pointer to string": generic[*string]{V: &s},
		"uint8":             generic[uint8]{V: 255},
		"uint64":            generic[uint64]{V: 1<<64 - 1},
		"int64":             generic[int64]{V: -1 << 63},
		"string option": struct {
			N int     `json:"n,string"`
			F float64 `json:"f,omitempty,string"`
			B bool    `json:"b,string"`
			S string  `json:"s,string"`
			P *int    `json:"p,string"`
			U uint8   `json:"u,string"`
		}{N: 5, F: 1.5, S: "x", P: &one, U: 255},
		"string option, nil": struct {
			P *int `json:"p,string"`
		}{},
		"enums": struct {
			S string             `json:"s" enum:"a,b"`
			P *string            `json:"p" enum:"x"`
			N *string            `json:"n" enum:"x"`
			L []string           `json:"l" enum:"a"`
			M map[string]string  `json:"m" enum:"a"`
			Q map[string]*string `json:"q" enum:"x"`
		}{"a", &s, nil, []string{"a"}, map[string]string{"k": "a"}, map[string]*string{"k": &s, "n": nil}},
		"embedded": struct {
			Inner
			*Generic[int]
			C string `json:"c"`
		}{Generic: &Generic[int]{V: 1}},
		"embedded, nil": struct{ *Generic[int] }{},
		"embedded with a name": struct {
			Inner `json:"inner"`
		}{},
		"embedded string": struct{ Word }{"x"},
		"a name in the shadow": struct {
			Title int `json:"a"`
			Inner
		}{},
		"interface":  generic[interface{}]{V: map[string]any{"a": 1}},
		"bool":       generic[bool]{V: true},
		"empty list": generic[[]Inner]{V: []Inner{}},
		"map":        generic[map[string]Inner]{V: map[string]Inner{"k": {}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := For(reflect.TypeOf(v))
			if err != nil {
				t.Fatal(err)
			}
			resolved, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			instance, err := Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(instance); err != nil {
				form, _ := json.Marshal(s)
				t.Errorf("%s does not fit %s: %v", text, form, err)
			}
		})
	}
}
