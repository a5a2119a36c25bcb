package pieces

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/chat"
)

// table is of the tools add, add_all and sub.
func table() *toolname.Table {
	return toolname.New([]chat.Tool{{Name: "add"}, {Name: "add_all"}, {Name: "sub"}})
}

// together feeds the pieces to the calls, and checks what a stream promises: a
// call's first delta, and no other, has its name.
func together(t *testing.T, cs *Calls, list []Piece) (string, error) {
	t.Helper()
	var order []string
	said := map[string]string{}
	take := func(deltas []chat.ToolCallDelta) {
		for _, d := range deltas {
			_, known := said[d.ID]
			if d.ID == "" || known == (d.Name != "") {
				t.Errorf("the delta %+v, of a call that is known: %t", d, known)
			}
			if !known {
				order = append(order, d.ID)
				said[d.ID] = d.Name + " "
			}
			if !utf8.ValidString(d.Arguments) || !utf8.ValidString(d.EncryptedReasoning) {
				t.Errorf("the delta %+v is not UTF-8", d)
			}
			said[d.ID] += d.Arguments
			if d.EncryptedReasoning != "" {
				said[d.ID] += " (" + d.EncryptedReasoning + ")"
			}
		}
	}
	for _, p := range list {
		take(cs.Add(nil, p))
	}
	rest, err := cs.Finish(nil)
	take(rest)
	var out []string
	for _, id := range order {
		out = append(out, id+" "+said[id])
	}
	return made.ReplaceAllString(strings.Join(out, "; "), "-"), err
}

// made matches ids that are made up.
var made = regexp.MustCompile(`call_([0-9a-f]-?){32}`)

// at is a piece with an index.
func at(index int64, id, name, arguments string) Piece {
	return Piece{Index: index, Indexed: true, ID: id, Name: name, Arguments: arguments}
}

// bare is a piece without one.
func bare(id, name, arguments string) Piece { return Piece{ID: id, Name: name, Arguments: arguments} }

