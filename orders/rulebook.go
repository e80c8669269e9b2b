package orders

import (
	"cmp"
	"context"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store"
)

// A ruleBook has the rules of one order with their tables, to compute with.
type ruleBook struct {
	taxes        []bookTax // by id
	shipping     *shippingTable
	payment      *paymentTable
	destinations []int64 // of the shipping address; nil if the host was not asked
	roundOrder   bool
	cut          *Cut
	sumsKept     bool // recalculate=N kept the sums and taxes

	// tables are the ids of the tables that are stored already.
	tables map[any]int64

	found map[string]int64 // ids of stored tables by their hashes, read ahead
}

// A bookTax is a tax of a rule book.
type bookTax struct {
	id              int64
	name, regNumber string
	*taxTable
}

// newBook returns the empty rules of a new order.
func (o *Orders) newBook(ctx context.Context, order *Order) (*ruleBook, error) {
	b := &ruleBook{destinations: o.destinationsOf(ctx, order.Shipping)}
	rounding, err := o.setting(ctx, order.CompanyID, shopapi.SettingTaxRounding)
	b.roundOrder = rounding == roundOrder
	return b, err
}

// destinationsOf returns the host's destinations of an address. They are not nil: an address
// may have none.
func (o *Orders) destinationsOf(ctx context.Context, to Address) []int64 {
	return append([]int64{}, o.destinations(ctx, to)...)
}

// roundOrder is the value of the setting tax_rounding by which each tax is rounded once.
const roundOrder = "order"

// setting is the value of a setting for the orders of a company.
func (o *Orders) setting(ctx context.Context, company int64, name string) (string, error) {
	if o.api.Edition() != shopapi.MultiStorefront {
		company = 0
	}
	value, _, err := o.api.SettingOf(ctx, company, name)
	return value, err
}

