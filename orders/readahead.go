package orders

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// readAhead reads together what the stages of [Orders.place] and [Orders.write] read one
// after the other. See [store.ReadAhead].
func (p *placing) readAhead() {
	order, ids := p.order, []int64(nil)
	lines := namedLines(p.asked, new(shopapi.Problems))
	unchanged := make(map[int64]int64, len(lines))
	for i := range lines {
		ids = append(ids, lines[i].ProductID)
		unchanged[lines[i].ProductID] = 0
	}
	m := &lineMaker{Orders: p.Orders, ctx: p.ctx, tx: p.tx, problems: new(shopapi.Problems)}
	store.ReadAhead(p.tx,
		func() {
			if order.UserID > 0 {
				_, _ = p.user()
			}
		},
		func() { _, _ = p.statusOf(p.ctx, p.tx, order.Status) },
		func() { _, _ = p.from.Products.OrderViewByID(p.ctx, p.tx, ids...) },
		func() { _ = p.from.Products.AddAmounts(p.ctx, p.tx, unchanged) },
		func() { _, _ = m.resolve(lines) },
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