func TestCalls(t *testing.T) {
	for name, c := range map[string]struct {
		pieces []Piece
		want   string
		err    error
	}{
		"by the book":                       {pieces: []Piece{at(0, "A", "sub", ""), at(0, "", "", `{"q"`), at(0, "", "", `:1}`)}, want: `A sub {"q":1}`},
		"nothing":                           {pieces: []Piece{{}, at(0, "", "", "")}},
		"no arguments":                      {pieces: []Piece{at(0, "A", "sub", "")}, want: `A sub `},
		"alternating":                       {pieces: []Piece{at(0, "A", "sub", ""), at(1, "B", "sub", ""), at(0, "", "", `{"q":1}`), at(1, "", "", `{"q":2}`)}, want: `A sub {"q":1}; B sub {"q":2}`},
		"an id again":                       {pieces: []Piece{at(0, "A", "sub", `{"q"`), at(0, "A", "", `:1}`)}, want: `A sub {"q":1}`},
		"another id on each piece":          {pieces: []Piece{at(0, "A", "sub", `{"q"`), at(0, "B", "", `:`), at(0, "C", "", `1}`)}, want: `A sub {"q":1}`},
		"an id behind the name":             {pieces: []Piece{at(0, "", "sub", ""), at(0, "A", "", `{}`)}, want: `- sub {}`},
		"an id under another index":         {pieces: []Piece{at(0, "A", "sub", `{"q"`), at(1, "A", "", `:1}`)}, want: `A sub {"q":1}`},
		"an index of nobody":                {pieces: []Piece{at(0, "A", "sub", ""), at(7, "", "", `{}`)}, want: `A sub {}`},
		"two calls of one id":               {pieces: []Piece{bare("A", "sub", `{"q":1}`), bare("A", "sub", `{"q":2}`)}, want: `A sub {"q":1}; A-2 sub {"q":2}`},
		"a call said again":                 {pieces: []Piece{at(0, "A", "sub", `{"q":1}`), at(0, "A", "sub", `{"q":1}`)}, want: `A sub {"q":1}`},
		"a name with every piece":           {pieces: []Piece{at(0, "A", "sub", `{"q"`), at(0, "A", "sub", `:1}`)}, want: `A sub {"q":1}`},
		"all of index 0":                    {pieces: []Piece{at(0, "A", "sub", `{"q":1}`), at(0, "B", "sub", `{"q":2}`)}, want: `A sub {"q":1}; B sub {"q":2}`},
		"all of index 0, ids alone":         {pieces: []Piece{at(0, "A", "", ""), at(0, "", "sub", ""), at(0, "", "", `{}`), at(0, "B", "", ""), at(0, "", "add_all", ""), at(0, "", "", `{}`)}, want: `A sub {}; B add_all {}`},
		"all of index 0, no ids":            {pieces: []Piece{at(0, "", "sub", `{"q":1}`), at(0, "", "sub", `{"q":2}`)}, want: `- sub {"q":1}; - sub {"q":2}`},
		"all of index 0, names alone":       {pieces: []Piece{at(0, "", "sub", ""), at(0, "", "", `{"q":1}`), at(0, "", "sub", ""), at(0, "", "", `{"q":2}`)}, want: `- sub {"q":1}; - sub {"q":2}`},
		"all of index 0, no arguments":      {pieces: []Piece{at(0, "", "sub", ""), at(0, "", "add_all", "")}, want: `- sub ; - add_all `},
		"a name again, and space":           {pieces: []Piece{at(0, "", "sub", `{}`), at(0, "", "sub", ""), at(0, "", "", " \n")}, want: "- sub {} \n"},
		"no index":                          {pieces: []Piece{bare("A", "sub", `{"q"`), bare("", "", `:1}`), bare("B", "sub", `{}`)}, want: `A sub {"q":1}; B sub {}`},
		"no index, no ids":                  {pieces: []Piece{bare("", "sub", `{"q":1}`), bare("", "sub", `{"q":2}`)}, want: `- sub {"q":1}; - sub {"q":2}`},
		"no index, an id, a name":           {pieces: []Piece{bare("A", "", ""), bare("", "sub", ""), bare("", "", `{}`)}, want: `A sub {}`},
		"a name in pieces":                  {pieces: []Piece{at(0, "A", "s", ""), at(0, "", "ub", ""), at(0, "", "", `{}`)}, want: `A sub {}`},
		"a name in pieces, no index":        {pieces: []Piece{bare("", "s", ""), bare("", "ub", ""), bare("", "", `{}`)}, want: `- sub {}`},
		"a name that begins another":        {pieces: []Piece{at(0, "A", "add", ""), at(0, "", "_all", ""), at(1, "B", "add", ""), at(1, "", "", `{}`)}, want: `A add_all ; B add {}`},
		"a name of nobody, in pieces":       {pieces: []Piece{at(0, "A", "mu", ""), at(0, "", "l", ""), at(0, "", "", `{}`)}, want: `A mul {}`},
		"arguments before the name":         {pieces: []Piece{at(0, "A", "", `{"q"`), at(0, "", "sub", ""), at(0, "", "", `:1}`)}, want: `A sub {"q":1}`},
		"arguments cut inside a character":  {pieces: []Piece{at(0, "A", "sub", "\"\xc3"), at(0, "", "", "\xa8\"")}, want: `A sub "è"`},
		"arguments that end in a character": {pieces: []Piece{at(0, "A", "sub", "\"\xc3")}, want: "A sub \"\uFFFD"},
		"encrypted reasoning": {pieces: []Piece{{ID: "A", EncryptedReasoning: "x"}, {Name: "sub"}, {Arguments: "{}"}, {EncryptedReasoning: "y"}},
			want: `A sub  (x){} (y)`},
		"no name": {pieces: []Piece{at(0, "A", "", `{}`)}, err: ErrNameless},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := together(t, &Calls{IDs: chat.NewCallIDs(nil), Names: table()}, c.pieces)
			if got != c.want || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%q, error %v\nwant %q, error %v", got, err, c.want, c.err)
			}
		})
	}
}

// What a caller may ask of the calls while they come in.
func TestAll(t *testing.T) {
	cs := &Calls{IDs: chat.NewCallIDs(nil), Names: table()}
	if len(cs.All()) != 0 {
		t.Error("calls before the first piece")
	}
	cs.Add(nil, at(0, "A", "sub", `{"q":`))
	cs.Add(nil, at(1, "B", "add", ""))
	cs.Add(nil, at(2, "C", "sub", `{}`))
	got := ""
	for _, c := range cs.All() {
		got += fmt.Sprintf("%s %t %t;", c.Name, c.Begun(), c.Complete())
	}
	if want := "sub true false;add false false;sub true true;"; got != want {
		t.Errorf("%s want %s", got, want)
	}
}

