package exceptions

// What a product's exceptions are, by its field exceptions_type (specification,
// exceptions).
const (
	Allow  = "A" // only these combinations may be ordered
	Forbid = "F" // these combinations may not be ordered, the default of products
)

// A Selection is what a customer chose: ids of options with the ids of the
// chosen variants. An option without a choice is absent, or 0 as an empty field
// of a form gives.
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
// A product without exceptions may be ordered in every selection, also under A:
// an empty list is how each product begins and how one without options stays, and
// changing the type before the first combination is entered should not take the
// product off sale, which is what the product's status is for.
//
// A type that is not A counts as F. Options of the selection that an exception
// does not name make no difference to it.
func MayOrder(exceptionsType string, exceptions []Exception, s Selection) bool {
	if len(exceptions) == 0 {
		return true
	}
	for _, e := range exceptions {
		if e.Combination.Matches(s) {
			return exceptionsType == Allow
		}
	}
	return exceptionsType != Allow
}

// Matches reports whether each option of the combination is chosen as it says:
// the same variant, any variant for [AnyVariant], none for [NoVariant].
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
