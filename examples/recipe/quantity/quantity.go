// Package quantity reads and scales the amounts of a recipe, which people write
// as they like: "1 1/2 cups", "½ l", "2-3", "about 1,5 kg".
package quantity

import (
	"math/big"
	"regexp"
	"strings"
)

// Pattern matches a number as a recipe writes it: "1 1/2", "1½", "½", "3/4",
// "1,5", "0.25", "2". A comma before three digits parts thousands, unless a zero
// is all that stands before it. It has no groups, to stand in other patterns.
const Pattern = `(?:` + digits + `\s+\d{1,9}\s*[/⁄]\s*\d{1,9}|(?:` + digits + `\s*)?[¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]|` + digits + `\s*[/⁄]\s*\d{1,9}|` +
	digits + `,\d{4,30}|[1-9]\d{0,2}(?:,\d{3}){1,9}(?:\.` + digits + `)?|` + digits + `(?:[.,]` + digits + `)?)`

// digits are as many as a number may have on one side of its point.
const digits = `\d{1,30}`

var (
	leadingRE = regexp.MustCompile(`^(\s*(?:(?i:about|around|approx\.?|approximately|ca\.?|circa|roughly|up to|at least|nearly)\s+|[~≈]\s*)?)(` + Pattern + `)(?:(\s*(?:-|–|—|to|or)\s*)(` + Pattern + `))?`)
	// Number matches a number anywhere.
	Number   = regexp.MustCompile(Pattern)
	onRE     = regexp.MustCompile(`^(?:\d|[.,/⁄]\d)`) // the number goes on
	metricRE = regexp.MustCompile(`^\s*(?i:g|gr|gram|grams|kg|mg|ml|cl|dl|l|liter|liters|litre|litres|°c|c|%)\b`)
)

var vulgar = map[rune]*big.Rat{
	'¼': big.NewRat(1, 4), '½': big.NewRat(1, 2), '¾': big.NewRat(3, 4),
	'⅐': big.NewRat(1, 7), '⅑': big.NewRat(1, 9), '⅒': big.NewRat(1, 10),
	'⅓': big.NewRat(1, 3), '⅔': big.NewRat(2, 3), '⅕': big.NewRat(1, 5),
	'⅖': big.NewRat(2, 5), '⅗': big.NewRat(3, 5), '⅘': big.NewRat(4, 5),
	'⅙': big.NewRat(1, 6), '⅚': big.NewRat(5, 6), '⅛': big.NewRat(1, 8),
	'⅜': big.NewRat(3, 8), '⅝': big.NewRat(5, 8), '⅞': big.NewRat(7, 8),
}

// Style is a way of writing a number; a scaled number is written as the one it
// came from.
type Style int

// The styles: 2, 1 1/2, 1½, 1.5 and 1,5.
const (
	Whole Style = iota
	Fraction
	Vulgar
	Decimal
	Comma
)

// Leading finds the number at the start of an amount. It may follow a word that
// softens it (group 1), and be the start of a range; the numbers are the groups 2
// and 4, in the indexes of [regexp.Regexp.FindStringSubmatchIndex]. It is nil where
// there is no number, or one that [Pattern] does not match to its end, such as
// "1.000,5": half of it would be another number.
func Leading(amount string) []int {
	m := leadingRE.FindStringSubmatchIndex(amount)
	if m == nil || onRE.MatchString(amount[m[1]:]) {
		return nil
	}
	return m
}

// Scale multiplies the leading number of an amount, and the end of a
// range, by factor, exactly. The text around the numbers stays; an amount without
// a [Leading] number is returned as it is.
func Scale(amount string, factor *big.Rat) string {
	m := Leading(amount)
	if m == nil {
		return amount
	}
	part := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return amount[m[2*i]:m[2*i+1]]
	}
	rest := amount[m[1]:]
	metric := metricRE.MatchString(rest)
	scale := func(s string) (string, bool) {
		v, style, ok := Parse(s)
		if !ok {
			return "", false
		}
		return Format(v.Mul(v, factor), style, metric), true
	}
	first, ok := scale(part(2))
	if !ok {
		return amount
	}
	if part(4) == "" {
		return part(1) + first + rest
	}
	second, ok := scale(part(4))
	if !ok {
		return amount
	}
	return part(1) + first + part(3) + second + rest
}

