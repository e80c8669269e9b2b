package ordermodel

import "math/big"

// N reads a number such as "12.50".
func N(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("ordermodel: " + text + " is not a number")
	}
	return r
}

// Int returns a whole number.
func Int(n int64) *big.Rat { return big.NewRat(n, 1) }

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func div(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

// percent returns p percent of a.
func percent(p, a *big.Rat) *big.Rat { return mul(a, mul(p, big.NewRat(1, 100))) }

func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// round rounds to a number of decimal places, half away from zero.
func round(a *big.Rat, places int) *big.Rat { return N(a.FloatString(places)) }

// cents rounds to two places.
func cents(a *big.Rat) *big.Rat { return round(a, 2) }

func exact(a *big.Rat) *big.Rat { return a }

// sum adds numbers up.
func sum(of ...*big.Rat) *big.Rat {
	all := new(big.Rat)
	for _, a := range of {
		all.Add(all, a)
	}
	return all
}

// cut divides an amount in proportion to weights by running sums (decisions §26): a part
// is the rounded amount up to it less the rounded amount before it. Where all weights are
// 0 the last part is the whole.
func cut(amount *big.Rat, weights []*big.Rat) []*big.Rat {
	parts := make([]*big.Rat, len(weights))
	for i, f := range fractions(weights) {
		parts[i] = f.of(amount)
	}
	return parts
}

// A Fraction is the place of a part in a whole: the fraction before it, and the fraction
// at its end.
type Fraction struct{ Before, With *big.Rat }

func (f Fraction) of(amount *big.Rat) *big.Rat {
	return sub(cents(mul(amount, f.With)), cents(mul(amount, f.Before)))
}

func fractions(weights []*big.Rat) []Fraction {
	all, before := sum(weights...), new(big.Rat)
	places := make([]Fraction, len(weights))
	for i, w := range weights {
		if all.Sign() == 0 {
			places[i] = Fraction{Int(0), Int(0)}
			if i == len(weights)-1 {
				places[i] = Fraction{Int(0), Int(1)}
			}
			continue
		}
		with := add(before, w)
		places[i] = Fraction{div(before, all), div(with, all)}
		before = with
	}
	return places
}
