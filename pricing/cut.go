package pricing

import (
	"math/big"

	"github.com/govalues/decimal"
)

// Part returns the part of an amount that running sums give to what lies between from and
// to of a whole: amount × to / of less amount × from / of, each rounded to two places, half
// away from zero. of is not 0. The parts of neighbours add up to the part of both.
func Part(amount, from, to, of decimal.Decimal) decimal.Decimal {
	var s sum
	at := func(d decimal.Decimal) decimal.Decimal {
		r := new(big.Rat).Mul(ratOf(amount), ratOf(d))
		return s.fromRat(r.Quo(r, ratOf(of)))
	}
	return s.sub(at(to), at(from))
}
