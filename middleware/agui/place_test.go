package agui

import (
	"strings"
	"testing"
)

func TestReasonsNameThePlace(t *testing.T) {
	for pointer, want := range map[string]string{
		"":                                   "the input",
		"/threadId":                          "threadId",
		"/messages/10/content":               "messages[10].content",
		"/0/path":                            "[0].path",
		"/state/a~1b/m~0n/~01":               `state["a/b"]["m~n"]["~1"]`,
		"/state/":                            `state[""]`,
		"/state/1a/b c/é/\n":                 `state.1a["b c"]["é"]["\n"]`,
		"/" + strings.Repeat("a", 41):        `["` + strings.Repeat("a", 40) + `…"]`,
		"/state" + strings.Repeat("/0", 126): "state[0][0][0][0][0]…[0][0][0][0][0][0]",
	} {
		if got := named("the input", pointer); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
}
