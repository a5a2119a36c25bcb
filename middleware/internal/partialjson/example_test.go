package partialjson_test

import (
	"fmt"
	"reflect"

	"github.com/aguistate/aguistate/middleware/internal/partialjson"
)

func Example() {
	type Recipe struct {
		Title   string `json:"title"`
		Level   string `json:"level" enum:"easy,hard"`
		Minutes int    `json:"minutes"`
	}
	old := []byte(`{"title":"Cake","level":"easy","minutes":30}`)
	r := partialjson.Reader{Shape: partialjson.ShapeOf(reflect.TypeFor[Recipe]()), Prose: true}
	for _, piece := range []string{"```json\n", `{"ti`, `tle":"Fl`, `an","level":"ha`, `rd","minutes":4`, `5}`, "\n```"} {
		step, err := r.WriteString(piece)
		if err != nil {
			fmt.Println(err)
			return
		}
		if step != partialjson.Unchanged {
			text, open := r.Value()
			fmt.Printf("%s\n", partialjson.Merge(old, text, open))
		}
	}
	fmt.Println(r.Close())
	// Output:
	// {"title":"Cake","level":"easy","minutes":30}
	// {"title":"Fl","level":"easy","minutes":30}
	// {"title":"Flan","level":"easy","minutes":30}
	// {"title":"Flan","level":"hard","minutes":30}
	// {"title":"Flan","level":"hard","minutes":45}
	// <nil>
}

func ExampleExtract() {
	object, err := partialjson.Extract("Here you go:\n```json\n{ \"title\": \"Flan\" }\n```\nEnjoy!")
	fmt.Println(string(object), err)
	_, err = partialjson.Extract(`{"ingredients":["egg","mi`)
	fmt.Println(err)
	// Output:
	// {"title":"Flan"} <nil>
	// the JSON is cut off, at offset 25 in /ingredients/1
}
