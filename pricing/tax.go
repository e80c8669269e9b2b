package pricing

import (
	"cmp"
	"slices"

	"github.com/govalues/decimal"
)

// A Tax applies to the lines, and to the shipping, whose TaxIDs name it, by the
// rates that fit the address of the order ([Choose]).
type Tax struct {
	ID       int64
	Priority int64 // a tax of higher priority is also computed on taxes of lower priority
	Included bool  // in prices

	// Products and Shipping are the rates that fit, nil where none does.
	Products, Shipping *TaxRate
}

// A TaxRate is a percentage, or a value for each piece, or for the shipping.
type TaxRate struct {
	Value decimal.Decimal
	Fixed bool
}

// TaxAmounts are the amounts of one tax.
type TaxAmounts struct {
	ID       int64
	Subtotal decimal.Decimal // of products and shipping
	Products decimal.Decimal
	Shipping decimal.Decimal
	Lines    []decimal.Decimal // by line, Products in parts
}

// tax computes the taxes of an order.
func (s *sum) tax(o *Order, a *Amounts) {
	amounts := make([]TaxAmounts, len(o.Taxes))
	applied := make([]bool, len(o.Taxes))
	for i := range amounts {
		amounts[i] = TaxAmounts{ID: o.Taxes[i].ID, Products: zero, Shipping: zero, Lines: make([]decimal.Decimal, len(o.Lines))}
		for l := range amounts[i].Lines {
			amounts[i].Lines[l] = zero
		}
	}
	for l := range o.Lines {
		rate := func(t *Tax) *TaxRate { return t.Products }
		for i, tax := range s.taxesOn(o, a.Lines[l].Goods, o.Lines[l].Amount, o.Lines[l].TaxIDs, rate) {
			applied[i] = true
			amounts[i].Lines[l] = tax
			amounts[i].Products = s.add(amounts[i].Products, tax)
			a.Lines[l].Tax = s.add(a.Lines[l].Tax, tax)
		}
	}
	if o.Shipping != nil {
		rate := func(t *Tax) *TaxRate { return t.Shipping }
		for i, tax := range s.taxesOn(o, a.ShippingCost, 1, o.Shipping.TaxIDs, rate) {
			applied[i] = true
			amounts[i].Shipping = tax
		}
	}
	a.TaxSubtotal = zero
	for i := range amounts {
		if !applied[i] {
			continue
		}
		amounts[i].Subtotal = s.add(amounts[i].Products, amounts[i].Shipping)
		a.Taxes = append(a.Taxes, amounts[i])
		if !o.Taxes[i].Included {
			a.TaxSubtotal = s.add(a.TaxSubtotal, amounts[i].Subtotal)
		}
	}
}

// An applicable tax is one of an order, by its index, with the rate that fits.
type applicable struct {
	index int
	*Tax
	rate *TaxRate
}

// taxesOn computes the taxes on one base, such as a line, by their indexes. The taxes
// that prices include are taken out of the base first, without regard to added ones.
// Then each added tax is computed on the net and the taxes of lower priorities.
func (s *sum) taxesOn(o *Order, base decimal.Decimal, pieces int64, ids []int64, rateOf func(*Tax) *TaxRate) map[int]decimal.Decimal {
	var taxes []applicable
	for i := range o.Taxes {
		t := &o.Taxes[i]
		rate := rateOf(t)
		if rate == nil || !slices.Contains(ids, t.ID) || o.TaxExempt && !t.Included {
			continue
		}
		taxes = append(taxes, applicable{i, t, rate})
	}
	slices.SortStableFunc(taxes, func(a, b applicable) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
	})

	amounts := map[int]decimal.Decimal{}
	below := s.takeOut(base, pieces, taxes, amounts) // net and the taxes of lower priorities
	for group := range priorities(taxes) {
		onGroup := below
		for _, t := range group {
			if !t.Included {
				tax := s.percent(onGroup, t.rate.Value)
				if t.rate.Fixed {
					tax = s.times(t.rate.Value, pieces)
				}
				amounts[t.index] = s.bounded(Round(tax))
			}
			below = s.add(below, amounts[t.index])
		}
	}
	return amounts
}

// takeOut takes the taxes that a price includes out of it, from the highest priority
// down, and returns the net. Net and taxes are the price, to the cent.
func (s *sum) takeOut(price decimal.Decimal, pieces int64, taxes []applicable, amounts map[int]decimal.Decimal) (net decimal.Decimal) {
	net = price
	for _, group := range slices.Backward(slices.Collect(priorities(taxes))) {
		var percents []applicable
		rates := decimal.Hundred
		for _, t := range group {
			switch {
			case !t.Included:
			case t.rate.Fixed: // at most the remaining amount
				tax := s.bounded(Round(s.times(t.rate.Value, pieces)))
				if tax.Cmp(net) > 0 {
					tax = net
				}
				amounts[t.index] = tax
				net = s.sub(net, tax)
			default:
				percents = append(percents, t)
				rates = s.add(rates, t.rate.Value)
			}
		}
		if len(percents) == 0 {
			continue
		}
		remains := Round(s.quo(s.mul(net, decimal.Hundred), rates))
		rest := s.sub(net, remains)
		last := len(percents) - 1 // the highest id gets the remainder
		for _, t := range percents[:last] {
			amounts[t.index] = Round(s.percent(remains, t.rate.Value))
			rest = s.sub(rest, amounts[t.index])
		}
		amounts[percents[last].index] = rest
		net = remains
	}
	return net
}

// priorities yields the taxes of each priority, which they are sorted by.
func priorities(taxes []applicable) func(func([]applicable) bool) {
	return func(yield func([]applicable) bool) {
		for len(taxes) > 0 {
			n := 1
			for n < len(taxes) && taxes[n].Priority == taxes[0].Priority {
				n++
			}
			if !yield(taxes[:n]) {
				return
			}
			taxes = taxes[n:]
		}
	}
}

// A Place is where an address lies, as far as taxes ask.
type Place struct{ Country, State, Zipcode string }

// An AreaRate is the rate of a tax in an area. Empty parts fit everywhere.
type AreaRate struct {
	Area     Place
	Shipping bool // it is for shipping, else for products
	TaxRate
}

// Choose returns the best rate for a place, or nil. A rate with the zipcode wins over one
// without; then a rate with the state, then one with the country. Among equal rates the
// first wins.
func Choose(rates []AreaRate, at Place, shipping bool) *TaxRate {
	best, rank := -1, -1
	for i, r := range rates {
		fits := func(named, is string) bool { return named == "" || named == is }
		if r.Shipping != shipping || !fits(r.Area.Country, at.Country) || !fits(r.Area.State, at.State) || !fits(r.Area.Zipcode, at.Zipcode) {
			continue
		}
		named := 0
		for i, part := range []string{r.Area.Country, r.Area.State, r.Area.Zipcode} {
			if part != "" {
				named |= 1 << i
			}
		}
		if named > rank {
			best, rank = i, named
		}
	}
	if best < 0 {
		return nil
	}
	return &rates[best].TaxRate
}
