package resource

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// NormalizeDecimal gives an amount the decimals of its column. One that is negative,
// greater than most or has more decimals is noted, and becomes 0. It belongs into
// [Rules.Normalize]: amounts are compared as they would be stored.
func NormalizeDecimal(problems *shopapi.Problems, field string, amount *decimal.Decimal, scale int, most decimal.Decimal) {
	if amount.IsNeg() || amount.Cmp(most) > 0 || amount.MinScale() > scale {
		refuseDecimal(problems, field, scale, most)
		*amount = decimal.Zero
	}
	*amount = amount.Rescale(scale)
}

func refuseDecimal(problems *shopapi.Problems, field string, scale int, most decimal.Decimal) {
	problems.Add(field, "must be a number from 0 to %s with at most %d decimals", most, scale)
}

// CheckDecimals notes the amounts of a payload that have more decimals than their
// columns. A decimal holds 19 digits and has rounded the others away before
// [NormalizeDecimal] sees it.
func CheckDecimals(problems *shopapi.Problems, payload *shopapi.Payload, s *store.Schema) {
	for _, c := range s.Columns {
		if c.Kind != store.Decimal {
			continue
		}
		raw := payload.Raw(c.Name)
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		if DecimalPlaces(text) > c.Scale {
			problems.Add(c.Name, "must be a number with at most %d decimals", c.Scale)
		}
	}
}

// DecimalPlaces counts the decimals that a number has as text, without zeros at its
// end and with its exponent; 0 for what is no number.
func DecimalPlaces(text string) int {
	if _, err := decimal.Parse(text); err != nil {
		return 0
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent, _ = strconv.Atoi(text[i+1:]) // what Parse takes, an int holds
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "+-0")
	if digits == "" {
		return 0
	}
	zeros := len(digits) - len(strings.TrimRight(digits, "0"))
	return max(0, len(fraction)-zeros-exponent)
}
