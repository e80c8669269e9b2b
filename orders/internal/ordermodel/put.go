package ordermodel

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// A Change is the content of a PUT. Fields that are nil were not sent.
type Change struct {
	Entries           []Entry
	Payment, Shipping *int64
	Discount          *big.Rat
	Billing, To       *Address
	Exempt            *bool

	ShippingCost, Surcharge           *big.Rat
	ClearShippingCost, ClearSurcharge bool // "" was sent
	Total                             *big.Rat

	KeepSums bool // recalculate=N
	Reprice  bool // reprice=Y
}

// Put changes the order as a PUT does. An error leaves it as it was.
func (o *Order) Put(today *Shop, c Change) error {
	shown, err := o.Show()
	if err != nil {
		return err
	}
	next := o.clone()
	if c.Reprice && o.Currency != today.Currency {
		return ErrCurrency
	}
	changed, err := next.apply(today, c, shown)
	if err != nil {
		return err
	}
	addressed := c.address(o)
	if addressed {
		next.setAddress(today, c)
	}
	total := c.Total
	if total != nil && total.Cmp(shown.Total) == 0 {
		total = nil
	}
	if !changed && addressed {
		before, err := o.Compute()
		if err != nil {
			return err
		}
		after, err := next.Compute()
		if err != nil {
			return err
		}
		changed = !before.equal(after)
		switch {
		case c.KeepSums: // taxes are kept as they are shown, with the rates of the former address
			changed = true
		case !changed && next.Stands != nil && next.Stands.equal(before): // nothing was kept but rates
			next.Stands = nil
		}
	}
	if changed {
		full, err := next.Compute()
		if err != nil {
			return err
		}
		if c.KeepSums { // no computation: a written total stays
			next.Stands = keepSums(shown, full, c)
		} else {
			next.Total, next.Stands = nil, nil
		}
	}
	if total != nil {
		next.Total = total
	}
	if now, err := next.Show(); err != nil {
		return err
	} else if now.Total.Sign() < 0 {
		return ErrTotal
	}
	*o = *next
	return nil
}

// apply applies the sent fields that differ, without addresses. It reports whether there
// were any.
func (o *Order) apply(today *Shop, c Change, shown *Amounts) (changed bool, err error) {
	if c.Payment != nil && *c.Payment != o.Payment.ID {
		p, ok := today.Payments[*c.Payment]
		if !ok || p.Disabled {
			return false, ErrMethod
		}
		if o.Currency != today.Currency && !differs(c.Surcharge, shown.Surcharge) {
			return false, ErrCurrency
		}
		o.Payment, o.Surcharge, changed = *p, nil, true
	}
	if c.Shipping != nil && *c.Shipping != o.Shipping.ID {
		s, ok := today.Shippings[*c.Shipping]
		if !ok || s.Disabled {
			return false, ErrMethod
		}
		if o.Currency != today.Currency && !differs(c.ShippingCost, shown.ShippingCost) {
			return false, ErrCurrency
		}
		o.Shipping, o.ShippingCost, changed = *s, nil, true
	}
	if c.Discount != nil && c.Discount.Cmp(shown.Discount) != 0 {
		o.Discount, changed = c.Discount, true
	}
	if c.Exempt != nil && *c.Exempt != o.Exempt {
		o.Exempt, changed = *c.Exempt, true
	}
	if c.Entries != nil {
		lines, differ, err := o.match(today, c.Entries)
		if err != nil {
			return false, err
		}
		if differ {
			o.Lines, changed = lines, true
		}
	}
	if c.Reprice {
		o.reprice(today)
		changed = true
	}
	for _, w := range []struct {
		field       **big.Rat
		sent, shown *big.Rat
		clear       bool
	}{
		{&o.ShippingCost, c.ShippingCost, shown.ShippingCost, c.ClearShippingCost},
		{&o.Surcharge, c.Surcharge, shown.Surcharge, c.ClearSurcharge},
	} {
		switch {
		case w.clear && *w.field != nil:
			*w.field, changed = nil, true
		case differs(w.sent, w.shown):
			*w.field, changed = w.sent, true
		}
	}
	o.keepTaxes(today)
	return changed, nil
}

// differs reports whether an amount was sent that differs from the shown one.
func differs(sent, shown *big.Rat) bool { return sent != nil && sent.Cmp(shown) != 0 }

// reprice takes today's tables of the methods and of all kept taxes.
func (o *Order) reprice(today *Shop) {
	if p, ok := today.Payments[o.Payment.ID]; ok {
		o.Payment = *p
	}
	if s, ok := today.Shippings[o.Shipping.ID]; ok {
		o.Shipping = *s
	}
	for id := range o.Taxes {
		if t, ok := today.Taxes[id]; ok {
			o.Taxes[id] = *t
		}
	}
	o.ShippingCost, o.Surcharge = nil, nil
	o.keepTaxes(today)
}

func (c *Change) address(o *Order) bool {
	return c.Billing != nil && *c.Billing != o.Billing || c.To != nil && *c.To != o.To
}

func (o *Order) setAddress(today *Shop, c Change) {
	if c.Billing != nil {
		o.Billing = *c.Billing
	}
	if c.To != nil && *c.To != o.To {
		o.To, o.Destinations = *c.To, today.destinations(*c.To)
	}
}

