package orders

import (
	"fmt"
	"maps"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
)

// cuts returns the parts that the orders of several vendors have of a discount and of a
// fixed surcharge, in proportion to their subtotals. If all are 0, the last order has all.
// It returns nil for one order.
func (p *placing) cuts(groups [][]newLine) []Cut {
	if len(groups) < 2 {
		return nil
	}
	p.asked.past.checkSeveral(p.problems)
	cuts := make([]Cut, len(groups))
	upTo := zero
	for i, group := range groups {
		cuts[i].From = upTo
		for l := range group {
			if cost, err := group[l].Price.Mul(decimal.MustNew(group[l].Amount, 0)); err == nil {
				upTo = plus(upTo, pricing.Round(cost))
			}
		}
		cuts[i].To = upTo
	}
	if d := p.order.SubtotalDiscount; d.IsNeg() || d.Cmp(upTo) > 0 {
		p.problems.Add("subtotal_discount", "must be from 0 to the subtotal, %s", upTo)
		p.order.SubtotalDiscount = zero
	}
	if upTo.IsZero() {
		upTo = decimal.One
		cuts[len(cuts)-1].To = upTo
	}
	for i := range cuts {
		cuts[i].Of = upTo
	}
	return cuts
}

// methods returns which shipping method the order of a company is to have, the i-th of all;
// 0 for none. Methods by company name companies of the order. An array of them, which has
// the keys 0, 1 and so on, names the orders in the order of their companies.
func (p *placing) methods(groups [][]newLine) func(company int64, i int) int64 {
	by := p.asked.ShippingIDs
	if p.asked.ShippingID != 0 || by == nil || len(groups) == 0 || p.api.Edition() != shopapi.MultiVendor {
		return func(company int64, _ int) int64 { return p.asked.shippingFor(company, len(groups) == 1) }
	}
	if namesGroups(by, len(groups)) {
		return func(_ int64, i int) int64 { return by[int64(i)] }
	}
	if wrong := wrongGroup(by, groups); wrong != "" {
		p.problems.Add("shipping_id", "must name companies of the order, or each of its %d product groups from 0: %s", len(groups), wrong)
	}
	return func(company int64, _ int) int64 { return by[company] }
}

// namesGroups reports whether methods name each of n product groups, by the keys 0 to n-1.
func namesGroups(by map[int64]int64, n int) bool {
	for i := range n {
		if _, has := by[int64(i)]; !has {
			return false
		}
	}
	return len(by) == n
}

// wrongGroup says which key of methods is wrong, "" if all are companies of the order. No company
// has the id 0: with this key, all keys are product groups.
func wrongGroup(by map[int64]int64, groups [][]newLine) string {
	keys := slices.Sorted(maps.Keys(by))
	if _, ofGroups := by[0]; ofGroups {
		for i, key := range keys {
			switch {
			case key >= int64(len(groups)):
				return fmt.Sprintf("there is no group %d", key)
			case key != int64(i):
				return fmt.Sprintf("the group %d is missing", i)
			}
		}
		return fmt.Sprintf("the group %d is missing", len(keys))
	}
	for _, key := range keys {
		if !slices.ContainsFunc(groups, func(g []newLine) bool { return g[0].CompanyID == key }) {
			return fmt.Sprintf("it has no products of the company %d", key)
		}
	}
	return ""
}
