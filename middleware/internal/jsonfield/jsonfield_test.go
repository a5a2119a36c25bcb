package jsonfield

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
)

type Deep struct {
	Name string `json:"name"`
	Z    int    `json:"z"`
}

type Left struct {
	Deep
	Both string
	Only string `json:"only"`
}

type Right struct {
	Both   string
	Tagged string `json:"tag"`
}

// One and Two embed the same.
type One struct {
	Bare
	A int
}

type Two struct {
	Bare
	B int
}

type Bare struct{ Twin int }

type Word string

type hidden struct{ Shown int }

type named struct {
	Title string `json:"name"`
	Left
	*Right
	Inner Deep `json:"inner"`
	Word
	hidden
	Skipped int `json:"-"`
	private int
}

// The members are those that encoding/json writes, in its order.
func TestOfIsWhatIsWritten(t *testing.T) {
	for _, v := range []any{
		named{Right: &Right{}, private: 1},
		struct {
			Left
			Right
		}{},
		struct {
			Deep `json:"d"`
			Tag  string `json:"Both"`
			Right
		}{},
		struct {
			One
			Two
		}{},
		struct{}{},
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		d := json.NewDecoder(bytes.NewReader(text))
		_, _ = d.Token()
		for d.More() {
			name, _ := d.Token()
			want = append(want, name.(string))
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range Of(reflect.TypeOf(v)) {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%T\n got %v\nwant %v", v, got, want)
		}
	}
}
