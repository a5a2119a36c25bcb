package partialjson

import (
	"fmt"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	tests := []struct {
		name, old, written, want string
	}{
		{"nothing yet", `{"a":1}`, ``, `{"a":1}`},
		{"nothing old", ``, `{"a":"x`, `{"a":"x"}`},
		{"an open object keeps old members", `{"a":1,"b":2}`, `{`, `{"a":1,"b":2}`},
		{"in old's order", `{"a":1,"b":2,"c":3}`, `{"c":"x","n":0,"a":"y`, `{"a":"y","b":2,"c":"x","n":0}`},
		{"a held member keeps its old value", `{"a":1,"b":2}`, `{"b":3,"a":4`, `{"a":1,"b":3}`},
		{"a growing string replaces", `{"a":"long ago"}`, `{"a":"n`, `{"a":"n"}`},
		{"not before its first character", `{"a":"long ago"}`, `{"a":"`, `{"a":"long ago"}`},
		{"what is closed is exactly the new", `{"a":{"x":1,"y":2},"b":[1,2],"c":0}`, `{"a":{"x":3},"b":[9],`, `{"a":{"x":3},"b":[9],"c":0}`},
		{"what is open is merged", `{"a":{"x":1,"y":{"z":1,"w":2}},"b":0}`, `{"a":{"y":{"w":"n`, `{"a":{"x":1,"y":{"z":1,"w":"n"}},"b":0}`},
		{"an open array keeps what is behind", `["a","b","c"]`, `["x","y`, `["x","y","c"]`},
		{"an empty one keeps all", `["a","b"]`, `[`, `["a","b"]`},
		{"a longer one has no more to keep", `["a"]`, `["x","y","z`, `["x","y","z"]`},
		{"over an empty one", `[]`, `["x`, `["x"]`},
		{"an open element is merged", `[{"a":1,"b":2},{"a":3,"b":4},{"a":5}]`, `[{"a":0},{"a":9,`, `[{"a":0},{"a":9,"b":4},{"a":5}]`},
		{"an open element past the old ones", `[{"a":1}]`, `[{"a":2},{"a":3,`, `[{"a":2},{"a":3}]`},
		{"an array in an array", `[[1,2],[3,4,[5,6]],[7]]`, `[[0],[8,9,[1,`, `[[0],[8,9,[1,6]],[7]]`},
		{"another kind", `{"a":{"x":1},"b":[1],"c":"s"}`, `{"a":[1,`, `{"a":[1],"b":[1],"c":"s"}`},
		{"another kind below", `{"a":{"x":1},"b":[1]}`, `{"b":{"x":{"y":"z`, `{"a":{"x":1},"b":{"x":{"y":"z"}}}`},
		{"a scalar before", `{"a":null,"b":2}`, `{"a":{"x":"y`, `{"a":{"x":"y"},"b":2}`},
		{"another kind at the root", `[1,2]`, `{"a":"x`, `{"a":"x"}`},
		{"a scalar at the root", `null`, `{"a":"x`, `{"a":"x"}`},
		{"a string at the root", `{"a":1}`, `"x`, `"x"`},
		{"closed", `{"a":1,"b":2}`, `{"b":3}`, `{"b":3}`},
		{"digits and escapes are kept", `{"a":1.10,"\u0062":12345678901234567890,"c":"\u00e9\/"}`, `{"n":1e2,"b":3.00,"z":"\u00e9`, `{"a":1.10,"\u0062":3.00,"c":"\u00e9\/","n":1e2,"z":"\u00e9"}`},
		{"brackets in strings", `{"}":"]","a":["{"]}`, `{"a":["}","],`, `{"}":"]","a":["}","],"]}`},
		{"quotes in strings", `{"a\"":"\\","b":1}`, `{"a\"":"\"","c":"\\`, `{"a\"":"\"","b":1,"c":"\\"}`},
		{"an empty name", `{"":1,"a":2}`, `{"":"x`, `{"":"x","a":2}`},
		{"an open member that is new", `{"a":1}`, `{"b":{"c":["x`, `{"a":1,"b":{"c":["x"]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Reader
			if _, err := r.WriteString(tt.written); err != nil {
				t.Fatal(err)
			}
			partial, open := r.Value()
			if got := string(Merge([]byte(tt.old), partial, open)); got != tt.want {
				t.Errorf("%s over %s:\n got %s\nwant %s", partial, tt.old, got, tt.want)
			}
		})
	}
}

func TestMergeManyMembers(t *testing.T) {
	var old, written, want []string
	for i := range 3 * wide {
		old = append(old, fmt.Sprintf(`"n%d":0`, i))
		want = append(want, fmt.Sprintf(`"n%d":1`, i))
		written = append(written, fmt.Sprintf(`"\u006e%d":1`, 3*wide-1-i))
	}
	partial := `{` + strings.Join(written, ",") + `,"new":{}}`
	got := string(Merge([]byte(`{`+strings.Join(old, ",")+`}`), []byte(partial), 1))
	if want := `{` + strings.Join(want, ",") + `,"new":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMergeOfOtherTexts: no promise but to return.
func TestMergeOfOtherTexts(t *testing.T) {
	texts := []string{"", "{", "}", "[", "]", `"`, ",", ":", "{]", "[}", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, "[,]", "[[", "{{}}", "{,}", `{:1}`, `[1 2]`, `\`, `{"\`, "nul"}
	for _, old := range texts {
		for _, partial := range texts {
			for open := -1; open < 4; open++ {
				Merge([]byte(old), []byte(partial), open)
			}
		}
	}
	if got := Merge([]byte(`{"a":1}`), []byte(`{"b":2}`), 2); string(got) != `{"b":2}` {
		t.Errorf("more open than there is: got %s", got)
	}
}
