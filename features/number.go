package features

import "github.com/govalues/decimal"

// Numbers have at most ten digits before the point and three after it.
const (
	numberScale = 3
	maxNumber   = 9_999_999_999
)

// parseNumber reads a number, in the one form in which it is shown: without zeros at
// its end.
func parseNumber(text string) (decimal.Decimal, bool) {
	d, err := decimal.Parse(text)
	if err != nil || d.MinScale() > numberScale {
		return decimal.Zero, false
	}
	whole, _, ok := d.Int64(numberScale)
	if !ok || whole > maxNumber || whole < -maxNumber {
		return decimal.Zero, false
	}
	return d.Trim(0), true
}
