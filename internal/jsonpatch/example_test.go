package jsonpatch_test

import (
	"fmt"

	"github.com/aguistate/aguistate/internal/jsonpatch"
)

// A typed value was edited; its document has more than the type knows. The
// document is changed, and the patch tells a client what changed.
func Example() {
	doc := []byte(`{"theme":"dark","recipe":{"steps":["mix","bake"],"title":"Cake","id":9007199254740993}}`)
	before := []byte(`{"recipe":{"title":"Cake","steps":["mix","bake"]}}`)
	after := []byte(`{"recipe":{"title":"Cake","steps":["preheat","mix","bake"]}}`)

	next, err := jsonpatch.Rebase(doc, before, after, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", next)

	patch, err := jsonpatch.Diff(doc, next, &jsonpatch.Options{MaxBytes: len(next)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, op := range patch {
		fmt.Printf("%s %s %s\n", op.Op, op.Path, op.Value)
	}

	again, err := jsonpatch.Apply(doc, patch)
	fmt.Println(string(again) == string(next), err)
	// Output:
	// {"theme":"dark","recipe":{"steps":["preheat","mix","bake"],"title":"Cake","id":9007199254740993}}
	// add /recipe/steps/0 "preheat"
	// true <nil>
}

func ExampleCompact() {
	_, err := jsonpatch.Compact(nil, []byte(`{"list": [1, {"a": 1, "a": 2}]}`))
	fmt.Println(err)
	// Output:
	// jsonpatch: the name "a" is there twice at offset 22, in "/list/1/a"
}

func ExampleOptions() {
	o := &jsonpatch.Options{Keys: []jsonpatch.Key{{Path: "/tasks", Member: "id"}}}
	doc := []byte(`{"tasks":[{"id":1,"text":"write","color":"red"},{"id":2,"text":"read","color":"blue"}]}`)
	before := []byte(`{"tasks":[{"id":1,"text":"write"},{"id":2,"text":"read"}]}`)
	after := []byte(`{"tasks":[{"id":2,"text":"read twice"},{"id":1,"text":"write"}]}`)
	next, err := jsonpatch.Rebase(doc, before, after, o)
	fmt.Printf("%s %v\n", next, err)
	// Output:
	// {"tasks":[{"id":2,"text":"read twice","color":"blue"},{"id":1,"text":"write","color":"red"}]} <nil>
}
