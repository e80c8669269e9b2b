package exceptions

import "github.com/shopapi/shopapi/products"

// A Selection is a customer's choice: ids of options with the ids of the chosen
// variants. An option without a choice is absent, or 0, as an empty form field gives.
type Selection map[int64]int64

// MayOrder reports whether a product may be ordered with the selection, given its
// exceptions_type and all its exceptions.
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
// Any type other than A counts as F. Options of the selection that an exception does not
// name do not affect it.
func MayOrder(exceptionsType string, exceptions []Exception, s Selection) bool {
	if len(exceptions) == 0 {
		return true
	}
	for _, e := range exceptions {
		if e.Combination.Matches(s) {
			return exceptionsType == products.Allow
		}
	}
	return exceptionsType != products.Allow
}

// Matches reports whether the selection has the variant of each option of the
// combination: the same one, any for [AnyVariant], none for [NoVariant].
func (c Combination) Matches(s Selection) bool {
	for option, wanted := range c {
		chosen := s[option]
		switch {
		case wanted == AnyVariant && chosen > 0:
		case wanted == NoVariant && chosen <= 0:
		case wanted > 0 && chosen == wanted:
		default:
			return false
		}
	}
	return true
}
