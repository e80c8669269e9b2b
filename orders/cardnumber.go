package orders

import "strings"

// A cardScheme is a range of first digits of card numbers, with their lengths.
type cardScheme struct {
	from, to       string // first digits, equally many
	short, longest int    // digits of the whole number
}

// cardSchemes are the ranges of the schemes: see ISO/IEC 7812.
var cardSchemes = []cardScheme{
	{"34", "34", 15, 15}, {"37", "37", 15, 15}, // American Express
	{"300", "305", 14, 19}, {"3095", "3095", 14, 19}, {"36", "36", 14, 19}, {"38", "39", 14, 19}, // Diners Club
	{"3528", "3589", 16, 19},                       // JCB
	{"4", "4", 13, 19},                             // Visa
	{"51", "55", 16, 16}, {"2221", "2720", 16, 16}, // Mastercard
	{"2200", "2204", 16, 19},                   // Mir
	{"50", "50", 12, 19}, {"56", "59", 12, 19}, // Maestro
	{"60", "69", 12, 19},                           // Discover, Maestro, RuPay, UnionPay
	{"81", "82", 16, 19}, {"9792", "9792", 16, 16}, // RuPay, UnionPay, Troy
}

// isCardNumber reports whether a text is the number of a card: apart from spaces and
// hyphens, it has the first digits and the length of a scheme, and its check digit is right.
func isCardNumber(text string) bool {
	digits := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, text)
	if len(digits) < 12 || len(digits) > 19 || strings.Trim(digits, "0123456789") != "" || !passesLuhn(digits) {
		return false
	}
	for _, s := range cardSchemes {
		first := digits[:len(s.from)]
		if s.from <= first && first <= s.to && s.short <= len(digits) && len(digits) <= s.longest {
			return true
		}
	}
	return false
}

// passesLuhn reports whether the last digit is the check digit of the others.
func passesLuhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
