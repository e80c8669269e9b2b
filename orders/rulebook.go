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

// markOlder says of an order of an older version, which keeps no tables, that what its
// shipping and its payment cost counts as written.
func (o *Order) markOlder() {
	if !o.Rules.Kept && !bool(o.IsParent) {
		o.ShippingCostSet, o.PaymentSurchargeSet = shopapi.Flag(len(o.Methods) > 0), shopapi.Flag(o.PaymentID > 0)
	}
}
