package shopcheck

import (
	"fmt"
	"maps"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/orders"
)

// sums are the columns of a parent order that are sums over its parts, in hundredths.
var sums = []string{
	"subtotal", "discount", "subtotal_discount", "shipping_cost", "tax_subtotal", "payment_surcharge", "total",
	"tax_exempted", "total_adjustment",
}

// Indexes in sums.
const (
	subtotal = iota
	discount
	subtotalDiscount
	shippingCost
	taxSubtotal
	surcharge
	total
	taxExempted
	adjustment
)

// An order has the columns of an order that are compared with other rows. There is one for
// each order of the shop, so it is small.
type order struct {
	amounts []int64 // in the order of sums; nil after its check, unless the order is a sum or a part of one
	parent  int64
	parts   []int64 // sums over its parts, nil without parts
	isSum   bool
	company int64
	noStock bool        // it holds nothing, in whatever status
	cut     *orders.Cut // its share, of the order of one of several vendors
	lines   []line      // nil if unreadable
}

// A line has the pieces of a line of an order.
type line struct {
	item    int64
	ordered int64
	held    int64 // that hold stock
}

// line returns the line with the id, nil for none.
func (o *order) line(item int64) *line {
	for i := range o.lines {
		if o.lines[i].item == item {
			return &o.lines[i]
		}
	}
	return nil
}

