package shopcheck

import (
	"maps"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/orders"
)

// ruled compares the amounts of an order that keeps its rules (decisions §26), and that
// have not been kept by recalculate=N: total is the sum of its parts, and each tax is the
// sum of what lines, shipping and surcharge have of it.
func (c *checker) ruled(id int64, o *order, lines orders.Lines, taxes orders.Taxes) {
	is := o.amounts[total] - o.amounts[adjustment]
	of := o.amounts[subtotal] - o.amounts[subtotalDiscount] + o.amounts[shippingCost] + o.amounts[taxSubtotal] + o.amounts[surcharge] - o.amounts[taxExempted]
	if is != of {
		c.found("orders", id, "total less total_adjustment is %s, and its parts have %s", amount(is), amount(of))
	}
	amounts, taxable := map[int64]int64{}, map[int64]int64{}
	for i := range lines {
		tax := int64(0)
		for _, t := range lines[i].Taxes {
			amounts[t.TaxID] += cents(t.Subtotal)
			taxable[t.TaxID] += cents(t.Taxable)
			tax += cents(t.Subtotal)
		}
		if cents(lines[i].Tax) != tax {
			c.found("orders", id, "the line %d has %s tax, and its taxes have %s", lines[i].ItemID, lines[i].Tax, amount(tax))
		}
	}
	for i := range taxes {
		t := &taxes[i]
		for _, s := range []struct {
			what, of string
			is       decimal.Decimal
			sum      int64
		}{
			{"is", "its parts", t.Subtotal, cents(t.Products) + cents(t.Shipping) + cents(t.Surcharge)},
			{"on products is", "the lines", t.Products, amounts[t.TaxID]},
			{"is on products of", "the lines", t.OnGoods, taxable[t.TaxID]},
		} {
			if cents(s.is) != s.sum {
				c.found("orders", id, "the tax %d %s %s, and %s have %s", t.TaxID, s.what, s.is, s.of, amount(s.sum))
			}
		}
		delete(amounts, t.TaxID)
	}
	for _, tax := range slices.Sorted(maps.Keys(amounts)) {
		c.found("orders", id, "lines have the tax %d, and the order has not", tax)
	}
}

// tables are the ids of the tables that orders keep.
func (c *checker) tables() (map[int64]bool, error) {
	there := map[int64]bool{0: true}
	err := c.each("order_rules", []string{"table_id"}, func(r row) error {
		there[r.int(0)] = true
		return nil
	})
	return there, err
}

// kept compares the rules of an order with the tables that exist.
func (c *checker) kept(id int64, r *orders.Rules, tables map[int64]bool) {
	ids := []int64{r.Shipping, r.Payment}
	for _, t := range r.Taxes {
		ids = append(ids, t.Table)
	}
	for _, table := range ids {
		if !tables[table] {
			c.found("orders", id, "keeps the table %d, and order_rules has no such row", table)
		}
	}
}

// cuts compares the shares of the orders of several vendors: they lie one after the other
// in the whole. An order that was deleted leaves a gap.
func (c *checker) cuts(all map[int64]*order) {
	last := map[int64]*orders.Cut{} // by parent
	ids := slices.SortedFunc(maps.Keys(all), func(a, b int64) int { return int(all[a].company - all[b].company) })
	for _, id := range ids {
		cut, parent := all[id].cut, all[id].parent
		if cut == nil || parent == 0 {
			continue
		}
		before := last[parent]
		switch {
		case cut.From.IsNeg() || cut.From.Cmp(cut.To) > 0 || cut.To.Cmp(cut.Of) > 0:
			c.found("orders", id, "its share is from %s to %s of %s", cut.From, cut.To, cut.Of)
		case before != nil && (before.To.Cmp(cut.From) > 0 || !before.Of.Equal(cut.Of)):
			c.found("orders", id, "its share is from %s to %s of %s, and another's ends at %s of %s", cut.From, cut.To, cut.Of, before.To, before.Of)
		}
		last[parent] = cut
	}
}