// FuzzCalls makes pieces of any bytes: what comes out obeys a stream's laws,
// and the only error is of a name that never came.
func FuzzCalls(f *testing.F) {
	f.Add([]byte{1, 0, 0x12, 2, 0, 0x01, 3, 0, 0x00})
	f.Add([]byte("all of index 0, then of none"))
	f.Add([]byte{0x00, 0x31, 0x55, 0x10, 0x02, 0xff})
	arguments := []string{"", "{", "}", `{"q":1}`, `"\`, "\"\xf0\x9f", "\x8d\xae\"", " "}
	ids, callees := []string{"", "A", "B", "C"}, []string{"", "sub", "add", "_all", "s", "ub", "x", "é"}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []Piece
		for ; len(data) >= 2 && len(list) < 64; data = data[2:] {
			a, b := data[0], data[1]
			list = append(list, Piece{
				Indexed: a&1 != 0, Index: int64(a >> 1 & 3), ID: ids[a>>3&3],
				Name: callees[b&7], Arguments: arguments[b>>3&7],
			})
		}
		cs := &Calls{IDs: chat.NewCallIDs(nil), Names: table()}
		_, err := together(t, cs, list)
		nameless := slices.ContainsFunc(cs.All(), func(c *Call) bool { return c.Name == "" })
		if (err != nil) != nameless || err != nil && err != ErrNameless {
			t.Fatalf("error %v, a call without a name: %t", err, nameless)
		}
	})
}

// FuzzStyles cuts the arguments of three calls, and labels the pieces in the
// ways of servers: the calls come out as they were.
func FuzzStyles(f *testing.F) {
	f.Add("Crème", "🍮", uint8(3), uint8(9))
	f.Add("}{", `\"`, uint8(1), uint8(2))
	f.Add("", "\u2028", uint8(0), uint8(40))
	f.Fuzz(func(t *testing.T, a, b string, i, j uint8) {
		var arguments, want []string
		for n, value := range []string{a, b, a + b} {
			object, err := json.Marshal(map[string]string{"q": value})
			if err != nil {
				t.Fatal(err)
			}
			arguments = append(arguments, string(object))
			want = append(want, fmt.Sprintf("%c sub %s", 'A'+n, object))
		}
		// cut is the n-th call in pieces: its id and name, then its arguments.
		cut := func(n int) (id string, args []string) {
			s := arguments[n]
			x, y := min(int(i), len(s)), min(int(i)+int(j), len(s))
			return string(rune('A' + n)), []string{s[:x], s[x:y], s[y:]}
		}
		styles := map[string]func(n, k int, id, args string) Piece{
			"an id at first": func(n, k int, id, args string) Piece {
				if k == 0 {
					return at(int64(n), id, "sub", args)
				}
				return at(int64(n), "", "", args)
			},
			"an id always":   func(n, k int, id, args string) Piece { return at(int64(n), id, "", args).named(k, "sub") },
			"no index":       func(n, k int, id, args string) Piece { return bare(id, "", args).named(k, "sub") },
			"always index 0": func(n, k int, id, args string) Piece { return at(0, id, "", args).named(k, "sub") },
			"a name always":  func(n, k int, id, args string) Piece { return at(int64(n), id, "sub", args) },
		}
		for style, label := range styles {
			var list []Piece
			for n := range arguments {
				id, args := cut(n)
				for k, s := range args {
					list = append(list, label(n, k, id, s))
				}
			}
			got, err := together(t, &Calls{IDs: chat.NewCallIDs(nil), Names: table()}, list)
			if err != nil || got != strings.Join(want, "; ") {
				t.Errorf("%s: %q, error %v, of %+v", style, got, err, list)
			}
		}
	})
}

// named is the piece with a name, if it is the first of its call.
func (p Piece) named(k int, name string) Piece {
	if k == 0 {
		p.Name = name
	}
	return p
}
