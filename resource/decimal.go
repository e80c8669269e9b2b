package resource

import (
	"strconv"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/internal/wire"
)

// NormalizeDecimal gives an amount the decimals of its column. It reports an amount that
// is negative, greater than most or has more decimals, and sets it to 0. Call it in
// [Rules.Normalize], so that amounts are compared in their stored form.
func NormalizeDecimal(problems *shopapi.Problems, field string, amount *decimal.Decimal, scale int, most decimal.Decimal) {
	rules.NormalizeDecimal(problems, field, amount, scale, most)
}

// checkDecimals notes the amounts of a payload that have more decimals than their rules
// allow. A decimal holds 19 digits and has rounded the others away before
// [NormalizeDecimal] sees it.
func (c *collection[T, S]) checkDecimals(problems *shopapi.Problems, payload *shopapi.Payload) {
	for _, rule := range c.rules.Rules() {
		if rule.Amount == nil {
			continue
		}
		checkScale(problems, payload, rule.Field, rule.Amount.Scale)
	}
}

// checkScale notes an amount of a payload that has more decimals than it may.
func checkScale(problems *shopapi.Problems, payload *shopapi.Payload, field string, scale int) {
	text, _ := wire.Text(payload.Raw(field))
	if DecimalPlaces(text) > scale {
		problems.Add(field, "must be a number with at most %d decimals", scale)
	}
}

// DecimalPlaces counts the decimals of a number in text form, without trailing zeros and
// with its exponent; 0 if the text is not a number.
func DecimalPlaces(text string) int {
	if text == "" { // most amounts are not in a payload, and the error of Parse takes long to make
		return 0
	}
	if _, err := decimal.Parse(text); err != nil {
		return 0
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent, _ = strconv.Atoi(text[i+1:]) // Parse accepts only exponents that fit
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "+-0")
	if digits == "" {
		return 0
	}
	zeros := len(digits) - len(strings.TrimRight(digits, "0"))
	return max(0, len(fraction)-zeros-exponent)
}