// match finds the lines that the entries of a PUT mean.
func (o *Order) match(today *Shop, entries []Entry) (lines []Line, differ bool, err error) {
	priced := map[int]*big.Rat{}
	seen := map[int]bool{}
	for _, e := range entries {
		at, old, err := o.find(lines, e)
		if err != nil {
			return nil, false, err
		}
		if at < 0 {
			at = len(lines)
			if old >= 0 {
				l := o.Lines[old]
				if e.Discount != nil {
					l.Discount = e.Discount
				}
				if e.Price != nil {
					l.Price = e.Price
				}
				if e.Amount != 0 {
					l.Amount = e.Amount
				}
				lines = append(lines, l)
			} else {
				if o.Currency != today.Currency && e.Price == nil {
					return nil, false, ErrCurrency
				}
				if e.Selection == nil {
					e.Selection = Selection{}
				}
				lines = append(lines, today.newLine(e))
			}
		} else {
			lines[at].Amount += e.Amount
			if e.Discount != nil {
				if !seen[at] {
					lines[at].Discount = new(big.Rat)
				}
				lines[at].Discount = add(lines[at].Discount, e.Discount)
			}
			if e.Price != nil {
				if before := priced[at]; before != nil && before.Cmp(e.Price) != 0 {
					return nil, false, ErrPrice
				}
				lines[at].Price = e.Price
			}
		}
		if e.Price != nil {
			priced[at] = e.Price
		}
		seen[at] = seen[at] || e.Discount != nil
	}
	return lines, !sameLines(o.Lines, lines), nil
}

// find returns the index of the line that an entry means: among the lines entered so far,
// and among the lines of the order. -1 is none.
func (o *Order) find(entered []Line, e Entry) (at, old int, err error) {
	at, old = -1, -1
	if e.Item != 0 {
		old = slices.IndexFunc(o.Lines, func(l Line) bool { return l.Item == e.Item })
		at = slices.IndexFunc(entered, func(l Line) bool { return l.Item == e.Item })
		return at, old, nil
	}
	count := 0
	for i, l := range o.Lines {
		if l.Product == e.Product && (e.Selection == nil || maps.Equal(l.Selection, e.Selection)) {
			old = i
			count++
		}
	}
	if count > 1 {
		return -1, -1, ErrOptions
	}
	selection := e.Selection
	if old >= 0 {
		selection = o.Lines[old].Selection
	}
	if selection == nil {
		selection = Selection{}
	}
	at = slices.IndexFunc(entered, func(l Line) bool { return l.Product == e.Product && maps.Equal(l.Selection, selection) })
	return at, old, nil
}

func sameLines(a, b []Line) bool {
	if len(a) != len(b) {
		return false
	}
	byLine := func(x, y Line) int { return cmp.Compare(x.Item, y.Item) }
	a, b = slices.SortedFunc(slices.Values(a), byLine), slices.SortedFunc(slices.Values(b), byLine)
	return slices.EqualFunc(a, b, func(x, y Line) bool {
		return x.Item == y.Item && x.Amount == y.Amount && x.Price.Cmp(y.Price) == 0 && x.Discount.Cmp(y.Discount) == 0
	})
}

// Show returns what the order shows.
func (o *Order) Show() (*Amounts, error) {
	full, err := o.Compute()
	if err != nil {
		return nil, err
	}
	shown := *full
	if o.Stands != nil {
		shown = *o.Stands
	}
	if o.Total != nil {
		shown.Total = o.Total
	}
	shown.Adjustment = sub(shown.Total, full.Total)
	return &shown, nil
}

// keepSums is what recalculate=N leaves: the sums and taxes that were shown, the lines
// at price × amount less discount, and amounts as they were sent.
func keepSums(shown, full *Amounts, c Change) *Amounts {
	kept := *shown
	kept.Lines = map[int64]*LineAmounts{}
	for item, l := range full.Lines {
		line := *l
		line.Tax, line.Included, line.Taxes = new(big.Rat), new(big.Rat), nil
		if before := shown.Lines[item]; before != nil {
			line.Tax, line.Included, line.Taxes = before.Tax, before.Included, before.Taxes
		}
		kept.Lines[item] = &line
	}
	if c.Discount != nil {
		kept.Discount = c.Discount
	}
	if c.ShippingCost != nil {
		kept.ShippingCost = c.ShippingCost
	}
	if c.Surcharge != nil {
		kept.Surcharge = c.Surcharge
	}
	return &kept
}

// equal says whether two computations have the same sums.
func (a *Amounts) equal(b *Amounts) bool {
	same := func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }
	return same(a.Total, b.Total) && same(a.ShippingCost, b.ShippingCost) && same(a.Surcharge, b.Surcharge) &&
		same(a.TaxSubtotal, b.TaxSubtotal) && same(a.TaxIncluded, b.TaxIncluded) && same(a.TaxExempted, b.TaxExempted) &&
		maps.EqualFunc(a.Taxes, b.Taxes, func(x, y []Charged) bool {
			return slices.EqualFunc(x, y, func(x, y Charged) bool {
				return x.Kind == y.Kind && same(x.Amount, y.Amount) && same(x.Taxable, y.Taxable)
			})
		})
}
