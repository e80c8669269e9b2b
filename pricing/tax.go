package pricing

import (
	"cmp"
	"slices"

	"github.com/govalues/decimal"
)

// A Tax applies to the lines, to the shipping and to the surcharge, whose TaxIDs name it,
// by the rates that fit the address of the order ([Choose]).
type Tax struct {
	ID       int64
	Priority int64 // a tax of higher priority is also computed on taxes of lower priority
	Included bool  // in prices

	// Products and Shipping are the rates that fit, nil where none does. The surcharge is
	// taxed by the rate of the shipping.
	Products, Shipping *TaxRate
}

// A TaxRate is a percentage, or a value for each piece, for the shipping or for the
// surcharge.
type TaxRate struct {
	Value decimal.Decimal
	Fixed bool
}

// TaxAmounts are the amounts of one tax.
type TaxAmounts struct {
	ID        int64
	Subtotal  decimal.Decimal // of products, shipping and surcharge
	Products  decimal.Decimal
	Shipping  decimal.Decimal
	Surcharge decimal.Decimal
	Lines     []decimal.Decimal // by line, Products in parts

	// The taxable amounts are the amounts to which the rates were applied: in Products,
	// Shipping, Surcharge and each of Lines.
	ProductsBase, ShippingBase, SurchargeBase decimal.Decimal
	LineBases                                 []decimal.Decimal

	OnLines     []bool // lines that it applies to
	OnShipping  bool
	OnSurcharge bool
}

// A base is an amount that taxes apply to: a line, the shipping or the surcharge.
type base struct {
	amount decimal.Decimal
	pieces int64
	ids    []int64 // of the taxes that it names
}

// A levy is one tax on the bases of one kind.
type levy struct {
	applied  bool
	on       []bool            // by base
	taxes    []decimal.Decimal // by base
	bases    []decimal.Decimal // taxable amounts, by base
	tax      decimal.Decimal   // of all
	taxable  decimal.Decimal
	included bool
}

// newLevies returns a levy of each tax on n bases.
func newLevies(taxes []Tax, n int) []levy {
	levies := make([]levy, len(taxes))
	for i := range levies {
		l := &levies[i]
		l.on, l.taxes, l.bases = make([]bool, n), make([]decimal.Decimal, n), make([]decimal.Decimal, n)
		for b := range n {
			l.taxes[b], l.bases[b] = zero, zero
		}
		l.tax, l.taxable, l.included = zero, zero, taxes[i].Included
	}
	return levies
}

// levy computes all taxes on the bases of one kind. rateOf returns the rate of a tax for
// this kind.
func (s *sum) levy(o *Order, bases []base, rateOf func(*Tax) *TaxRate) []levy {
	levies := newLevies(o.Taxes, len(bases))
	if o.RoundOrder {
		s.levyExact(o, bases, rateOf, levies)
		return levies
	}
	for b := range bases {
		taxes := taxesOn(o, bases[b].ids, rateOf)
		net := s.takeOut(bases[b], taxes)
		s.addTaxes(net, bases[b].pieces, taxes)
		for i := range taxes {
			t := &taxes[i]
			l := &levies[t.index]
			l.applied, l.on[b], l.taxes[b], l.bases[b] = true, true, t.amount, t.taxable
			l.tax, l.taxable = s.add(l.tax, t.amount), s.add(l.taxable, t.taxable)
		}
	}
	return levies
}

// exempt adds the taxes that prices include to the exempted amount of each base, and sets
// them to 0.
func (s *sum) exempt(levies []levy, exempted ...*decimal.Decimal) {
	for i := range levies {
		l := &levies[i]
		if !l.included {
			continue
		}
		l.tax = zero
		for b := range l.taxes {
			*exempted[b] = s.add(*exempted[b], l.taxes[b])
			l.taxes[b] = zero
		}
	}
}

// taxGoods computes the taxes on lines and on shipping.
func (s *sum) taxGoods(o *Order, a *Amounts) (onLines, onShipping []levy) {
	lines := make([]base, len(o.Lines))
	for i := range lines {
		lines[i] = base{a.Lines[i].Goods, o.Lines[i].Amount, o.Lines[i].TaxIDs}
	}
	onLines = s.levy(o, lines, func(t *Tax) *TaxRate { return t.Products })
	var shipping []base
	if o.Shipping != nil {
		shipping = []base{{a.ShippingCost, 1, o.Shipping.TaxIDs}}
	}
	onShipping = s.levy(o, shipping, onShippingRate)
	if o.TaxExempt {
		exempted := make([]*decimal.Decimal, len(a.Lines))
		for i := range a.Lines {
			exempted[i] = &a.Lines[i].Exempted
		}
		s.exempt(onLines, exempted...)
		s.exempt(onShipping, &a.ShippingExempted)
		for i := range a.Lines {
			a.Exempted = s.add(a.Exempted, a.Lines[i].Exempted)
		}
		a.Exempted = s.add(a.Exempted, a.ShippingExempted)
	}
	return onLines, onShipping
}

