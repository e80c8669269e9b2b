package orders

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Import adds existing orders, for instance of a former shop, in one transaction, all or
// none, and returns them as stored. They keep their time, their status, and the data of
// their lines, methods and taxes; they take no stock. Amounts are computed from the
// prices, amounts and discounts of the lines, the discount of the order, ShippingCost,
// PaymentSurcharge and the rates in Taxes, so that totals are sums; for taxes that the
// lines refer to and that are not in Taxes, the current rates are used. An InvoiceID is the
// number of an invoice that was issued elsewhere: InvoiceDate, CreditMemoDate and Change are
// ignored.
//
// It returns a 400 [*shopapi.Error] with the number of the invalid order, from 1: an
// order without lines, with an unknown status, with impossible amounts, or with the number
// of a card in PaymentInfo.
func (o *Orders) Import(ctx context.Context, list []Order) (imported []Order, err error) {
	err = o.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		language, err := o.rows.Language(ctx)
		if err != nil {
			return err
		}
		known := map[string]bool{}
		all := make([]Order, len(list))
		for i := range list {
			all[i] = list[i]
			all[i].LangCode = cmp.Or(all[i].LangCode, language)
			if err := o.prepareImport(ctx, tx, &all[i], known); err != nil {
				return of(err, i+1)
			}
		}
		imported, err = o.rows.CreateAll(ctx, all)
		return err
	})
	return imported, err
}

// of says which order an error is of.
func of(err error, n int) error {
	if e, ok := errors.AsType[*shopapi.Error](err); ok {
		numbered := *e
		numbered.Message = fmt.Sprintf("Order %d: %s", n, e.Message)
		return &numbered
	}
	return err
}

// prepareImport completes an order so that it only has to be written.
func (o *Orders) prepareImport(ctx context.Context, tx store.Tx, order *Order, known map[string]bool) error {
	var problems shopapi.Problems
	o.setDefaults(ctx, order)
	order.InvoiceDate, order.CreditMemoDate, order.Change = nil, nil, nil
	normalize(order, &problems)
	order.PaymentInfo.check(&problems)
	if !known[order.Status] {
		if err := checkLetterOf(tx, &Order{}, order, &problems); err != nil {
			return err
		}
		known[order.Status] = !problems.Has("status")
	}
	if len(order.Lines) == 0 || len(order.Lines) > maxLines {
		problems.Add("products", "must have from 1 to %d lines", maxLines)
	}
	c := order.customer()
	c.normalize()
	c.check(&Customer{}, &problems)
	order.setCustomer(&c)

	p := &pricer{Orders: o, ctx: ctx, tx: tx, problems: &problems, order: order, book: olderBook(order)}
	lines, items := make(Lines, 0, len(order.Lines)), map[int64]bool{}
	for i, l := range order.Lines {
		field := fmt.Sprintf("products[%d]", i)
		problems.Range(field+"[amount]", l.Amount, 1, maxPieces)
		if l.Price.IsNeg() {
			problems.Add(field+"[price]", "must not be negative")
		}
		l.ItemID = itemID(keyOf(l.ProductID, l.Selection), func(id int64) bool { return items[id] })
		items[l.ItemID] = true
		l.Reserved, l.FromCombination = 0, false
		lines = append(lines, l)
		p.fields = append(p.fields, field)
	}
	order.Lines = lines
	if err := problems.Err(); err != nil {
		return err
	}
	order.ShippingCostSet, order.PaymentSurchargeSet = true, true
	if err := p.price(); err != nil {
		return err
	}
	order.book = p.book
	order.checkRepaid(&Order{}, &problems)
	prepared := *order
	order.prepared, order.fresh = &prepared, true
	return problems.Err()
}
