package wire

import (
	"encoding/json"
	"strconv"
	"strings"
)

// ParseWhole reads a number with a whole value: digits with an optional minus sign, or
// decimals and an exponent as JSON writes them, such as 12.0 and 3e0. Programs that keep
// counts as floats write whole numbers in these forms. It returns false for other values,
// such as 12.5, and for values that an int64 does not hold.
func ParseWhole(text string) (n int64, ok bool) {
	if text == "" || text[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return n, true
	}
	digits, ok := wholeDigits(text)
	if !ok {
		return 0, false
	}
	n, err = strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// IsWhole reports whether a text is a number with a whole value as [ParseWhole] reads it, which
// may be too large for an int64.
func IsWhole(text string) bool {
	_, ok := wholeDigits(text)
	return ok
}

// maxExponent bounds the exponents that are read. No int64 needs more; zero does not
// either.
const maxExponent = 99

// wholeDigits rewrites a number with decimals or an exponent as a sign and digits. It
// returns false for a number with a fraction.
func wholeDigits(text string) (digits string, ok bool) {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return "", false
		}
		mantissa = text[:i]
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	before, after, hasPoint := strings.Cut(mantissa, ".")
	if !isDigits(before) || hasPoint && !isDigits(after) {
		return "", false
	}
	all := before + after
	point := len(before) + exponent
	if point > len(all) {
		all += strings.Repeat("0", point-len(all))
	}
	point = max(point, 0)
	if strings.Trim(all[point:], "0") != "" || point == 0 && strings.Trim(all, "0") != "" {
		return "", false
	}
	if negative {
		return "-0" + all[:point], true
	}
	return "0" + all[:point], true
}

// isDigits reports whether a text is one digit or more.
func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// Int reads a JSON number with a whole value, or a text of one: see [ParseWhole].
func Int(raw json.RawMessage) (int64, bool) {
	text, kind := Scalar(raw)
	if kind != Number && kind != String {
		return 0, false
	}
	return ParseWhole(text)
}

// ParseInt reads a whole number in its canonical form, as keys of objects have it: no plus
// sign, no leading zeros.
func ParseInt(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == text
}
