package quantity_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

func TestScale(t *testing.T) {
	half, double, third, tenth := big.NewRat(1, 2), big.NewRat(2, 1), big.NewRat(1, 3), big.NewRat(1, 10)
	for _, tt := range []struct {
		in   string
		f    *big.Rat
		want string
	}{
		{"3", half, "1 1/2"}, {"75 g", half, "37.5 g"}, {"1/3 cup", half, "1/6 cup"}, {"1 ½ cups", third, "½ cups"},
		{"0.1 l", third, "0.033 l"}, {"5", big.NewRat(1, 17), "0.294"}, {"1/0 cup", double, "1/0 cup"}, {"salt, 2 pinches", double, "salt, 2 pinches"},
		{"1-inch piece", double, "2-inch piece"}, {"  2 cups", double, "  4 cups"}, {"999999999999 g", double, "1999999999998 g"}, {"0.0001 g", tenth, "1/100000 g"},
		{"2-3", double, "4-6"}, {"about 1,5 kg", double, "about 3 kg"}, {"1,5 kg", half, "0,75 kg"}, {"1,000 g", double, "2000 g"}, {"to taste", double, "to taste"}, {"", double, ""},
	} {
		if got := quantity.Scale(tt.in, tt.f); got != tt.want {
			t.Errorf("Scale(%q, %s) = %q, want %q", tt.in, tt.f, got, tt.want)
		}
	}
}

func ExampleScale() {
	fmt.Println(quantity.Scale("about 1 1/2 cups", big.NewRat(1, 2)))
	fmt.Println(quantity.Scale("2-3 cloves", big.NewRat(2, 1)))
	fmt.Println(quantity.Scale("to taste", big.NewRat(2, 1)))
	// Output:
	// about 3/4 cups
	// 4-6 cloves
	// to taste
}
