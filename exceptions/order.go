package exceptions

import "github.com/shopapi/shopapi/products"

// MayOrder reports whether a product may be ordered with the chosen variants, by the
// ids of their options, given its exceptions_type and all its exceptions. An option
// without a choice is absent or 0.
//
//	exceptions_type  exceptions  one matches  may be ordered
//	F                any         no           yes
//	F                any         yes          no
//	A                none        -            yes
//	A                some        yes          yes
//	A                some        no           no
//
// A product without exceptions may be ordered in every selection, also under A: every
// product begins with an empty list, and one without options keeps it. Changing the type
// before the first combination is entered must not take the product off sale; the
// product's status does that.
//
// Any type other than A counts as F. Chosen options that an exception does not name do
// not affect it.
func MayOrder(exceptionsType string, exceptions []Exception, chosen map[int64]int64) bool {
	if len(exceptions) == 0 {
		return true
	}
	for _, e := range exceptions {
		if e.Combination.Matches(chosen) {
			return exceptionsType == products.Allow
		}
	}
	return exceptionsType != products.Allow
}

// Matches reports whether a choice has the variant of each option of the combination:
// the same one, any for [AnyVariant], none for [NoVariant].
func (c Combination) Matches(chosen map[int64]int64) bool {
	for option, wanted := range c {
		variant := chosen[option]
		switch {
		case wanted == AnyVariant && variant > 0:
		case wanted == NoVariant && variant <= 0:
		case wanted > 0 && variant == wanted:
		default:
			return false
		}
	}
	return true
}