// taxSurcharge computes the taxes on the surcharge.
func (s *sum) taxSurcharge(o *Order, a *Amounts) []levy {
	levies := s.levy(o, []base{{a.Surcharge, 1, o.Surcharge.TaxIDs}}, onShippingRate)
	if o.TaxExempt {
		s.exempt(levies, &a.SurchargeExempted)
		a.Exempted = s.add(a.Exempted, a.SurchargeExempted)
	}
	return levies
}

func onShippingRate(t *Tax) *TaxRate { return t.Shipping }

// setTaxes sets the amounts of all taxes that apply to anything.
func (s *sum) setTaxes(o *Order, a *Amounts, lines, shipping, surcharge []levy) {
	a.TaxSubtotal, a.TaxIncluded = zero, zero
	for i := range o.Taxes {
		l, sh, su := &lines[i], &shipping[i], &surcharge[i]
		if !l.applied && !sh.applied && !su.applied {
			continue
		}
		t := TaxAmounts{
			ID: o.Taxes[i].ID, Products: l.tax, Shipping: sh.tax, Surcharge: su.tax, Lines: l.taxes,
			ProductsBase: l.taxable, ShippingBase: sh.taxable, SurchargeBase: su.taxable, LineBases: l.bases,
			OnLines: l.on, OnShipping: sh.applied, OnSurcharge: su.applied,
			Subtotal: s.add(l.tax, sh.tax, su.tax),
		}
		for b := range l.taxes {
			a.Lines[b].Tax = s.add(a.Lines[b].Tax, l.taxes[b])
		}
		if l.included {
			a.TaxIncluded = s.add(a.TaxIncluded, t.Subtotal)
		} else {
			a.TaxSubtotal = s.add(a.TaxSubtotal, t.Subtotal)
		}
		a.Taxes = append(a.Taxes, t)
	}
}

// An applicable tax is one of an order, by its index, with the rate that fits one base,
// and with what it amounts to there.
type applicable struct {
	index int
	*Tax
	rate            *TaxRate
	amount, taxable decimal.Decimal
}

// taxesOn returns the taxes that apply to a base that names ids, by priority and id.
func taxesOn(o *Order, ids []int64, rateOf func(*Tax) *TaxRate) []applicable {
	var taxes []applicable
	for i := range o.Taxes {
		t := &o.Taxes[i]
		rate := rateOf(t)
		if rate == nil || !slices.Contains(ids, t.ID) || o.TaxExempt && !t.Included {
			continue
		}
		taxes = append(taxes, applicable{index: i, Tax: t, rate: rate, amount: zero, taxable: zero})
	}
	slices.SortStableFunc(taxes, func(a, b applicable) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
	})
	return taxes
}

// addTaxes computes the added taxes, each on the net and the taxes of lower priorities,
// included ones among them.
func (s *sum) addTaxes(net decimal.Decimal, pieces int64, taxes []applicable) {
	below := net
	for group := range priorities(taxes) {
		onGroup := below
		for i := range group {
			t := &group[i]
			if !t.Included {
				t.taxable = onGroup
				tax := s.percent(onGroup, t.rate.Value)
				if t.rate.Fixed {
					tax = s.times(t.rate.Value, pieces)
				}
				t.amount = s.bounded(Round(tax))
			}
			below = s.add(below, t.amount)
		}
	}
}

// takeOut takes the taxes that an amount includes out of it, from the highest priority
// down, and returns the net. Net and taxes are the amount, to the cent.
func (s *sum) takeOut(b base, taxes []applicable) (net decimal.Decimal) {
	net = b.amount
	for _, group := range slices.Backward(slices.Collect(priorities(taxes))) {
		var percents []*applicable
		rates := decimal.Hundred
		for i := range group {
			t := &group[i]
			switch {
			case !t.Included:
			case t.rate.Fixed: // at most the whole net amount
				tax := s.bounded(Round(s.times(t.rate.Value, b.pieces)))
				if tax.Cmp(net) > 0 {
					tax = net
				}
				t.amount = tax
				net = s.sub(net, tax)
			default:
				percents = append(percents, t)
				rates = s.add(rates, t.rate.Value)
			}
		}
		if len(percents) > 0 {
			remains := Round(s.quo(s.mul(net, decimal.Hundred), rates))
			rest := s.sub(net, remains)
			last := len(percents) - 1 // the highest id, which takes the remainder
			for _, t := range percents[:last] {
				t.amount = Round(s.percent(remains, t.rate.Value))
				rest = s.sub(rest, t.amount)
			}
			percents[last].amount = rest
			net = remains
		}
		for i := range group {
			if group[i].Included {
				group[i].taxable = net
			}
		}
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
