package arguments_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/internal/arguments"
)

// However arguments come, they are whole when they are a JSON object.
func TestText(t *testing.T) {
	pieces := []string{"{", "}", "[", "]", `"`, `\`, `"a"`, ":", ",", "1", " ", "\n", `"}"`, `{"a":[1,{"b":"}\""}]}`, "x"}
	wholes := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 4))
		var a arguments.Text
		text := ""
		for range 1 + r.IntN(6) {
			piece := pieces[r.IntN(len(pieces))]
			a.Add(piece)
			text += piece
			want := strings.HasPrefix(strings.TrimLeft(text, " \n"), "{") && json.Valid([]byte(text))
			if a.Whole() != want {
				t.Fatalf("%q: whole is %v", text, a.Whole())
			}
			if want {
				wholes++
			}
		}
		if a.String() != text {
			t.Fatalf("the text is %q, want %q", a.String(), text)
		}
	}
	if wholes < 100 {
		t.Errorf("only %d were whole", wholes)
	}
}