// Parse reads one number of [Pattern]. A zero denominator is no number.
func Parse(s string) (*big.Rat, Style, bool) {
	s = strings.ReplaceAll(strings.TrimSpace(s), "⁄", "/")
	if r, size := lastRune(s); vulgar[r] != nil {
		v := new(big.Rat).Set(vulgar[r])
		if whole := strings.TrimSpace(s[:len(s)-size]); whole != "" {
			w, ok := new(big.Rat).SetString(whole)
			if !ok {
				return nil, 0, false
			}
			v.Add(v, w)
		}
		return v, Vulgar, true
	}
	if num, den, ok := strings.Cut(s, "/"); ok {
		whole := big.NewRat(0, 1)
		if f := strings.Fields(num); len(f) == 2 {
			if _, ok := whole.SetString(f[0]); !ok {
				return nil, 0, false
			}
			num = f[1]
		}
		v, ok := new(big.Rat).SetString(strings.TrimSpace(num) + "/" + strings.TrimSpace(den))
		if !ok {
			return nil, 0, false
		}
		return v.Add(v, whole), Fraction, true
	}
	style := Whole
	switch {
	case thousandsRE.MatchString(s):
		s = strings.ReplaceAll(s, ",", "")
		if strings.Contains(s, ".") {
			style = Decimal
		}
	case strings.Contains(s, ","):
		s, style = strings.Replace(s, ",", ".", 1), Comma
	case strings.Contains(s, "."):
		style = Decimal
	}
	v, ok := new(big.Rat).SetString(s)
	return v, style, ok
}

var thousandsRE = regexp.MustCompile(`^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$`)

func lastRune(s string) (r rune, size int) {
	for _, c := range s {
		r = c
	}
	return r, len(string(r))
}

// maxPlaces are the most decimals that are written.
const maxPlaces = 60

// places is how many decimals v is written with: all it has, if they end, and
// otherwise three, or more where two figures need them.
func places(v *big.Rat) int {
	if n, exact := v.FloatPrec(); exact && n <= maxPlaces {
		return n
	}
	n := 3
	for least := big.NewRat(1, 100); n < maxPlaces && new(big.Rat).Abs(v).Cmp(least) < 0; n++ {
		least.Mul(least, big.NewRat(1, 10))
	}
	return n
}

// Format writes v: whole numbers plainly, others in the style they came
// in, and a whole number that became broken as a kitchen fraction, or as a
// decimal where the unit is metric. Decimals that end are all written.
func Format(v *big.Rat, style Style, metric bool) string {
	if v.IsInt() {
		return v.Num().String()
	}
	kitchen := v.Denom().IsInt64() && v.Denom().Int64() <= 16
	switch {
	case style == Decimal, style == Comma, !kitchen, style == Whole && metric:
		s := v.FloatString(places(v))
		if strings.Contains(s, ".") {
			s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
		}
		if style == Comma {
			s = strings.Replace(s, ".", ",", 1)
		}
		return s
	}
	whole, part := new(big.Int).QuoRem(v.Num(), v.Denom(), new(big.Int))
	frac := new(big.Rat).SetFrac(part, v.Denom())
	if style == Vulgar {
		for r, f := range vulgar {
			if f.Cmp(frac) == 0 {
				if whole.Sign() == 0 {
					return string(r)
				}
				return whole.String() + string(r)
			}
		}
	}
	if whole.Sign() == 0 {
		return frac.RatString()
	}
	return whole.String() + " " + frac.RatString()
}
