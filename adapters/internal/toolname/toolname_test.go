package toolname

import (
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/chat"
)

func tools(names ...string) []chat.Tool {
	var list []chat.Tool
	for _, name := range names {
		list = append(list, chat.Tool{Name: name})
	}
	return list
}

func TestTable(t *testing.T) {
	long := strings.Repeat("x", 70)
	offered := []string{"add item", "add_item", "add.item", "", long, long + "y", "sub"}
	table := New(tools(offered...))
	want := []string{"add_item_2", "add_item", "add_item_3", "_", long[:64], long[:62] + "_2", "sub"}
	for i, name := range offered {
		if got := table.Theirs(name); got != want[i] {
			t.Errorf("%q is %q on the wire, want %q", name, got, want[i])
		}
		if got := table.Ours(want[i]); got != name {
			t.Errorf("%q is %q here, want %q", want[i], got, name)
		}
	}
	if got := table.Ours("unknown"); got != "unknown" {
		t.Errorf("an unknown name became %q", got)
	}
	// A name of an earlier conversation is remembered too.
	if w := table.Theirs("sub!"); table.Ours(w) != "sub!" {
		t.Errorf("%q is not known again", w)
	}
}

func TestPiecesOfNames(t *testing.T) {
	table := New(tools("add", "add_all", "sub"))
	for piece, want := range map[string]struct{ settled, begins bool }{
		"a":       {false, true},
		"add":     {false, true}, // or the beginning of add_all
		"add_all": {true, true},
		"sub":     {true, true},
		"subs":    {false, false},
		"x":       {false, false},
	} {
		if got := table.Settled(piece); got != want.settled {
			t.Errorf("%q settled: %t", piece, got)
		}
		if got := table.Begins(piece); got != want.begins {
			t.Errorf("a name begins with %q: %t", piece, got)
		}
	}
}

func TestValid(t *testing.T) {
	for name, want := range map[string]string{"get_a-1": "get_a-1", "Crème brûlée!": "Cr_me_br_l_e_", "": "none", "🍮": "_"} {
		if got := Valid(name, "none"); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}
