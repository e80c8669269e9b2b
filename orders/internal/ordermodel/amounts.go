package ordermodel

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
)

// Amounts are what an order shows.
type Amounts struct {
	Lines        map[int64]*LineAmounts // by item id
	Subtotal     *big.Rat
	LineDiscount *big.Rat // of all lines
	Discount     *big.Rat // subtotal_discount
	ShippingCost *big.Rat
	Surcharge    *big.Rat
	TaxSubtotal  *big.Rat // of the taxes that are added
	TaxIncluded  *big.Rat
	TaxExempted  *big.Rat
	Total        *big.Rat
	Adjustment   *big.Rat // total_adjustment
	Taxes        map[int64][]Charged
}

// LineAmounts are what a line shows.
type LineAmounts struct {
	Subtotal, Share *big.Rat // Share is its part of the order's discount
	Tax, Included   *big.Rat
	Taxes           []Charged
}

// A Charged is what one rate of a tax comes to.
type Charged struct {
	Tax      int64
	Kind     string // P for products, S for shipping, PS for the surcharge
	Rate     Rate
	Included bool
	Taxable  *big.Rat
	Amount   *big.Rat
}

// Errors that a shop answers with 400.
var (
	ErrShipping = errors.New("the shipping method does not fit the address or the weight")
	ErrDiscount = errors.New("a discount is more than what it is taken from")
)

// Compute computes all amounts from the content and the rules. A written shipping cost and
// a written surcharge count, and a written total does not.
func (o *Order) Compute() (*Amounts, error) {
	a := &Amounts{Lines: map[int64]*LineAmounts{}, Discount: o.Discount, Adjustment: new(big.Rat), Taxes: map[int64][]Charged{}}
	lines := slices.SortedFunc(slices.Values(o.Lines), func(a, b Line) int { return cmp.Compare(a.Item, b.Item) })
	var subtotals, discounts []*big.Rat
	for _, l := range lines {
		if l.Discount.Sign() < 0 || l.subtotal().Sign() < 0 {
			return nil, ErrDiscount
		}
		subtotals, discounts = append(subtotals, l.subtotal()), append(discounts, l.Discount)
	}
	a.Subtotal, a.LineDiscount = sum(subtotals...), sum(discounts...)
	if o.Discount.Sign() < 0 || o.Discount.Cmp(a.Subtotal) > 0 {
		return nil, ErrDiscount
	}
	for i, share := range cut(o.Discount, subtotals) {
		a.Lines[lines[i].Item] = &LineAmounts{Subtotal: subtotals[i], Share: share}
	}
	goods := sub(a.Subtotal, o.Discount)

	var err error
	if a.ShippingCost, err = o.shippingCost(lines, a); err != nil {
		return nil, err
	}
	o.taxLines(lines, a)
	shipping := o.taxOne("S", a.ShippingCost, o.Shipping.TaxIDs)
	a.collect(shipping)

	base := add(goods, a.ShippingCost)
	if o.Exempt {
		base = sub(base, a.included())
	}
	a.Surcharge = o.Surcharge
	if a.Surcharge == nil {
		fixed := o.Payment.Amount
		if o.Part != nil {
			fixed = o.Part.of(fixed)
		}
		a.Surcharge = cents(add(fixed, percent(o.Payment.Percent, base)))
	}
	a.collect(o.taxOne("PS", a.Surcharge, o.Payment.TaxIDs))

	a.TaxExempted = new(big.Rat)
	if o.Exempt {
		a.TaxExempted = a.included()
		a.exempt()
	}
	a.sumTaxes()
	a.Total = sub(sum(goods, a.ShippingCost, a.TaxSubtotal, a.Surcharge), a.TaxExempted)
	return a, nil
}