// bookOf reads the rules of a stored order. An order of an older version has the taxes that
// it shows with their rates; the others that it names count as taxes without rates, and
// what shipping and payment cost as written.
func (o *Orders) bookOf(tx store.Tx, order *Order) (*ruleBook, error) {
	if !order.Rules.Kept {
		return olderBook(order), nil
	}
	r := &order.Rules
	b := &ruleBook{destinations: r.Destinations, roundOrder: r.RoundOrder, cut: r.Cut, sumsKept: r.SumsKept, tables: map[any]int64{}}
	if r.Nowhere {
		b.destinations = []int64{}
	}
	read, err := newTableReader(tx, r)
	if err != nil {
		return nil, err
	}
	for _, t := range r.Taxes {
		table := new(taxTable)
		if err := read.into(t.Table, table); err != nil {
			return nil, err
		}
		b.tables[table] = t.Table
		b.taxes = append(b.taxes, bookTax{t.TaxID, t.Name, t.RegNumber, table})
	}
	if r.Shipping != 0 {
		b.shipping = new(shippingTable)
		b.tables[b.shipping] = r.Shipping
		if err := read.into(r.Shipping, b.shipping); err != nil {
			return nil, err
		}
	}
	if r.Payment != 0 {
		b.payment = new(paymentTable)
		b.tables[b.payment] = r.Payment
		if err := read.into(r.Payment, b.payment); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// olderBook returns the rules of an order of an older version.
func olderBook(order *Order) *ruleBook {
	b := &ruleBook{}
	for i := range order.Taxes {
		t := &order.Taxes[i]
		table := &taxTable{Priority: t.Priority, Included: t.Included}
		if t.OnProducts != nil {
			table.Rates = append(table.Rates, pricing.AreaRate{TaxRate: *t.OnProducts})
		}
		if t.OnShipping != nil {
			table.Rates = append(table.Rates, pricing.AreaRate{Shipping: true, TaxRate: *t.OnShipping})
		}
		b.addTax(bookTax{t.TaxID, t.Name, t.RegNumber, table})
	}
	if len(order.Methods) > 0 {
		m := &order.Methods[0]
		b.shipping = &shippingTable{TaxIDs: m.TaxIDs, MinWeight: m.MinWeight, MaxWeight: m.MaxWeight}
	}
	b.payment = &paymentTable{Value: order.Payment.ASurcharge, Percent: order.Payment.PSurcharge} // its taxes had no effect
	return b
}

// addUnknown adds the taxes that an order of an older version names and does not show.
func (b *ruleBook) addUnknown(order *Order) {
	for _, id := range b.missing(order.Lines) {
		b.addTax(bookTax{id: id, taxTable: &taxTable{}})
	}
}

// tax returns the tax with the id, nil when the order has not kept it.
func (b *ruleBook) tax(id int64) *bookTax {
	i, found := slices.BinarySearchFunc(b.taxes, id, func(t bookTax, id int64) int { return cmp.Compare(t.id, id) })
	if !found {
		return nil
	}
	return &b.taxes[i]
}

// addTax adds a tax, or puts it in the place of the one with its id.
func (b *ruleBook) addTax(t bookTax) {
	i, found := slices.BinarySearchFunc(b.taxes, t.id, func(t bookTax, id int64) int { return cmp.Compare(t.id, id) })
	if found {
		b.taxes[i] = t
		return
	}
	b.taxes = slices.Insert(b.taxes, i, t)
}

// named returns the ids of the taxes that lines and methods name, in ascending order.
func (b *ruleBook) named(lines Lines) []int64 {
	var ids []int64
	for i := range lines {
		ids = append(ids, lines[i].TaxIDs...)
	}
	if b.shipping != nil {
		ids = append(ids, b.shipping.TaxIDs...)
	}
	if b.payment != nil {
		ids = append(ids, b.payment.TaxIDs...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// missing returns the named ids of taxes that the order has not kept.
func (b *ruleBook) missing(lines Lines) []int64 {
	return slices.DeleteFunc(b.named(lines), func(id int64) bool { return b.tax(id) != nil })
}

func (b *ruleBook) setShipping(m *shippings.Shipping) { b.shipping = shippingTableOf(m) }

func (b *ruleBook) setPayment(m *payments.Payment) { b.payment = paymentTableOf(m) }

// ownSurcharge is the fixed surcharge of the order: of one of several vendors, its part.
func (b *ruleBook) ownSurcharge() decimal.Decimal {
	switch {
	case b.payment == nil:
		return zeroSurcharge
	case b.cut != nil:
		return b.cut.of(b.payment.Value).Pad(3)
	}
	return b.payment.Value
}

// store stores the tables that are not stored yet, and returns the rules as an order keeps
// them.
func (b *ruleBook) store(ctx context.Context, tx store.Tx, stored *tableIndex) (Rules, error) {
	r := Rules{Kept: true, Destinations: b.destinations, RoundOrder: b.roundOrder, Cut: b.cut, SumsKept: b.sumsKept}
	r.Nowhere = b.destinations != nil && len(b.destinations) == 0
	w := newTableWriter(b)
	for i := range b.taxes {
		w.add(b.taxes[i].taxTable)
	}
	if b.shipping != nil {
		w.add(b.shipping)
	}
	if b.payment != nil {
		w.add(b.payment)
	}
	if err := w.write(ctx, tx, stored); err != nil {
		return r, err
	}
	for i := range b.taxes {
		t := &b.taxes[i]
		r.Taxes = append(r.Taxes, KeptTax{t.id, t.name, t.regNumber, b.tables[t.taxTable]})
	}
	if b.shipping != nil {
		r.Shipping = b.tables[b.shipping]
	}
	if b.payment != nil {
		r.Payment = b.tables[b.payment]
	}
	return r, nil
}

// markOlder says of an order of an older version, which keeps no tables, that what its
// shipping and its payment cost counts as written.
func (o *Order) markOlder() {
	if !o.Rules.Kept && !bool(o.IsParent) {
		o.ShippingCostSet, o.PaymentSurchargeSet = shopapi.Flag(len(o.Methods) > 0), shopapi.Flag(o.PaymentID > 0)
	}
}
