package orders

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// maxStockAhead is how many products, which have long texts, an order reads ahead for their stock.
const maxStockAhead = 100

// maxTaxesAhead is how many taxes, which may have many rates, an order reads ahead.
const maxTaxesAhead = 8

// readAhead reads together what the next stages of [Orders.place] and [Orders.write] read one
// after the other, for an order of some products. See [store.ReadAhead].
func (p *placing) readAhead(ids []int64) {
	if _, remote := p.tx.(store.ReaderAhead); !remote {
		return
	}
	order, unchanged := p.order, map[int64]int64{}
	for _, id := range ids {
		unchanged[id] = 0
	}
	store.ReadAhead(p.tx,
		func() { _, _ = p.allowsNegative(p.ctx, order.CompanyID) }, // reads all settings of the company
		func() {
			if order.UserID > 0 {
				p.api.LookupAhead(p.ctx, "users", shopapi.FormatID(order.UserID))
			}
		},
		func() { _, _ = p.statusOf(p.ctx, p.tx, order.Status) },
		func() {
			if !order.NoStock && len(unchanged) <= maxStockAhead {
				_ = p.from.Products.AddAmounts(p.ctx, p.tx, unchanged)
			}
		},
		func() { _, _ = p.from.Products.OrderViewByID(p.ctx, p.tx, ids...) },
		func() {
			if p.from.Options != nil {
				_ = p.from.Options.ReadAhead(p.tx, ids...)
			}
		},
		func() {
			if p.from.Exceptions != nil {
				_, _ = p.from.Exceptions.ByProduct(p.ctx, p.tx, ids...)
			}
		},
		func() {
			if p.from.Payments != nil && order.PaymentID > 0 {
				_, _ = p.from.Payments.Get(p.ctx, order.PaymentID)
			}
		},
		func() {
			if p.from.Shippings != nil && p.asked.ShippingID > 0 {
				_, _ = p.from.Shippings.Get(p.ctx, p.asked.ShippingID)
			}
		},
		func() { p.tables = p.Orders.tables.readAhead(p.tx) },
		func() { // most orders have the taxes of the one before
			if ids := p.lastTaxes.Load(); ids != nil && len(*ids) <= maxTaxesAhead && p.from.Taxes != nil {
				_, _ = p.from.Taxes.ByID(p.ctx, p.tx, *ids...)
			}
		},
	)
}

// readDetailsAhead reads together the shipments of orders and the products of their lines.
func readDetailsAhead(tx store.Tx, orders []*Order, productIDs []int64) {
	store.ReadAhead(tx,
		func() {
			if len(orders) > 0 {
				_ = eachShipment(tx, orders, func(*shipped) error { return nil })
			}
		},
		func() { _, _ = products.OrderViewByID(tx, productIDs...) },
	)
}

// readAheadOfStatus reads together what a change of the status reads.
func (o *Orders) readAheadOfStatus(ctx context.Context, tx store.Tx, before, after *Order) {
	if after.Status == before.Status {
		return
	}
	store.ReadAhead(tx,
		func() { _ = checkLetterOf(tx, before, after, new(shopapi.Problems)) },
		func() { _, _ = o.statusOf(ctx, tx, before.Status) },
		func() { _, _ = o.statusOf(ctx, tx, after.Status) },
		func() { _, _ = o.bookOf(tx, before) },
		func() { _, _ = o.readStock(tx, before.Lines) },
		func() { _, _ = o.allowsNegative(ctx, before.CompanyID) },
	)
}