// shippingCost is §18 4 by §20.
func (o *Order) shippingCost(lines []Line, a *Amounts) (*big.Rat, error) {
	if o.ShippingCost != nil {
		return o.ShippingCost, nil
	}
	cost, weight, freight, items := new(big.Rat), new(big.Rat), new(big.Rat), int64(0)
	for _, l := range lines {
		if !l.Ships {
			continue
		}
		amounts := a.Lines[l.Item]
		cost = sum(cost, amounts.Subtotal, new(big.Rat).Neg(amounts.Share))
		weight = add(weight, mul(l.Weight, Int(l.Amount)))
		freight = add(freight, mul(l.Freight, Int(l.Amount)))
		items += l.Amount
	}
	if items == 0 {
		return new(big.Rat), nil
	}
	s := &o.Shipping
	if weight.Cmp(s.MinWeight) < 0 || s.MaxWeight.Sign() > 0 && weight.Cmp(s.MaxWeight) > 0 {
		return nil, ErrShipping
	}
	table, ok := s.destination(o.Destinations)
	if !ok && len(s.Rates) > 0 {
		return nil, ErrShipping
	}
	return cents(sum(freight, charge(table.Cost, cost, cost), charge(table.Weight, weight, cost), charge(table.Items, Int(items), cost))), nil
}

// included is the sum of the included taxes so far.
func (a *Amounts) included() *big.Rat {
	all := new(big.Rat)
	for _, list := range a.Taxes {
		for _, c := range list {
			if c.Included {
				all.Add(all, c.Amount)
			}
		}
	}
	return all
}

func (a *Amounts) collect(list []Charged) {
	for _, c := range list {
		a.Taxes[c.Tax] = append(a.Taxes[c.Tax], c)
	}
}

// exempt makes every tax 0.
func (a *Amounts) exempt() {
	for _, list := range a.Taxes {
		for i := range list {
			list[i].Amount = new(big.Rat)
		}
	}
	for _, l := range a.Lines {
		for i := range l.Taxes {
			l.Taxes[i].Amount = new(big.Rat)
		}
	}
}

func (a *Amounts) sumTaxes() {
	a.TaxSubtotal, a.TaxIncluded = new(big.Rat), a.included()
	for _, list := range a.Taxes {
		for _, c := range list {
			if !c.Included {
				a.TaxSubtotal.Add(a.TaxSubtotal, c.Amount)
			}
		}
	}
	for _, l := range a.Lines {
		l.Tax, l.Included = new(big.Rat), new(big.Rat)
		for _, c := range l.Taxes {
			l.Tax.Add(l.Tax, c.Amount)
			if c.Included {
				l.Included.Add(l.Included, c.Amount)
			}
		}
	}
}

// Sum adds the amounts of the orders of several vendors, as their parent has them.
func Sum(parts ...*Amounts) *Amounts {
	all := &Amounts{Taxes: map[int64][]Charged{}}
	for _, part := range parts {
		all.add(part)
	}
	return all
}

func (a *Amounts) add(b *Amounts) {
	for _, s := range []struct {
		to **big.Rat
		of *big.Rat
	}{
		{&a.Subtotal, b.Subtotal}, {&a.LineDiscount, b.LineDiscount}, {&a.Discount, b.Discount}, {&a.ShippingCost, b.ShippingCost},
		{&a.Surcharge, b.Surcharge}, {&a.TaxSubtotal, b.TaxSubtotal}, {&a.TaxIncluded, b.TaxIncluded}, {&a.TaxExempted, b.TaxExempted},
		{&a.Total, b.Total}, {&a.Adjustment, b.Adjustment},
	} {
		if *s.to == nil {
			*s.to = new(big.Rat)
		}
		*s.to = add(*s.to, s.of)
	}
	for id, list := range b.Taxes {
		for _, c := range list {
			at := slices.IndexFunc(a.Taxes[id], func(other Charged) bool { return other.Kind == c.Kind })
			if at < 0 {
				a.Taxes[id] = append(a.Taxes[id], c)
				slices.SortFunc(a.Taxes[id], func(a, b Charged) int { return place(a.Kind) - place(b.Kind) })
				continue
			}
			both := a.Taxes[id][at]
			both.Amount, both.Taxable = add(both.Amount, c.Amount), add(both.Taxable, c.Taxable)
			a.Taxes[id][at] = both
		}
	}
}

// place is the position of a kind among the rates of a tax.
func place(kind string) int { return slices.Index([]string{"P", "S", "PS"}, kind) }
