package aguitest_test

import (
	"context"
	"iter"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// late passes each update on when the next one has come, in place or copied.
func late(copied bool) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				var kept *chat.Update
				for u, err := range next.Stream(ctx, req) {
					if kept != nil && !yield(kept, nil) {
						return
					}
					if err != nil {
						yield(nil, err)
						return
					}
					if kept = u; copied {
						kept = new(*u)
					}
				}
				if kept != nil {
					yield(kept, nil)
				}
			}
		})
	}
}

func TestReuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		copied bool
		chain  func(layer chat.Middleware) chat.Client
		want   string
	}{
		{"a layer that copies", true, func(l chat.Middleware) chat.Client {
			return l(aguitest.Reuse(aguitest.NewModel(aguitest.Text("a", "b"))))
		}, "ab"},
		{"a layer that keeps", false, func(l chat.Middleware) chat.Client {
			return l(aguitest.Reuse(aguitest.NewModel(aguitest.Text("a", "b"))))
		}, "b" + aguitest.Spoiled},
		{"without reuse", false, func(l chat.Middleware) chat.Client {
			return l(aguitest.NewModel(aguitest.Text("a", "b")))
		}, "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := ""
			for u, err := range c.chain(late(c.copied)).Stream(t.Context(), ask("hi")) {
				if err != nil {
					t.Fatal(err)
				}
				text += u.Text
			}
			if text != c.want {
				t.Errorf("said %q, want %q", text, c.want)
			}
		})
	}
}

// A model of a package whose TestMain asks for it reuses its updates.
func TestModelsThatReuse(t *testing.T) {
	defer func() { aguitest.ReuseUpdates = false }()
	aguitest.ReuseUpdates = true
	model := aguitest.NewModel(aguitest.Text("a", "b"), aguitest.Fail(context.DeadlineExceeded))
	var kept []*chat.Update
	for u, err := range model.Stream(t.Context(), ask("hi")) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Text == aguitest.Spoiled {
			t.Error("spoiled before its time")
		}
		kept = append(kept, u)
	}
	if len(kept) != 3 || kept[0] != kept[2] || kept[0].Text != aguitest.Spoiled {
		t.Errorf("kept %d updates, the first says %q", len(kept), kept[0].Text)
	}
	for u, err := range model.Stream(t.Context(), ask("again")) {
		if u != nil || err == nil {
			t.Errorf("a failing model yields %v, %v", u, err)
		}
	}
}
