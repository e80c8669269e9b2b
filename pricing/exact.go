package pricing

import (
	"math/big"
	"slices"

	"github.com/govalues/decimal"
)

// levyExact computes the taxes on the bases of one kind where each tax is rounded once for
// all of them. Nothing is rounded before; then the tax and its taxable amount are cut over
// the bases.
func (s *sum) levyExact(o *Order, bases []base, rateOf func(*Tax) *TaxRate, levies []levy) {
	taxes := make([]*big.Rat, len(levies))
	taxable := make([][]*big.Rat, len(levies)) // by base
	for i := range levies {
		taxes[i], taxable[i] = new(big.Rat), make([]*big.Rat, len(bases))
	}
	for b := range bases {
		for _, t := range exactTaxes(bases[b], taxesOn(o, bases[b].ids, rateOf)) {
			levies[t.index].applied, levies[t.index].on[b] = true, true
			taxes[t.index].Add(taxes[t.index], t.amount)
			taxable[t.index][b] = t.taxable
		}
	}
	for i := range levies {
		l := &levies[i]
		if !l.applied {
			continue
		}
		all := new(big.Rat)
		for _, on := range taxable[i] {
			if on != nil {
				all.Add(all, on)
			}
		}
		l.tax, l.taxable = s.bounded(s.fromRat(taxes[i])), s.bounded(s.fromRat(all))
		s.cut(l.tax, taxable[i], all, l.taxes)
		s.cut(l.taxable, taxable[i], all, l.bases)
	}
}

// An exactTax is an applicable tax with amounts that are not rounded.
type exactTax struct {
	applicable
	amount, taxable *big.Rat
}

// exactTaxes is takeOut and addTaxes without rounding.
func exactTaxes(b base, applied []applicable) []exactTax {
	taxes := make([]exactTax, len(applied))
	for i := range applied {
		taxes[i] = exactTax{applied[i], new(big.Rat), new(big.Rat)}
	}
	hundred, pieces := big.NewRat(100, 1), new(big.Rat).SetInt64(b.pieces)
	part := func(of *big.Rat, rate *TaxRate) *big.Rat { // by a rate in percent
		return new(big.Rat).Quo(new(big.Rat).Mul(of, ratOf(rate.Value)), hundred)
	}
	var groups [][]exactTax
	for start := 0; start < len(taxes); {
		end := start + 1
		for end < len(taxes) && taxes[end].Priority == taxes[start].Priority {
			end++
		}
		groups = append(groups, taxes[start:end])
		start = end
	}
	net := ratOf(b.amount)
	for _, group := range slices.Backward(groups) {
		rates := big.NewRat(100, 1)
		for i := range group {
			switch t := &group[i]; {
			case !t.Included:
			case t.rate.Fixed:
				if t.amount.Mul(ratOf(t.rate.Value), pieces); t.amount.Cmp(net) > 0 {
					t.amount.Set(net)
				}
				net = new(big.Rat).Sub(net, t.amount)
			default:
				rates.Add(rates, ratOf(t.rate.Value))
			}
		}
		net = new(big.Rat).Quo(new(big.Rat).Mul(net, hundred), rates)
		for i := range group {
			if t := &group[i]; t.Included {
				t.taxable = net
				if !t.rate.Fixed {
					t.amount = part(net, t.rate)
				}
			}
		}
	}
	below := net
	for _, group := range groups {
		onGroup := below
		for i := range group {
			t := &group[i]
			switch {
			case t.Included:
			case t.rate.Fixed:
				t.taxable = onGroup
				t.amount.Mul(ratOf(t.rate.Value), pieces)
			default:
				t.taxable, t.amount = onGroup, part(onGroup, t.rate)
			}
			below = new(big.Rat).Add(below, t.amount)
		}
	}
	return taxes
}

// cut cuts an amount over bases in proportion to weights, of which nil is none, by running
// sums. If all weights are 0, the last base that has one takes it.
func (s *sum) cut(amount decimal.Decimal, weights []*big.Rat, all *big.Rat, into []decimal.Decimal) {
	whole, upTo, before := ratOf(amount), zero, new(big.Rat)
	last := -1
	for i, w := range weights {
		if w == nil {
			continue
		}
		last = i
		if all.Sign() == 0 {
			continue
		}
		before.Add(before, w)
		here := s.fromRat(new(big.Rat).Quo(new(big.Rat).Mul(whole, before), all))
		into[i] = s.sub(here, upTo)
		upTo = here
	}
	if all.Sign() == 0 && last >= 0 {
		into[last] = amount
	}
}

// ratOf is a decimal as a fraction.
func ratOf(d decimal.Decimal) *big.Rat {
	r := new(big.Rat).SetInt(new(big.Int).SetUint64(d.Coef()))
	if d.IsNeg() {
		r.Neg(r)
	}
	return r.Quo(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale())), nil)))
}

// fromRat rounds a fraction to two places, half away from zero.
func (s *sum) fromRat(r *big.Rat) decimal.Decimal {
	n := new(big.Int).Mul(r.Num(), big.NewInt(200))
	half := r.Denom()
	if r.Sign() < 0 {
		half = new(big.Int).Neg(half)
	}
	n.Add(n, half)
	n.Quo(n, new(big.Int).Lsh(r.Denom(), 1)) // towards zero
	if !n.IsInt64() {
		return s.result(zero, ErrTooLarge)
	}
	d, err := decimal.New(n.Int64(), 2)
	return s.result(d, err)
}
