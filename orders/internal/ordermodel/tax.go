package ordermodel

import (
	"cmp"
	"math/big"
	"slices"
)

// An applied is a tax whose rate fits.
type applied struct {
	*Tax
	rate *Rate
}

// fitting returns the kept taxes that ids name and whose rates fit, by priority and id. An
// order that is exempt from taxes has no added ones.
func (o *Order) fitting(ids []int64, shipping bool) (list []applied) {
	for _, id := range ids {
		t, ok := o.Taxes[id]
		if !ok || t.Disabled || o.Exempt && !t.Included || slices.ContainsFunc(list, func(a applied) bool { return a.ID == id }) {
			continue
		}
		address := o.To
		if t.Billing {
			address = o.Billing
		}
		if rate := t.rateFor(address, shipping); rate != nil {
			list = append(list, applied{&t, rate})
		}
	}
	slices.SortFunc(list, func(a, b applied) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// tax taxes a base of some pieces. Included taxes are taken out from the highest priority
// down; then the added ones are computed on the net and the taxes of lower priorities
// (§20, §26). Every amount passes through rounded.
func tax(kind string, base *big.Rat, pieces int64, taxes []applied, rounded func(*big.Rat) *big.Rat) []Charged {
	charged := make([]Charged, len(taxes))
	for i, t := range taxes {
		charged[i] = Charged{Tax: t.ID, Kind: kind, Rate: *t.rate, Included: t.Included}
	}
	net := base
	for end := len(taxes); end > 0; {
		start := end - 1
		for start > 0 && taxes[start-1].Priority == taxes[start].Priority {
			start--
		}
		net = takeOut(net, pieces, charged[start:end], rounded)
		end = start
	}
	for i, t := range taxes {
		if t.Included {
			continue
		}
		on := net
		for j, lower := range taxes {
			if lower.Priority < t.Priority {
				on = add(on, charged[j].Amount)
			}
		}
		charged[i].Taxable = on
		if t.rate.Fixed {
			charged[i].Amount = rounded(mul(t.rate.Value, Int(pieces)))
		} else {
			charged[i].Amount = rounded(percent(t.rate.Value, on))
		}
	}
	return charged
}

// takeOut takes the included taxes of one priority out of an amount, and returns what
// remains.
func takeOut(from *big.Rat, pieces int64, priority []Charged, rounded func(*big.Rat) *big.Rat) *big.Rat {
	rates, last := Int(1), -1
	for i := range priority {
		c := &priority[i]
		if !c.Included {
			continue
		}
		if c.Rate.Fixed {
			c.Amount = smaller(rounded(mul(c.Rate.Value, Int(pieces))), from)
			from = sub(from, c.Amount)
		} else {
			rates, last = add(rates, percent(c.Rate.Value, Int(1))), i
		}
	}
	net := from
	if last >= 0 {
		net = rounded(div(from, rates))
	}
	left := sub(from, net)
	for i := range priority {
		c := &priority[i]
		if !c.Included {
			continue
		}
		c.Taxable = net
		if c.Rate.Fixed {
			continue
		}
		c.Amount = left
		if i != last {
			c.Amount = rounded(percent(c.Rate.Value, net))
			left = sub(left, c.Amount)
		}
	}
	return net
}

// taxOne taxes the shipping cost or the surcharge.
func (o *Order) taxOne(kind string, base *big.Rat, ids []int64) []Charged {
	if !o.RoundByOrder {
		return tax(kind, base, 1, o.fitting(ids, true), cents)
	}
	charged := tax(kind, base, 1, o.fitting(ids, true), exact)
	for i := range charged {
		charged[i].Amount, charged[i].Taxable = cents(charged[i].Amount), cents(charged[i].Taxable)
	}
	return charged
}

// taxLines taxes the lines, by item id.
func (o *Order) taxLines(lines []Line, a *Amounts) {
	rounded := cents
	if o.RoundByOrder {
		rounded = exact
	}
	of := map[int64][]*Charged{} // by tax, in the order of the lines
	for _, l := range lines {
		amounts := a.Lines[l.Item]
		amounts.Taxes = tax("P", sub(amounts.Subtotal, amounts.Share), l.Amount, o.fitting(l.TaxIDs, false), rounded)
		for i := range amounts.Taxes {
			c := &amounts.Taxes[i]
			of[c.Tax] = append(of[c.Tax], c)
		}
	}
	for id, list := range of {
		all := *list[0]
		var amounts, taxables []*big.Rat
		for _, c := range list {
			amounts, taxables = append(amounts, c.Amount), append(taxables, c.Taxable)
		}
		all.Amount, all.Taxable = cents(sum(amounts...)), cents(sum(taxables...))
		a.Taxes[id] = append(a.Taxes[id], all)
		if !o.RoundByOrder {
			continue
		}
		amounts, taxables = cut(all.Amount, taxables), cut(all.Taxable, taxables)
		for i, c := range list {
			c.Amount, c.Taxable = amounts[i], taxables[i]
		}
	}
}
