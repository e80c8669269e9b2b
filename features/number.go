package features

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/rules"
)

// Numbers have at most ten digits before the point and three after it.
const (
	numberScale = 3
	maxNumber   = 9_999_999_999
)

var numberRule = rules.TenDigits(numberScale)

// parseNumber reads a number, in the one form in which it is shown: without zeros at
// its end.
func parseNumber(text string) (decimal.Decimal, bool) {
	d, err := decimal.Parse(text)
	if err != nil || !rules.Fits(d, numberRule) {
		return decimal.Zero, false
	}
	return d.Trim(0), true
}