// orders compares amounts, stock and shipments of orders with their lines.
func (c *checker) orders() error {
	all := map[int64]*order{}
	columns := append([]string{"order_id", "parent_order_id", "is_parent_order", "products", "taxes", "rules", "company_id", "no_stock"}, sums...)
	tables, err := c.tables()
	if err != nil {
		return err
	}
	err = c.each("orders", columns, func(r row) error {
		o := &order{parent: r.int(1), isSum: r.int(2) != 0, company: r.int(6), noStock: r.int(7) != 0}
		for i := range sums {
			o.amounts = append(o.amounts, r.int(len(columns)-len(sums)+i))
		}
		all[r.int(0)] = o
		var lines orders.Lines
		var taxes orders.Taxes
		if err := lines.UnmarshalText([]byte(r.text(3))); err != nil {
			c.found("orders", r.int(0), "its lines cannot be read: %v", err)
			return nil
		}
		if err := taxes.UnmarshalText([]byte(r.text(4))); err != nil {
			c.found("orders", r.int(0), "its taxes cannot be read: %v", err)
			return nil
		}
		var rules orders.Rules
		if err := rules.UnmarshalText([]byte(r.text(5))); err != nil {
			c.found("orders", r.int(0), "its rules cannot be read: %v", err)
			return nil
		}
		c.lines(r.int(0), o, lines)
		if !o.isSum && !rules.SumsKept { // a sum is compared with its parts instead
			c.amounts(r.int(0), o, lines, taxes)
			if rules.Kept {
				c.ruled(r.int(0), o, lines, taxes)
			}
		}
		if rules.Kept && !o.isSum {
			o.cut = rules.Cut
			c.kept(r.int(0), &rules, tables)
		}
		if !o.isSum && o.parent == 0 {
			o.amounts = nil
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.cuts(all)
	ids := slices.Sorted(maps.Keys(all))
	for _, id := range ids {
		if parent, ok := all[all[id].parent]; ok && all[id].parent != 0 {
			if parent.parts == nil {
				parent.parts = make([]int64, len(sums))
			}
			for i, n := range all[id].amounts {
				parent.parts[i] += n
			}
		}
	}
	for _, id := range ids {
		c.parts(id, all[id])
	}
	return c.shipments(all)
}

// lines compares the amounts and pieces of each line.
func (c *checker) lines(id int64, o *order, lines orders.Lines) {
	o.lines = make([]line, len(lines))
	for i := range lines {
		l := &lines[i]
		o.lines[i] = line{l.ItemID, l.Amount, l.Reserved}
		cost, err := l.Price.Mul(decimal.MustNew(l.Amount, 0))
		if err == nil {
			cost, err = cost.Sub(l.Discount)
		}
		if err != nil || cents(cost) != cents(l.Subtotal) {
			c.found("orders", id, "the line %d costs %s, and %d at %s less %s are %s", l.ItemID, l.Subtotal, l.Amount, l.Price, l.Discount, cost)
		}
		switch {
		case l.Reserved < 0 || l.Reserved > l.Amount || l.Reserved != 0 && o.isSum:
			c.found("orders", id, "the line %d of %d pieces holds %d of the stock", l.ItemID, l.Amount, l.Reserved)
		case l.Reserved != 0 && o.noStock:
			c.found("orders", id, "the line %d holds %d of the stock, and the order takes none", l.ItemID, l.Reserved)
		}
	}
}

// amounts compares an order with its lines and taxes.
func (c *checker) amounts(id int64, o *order, lines orders.Lines, taxes orders.Taxes) {
	var sum, off, tax int64
	for i := range lines {
		sum, off = sum+cents(lines[i].Subtotal), off+cents(lines[i].Discount)
	}
	for i := range taxes {
		if !taxes[i].Included {
			tax += cents(taxes[i].Subtotal)
		}
	}
	for _, s := range []struct {
		column int
		of     string
		is     int64
	}{{subtotal, "lines", sum}, {discount, "lines", off}, {taxSubtotal, "taxes", tax}} {
		if says := o.amounts[s.column]; says != s.is {
			c.found("orders", id, "%s is %s, and its %s have %s", sums[s.column], amount(says), s.of, amount(s.is))
		}
	}
}

// parts compares an order of several vendors with its parts.
func (c *checker) parts(id int64, o *order) {
	switch {
	case o.isSum && o.parts == nil:
		c.found("orders", id, "is the sum of no orders")
	case !o.isSum && o.parts != nil:
		c.found("orders", id, "has parts, and is no order of several vendors")
	case o.isSum:
		for i, is := range o.parts {
			if o.amounts[i] != is {
				c.found("orders", id, "%s is %s, and its parts have %s", sums[i], amount(o.amounts[i]), amount(is))
			}
		}
	}
}

// shipments compares shipped with ordered amounts.
func (c *checker) shipments(all map[int64]*order) error {
	shipped := map[int64]map[int64]int64{}
	err := c.each("shipments", []string{"shipment_id", "order_id", "products", "consumed"}, func(r row) error {
		o, ok := all[r.int(1)]
		if !ok || o.lines == nil { // reported already
			return nil
		}
		var consumed orders.Consumed
		if err := consumed.UnmarshalText([]byte(r.text(3))); err != nil {
			c.found("shipments", r.int(0), "its consumed pieces cannot be read: %v", err)
			return nil
		}
		var pieces orders.Quantities
		if err := pieces.UnmarshalText([]byte(r.text(2))); err != nil {
			c.found("shipments", r.int(0), "its pieces cannot be read: %v", err)
			return nil
		}
		if shipped[r.int(1)] == nil {
			shipped[r.int(1)] = map[int64]int64{}
		}
		for _, item := range slices.Sorted(maps.Keys(pieces)) {
			if o.line(item) == nil {
				c.found("shipments", r.int(0), "has pieces of the line %d, which order %d has not", item, r.int(1))
			}
			shipped[r.int(1)][item] += pieces[item]
		}
		taken := map[int64]int64{}
		for _, consumption := range consumed {
			taken[consumption.ItemID] += consumption.Pieces
		}
		for _, item := range slices.Sorted(maps.Keys(taken)) {
			if taken[item] > pieces[item] {
				c.found("shipments", r.int(0), "consumed %d pieces of the line %d, and shipped %d", taken[item], item, pieces[item])
			}
		}
		return nil
	})
	for _, id := range slices.Sorted(maps.Keys(shipped)) {
		for _, item := range slices.Sorted(maps.Keys(shipped[id])) {
			n, l := shipped[id][item], all[id].line(item)
			switch {
			case l == nil || l.ordered == 0:
			case n > l.ordered:
				c.found("orders", id, "of the line %d %d pieces are shipped, and %d were ordered", item, n, l.ordered)
			case n+l.held > l.ordered:
				c.found("orders", id, "of the line %d %d pieces are shipped and %d hold stock, and %d were ordered", item, n, l.held, l.ordered)
			}
		}
	}
	return err
}

// cents returns an amount in hundredths, rounded.
func cents(d decimal.Decimal) int64 {
	whole, part, _ := d.Round(2).Int64(2)
	return whole*100 + part
}

// amount formats an amount of hundredths.
func amount(cents int64) string { return fmt.Sprint(decimal.MustNew(cents, 2)) }
