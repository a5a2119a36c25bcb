package quantity_test

import (
	"fmt"
	"math/big"
	"strings"
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
		{"1-inch piece", double, "2-inch piece"}, {"  2 cups", double, "  4 cups"}, {"999999999999 g", double, "1999999999998 g"}, {"0.0001 g", tenth, "0.00001 g"},
		{"0.0001 g", half, "0.00005 g"}, {"0,0001 g", third, "0,000033 g"}, {"0.0008 g", double, "0.0016 g"}, {"1 g", big.NewRat(1, 64), "0.015625 g"}, {"-", double, "-"},
		{"1234567890123456 g", double, "2469135780246912 g"}, {"999999999999999999999999999999 g", double, "1999999999999999999999999999998 g"},
		{"12345678901234567.25 g", double, "24691357802469134.5 g"}, {"0.1234567890123456789 g", double, "0.2469135780246913578 g"}, {"12345678901234567 1/2 cups", double, "24691357802469135 cups"},
		{"1/10000 cup", double, "0.0002 cup"}, {"0,125 kg", double, "0,25 kg"}, {"1,2345 l", double, "2,469 l"}, {"1234567890123456½ cups", double, "2469135780246913 cups"}, {"1,234,567,890,123,456,789 g", double, "2469135780246913578 g"},
		{"1.000,5 g", double, "1.000,5 g"}, {"1.000.000 g", double, "1.000.000 g"}, {"1,000,00 g", double, "1,000,00 g"}, {"2-1.000,5 g", double, "2-1.000,5 g"}, {"1/2/3", double, "1/2/3"},
		{strings.Repeat("1", 31) + " g", double, strings.Repeat("1", 31) + " g"}, {"0." + strings.Repeat("1", 31) + " g", double, "0." + strings.Repeat("1", 31) + " g"},
		{"2 g.", double, "4 g."}, {"3, chopped", double, "6, chopped"}, {"3,chopped", double, "6,chopped"},
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
