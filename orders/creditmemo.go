package orders

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Credit says what a credit memo credits. The zero Credit credits all that was invoiced
// and is not credited yet.
type Credit struct {
	// Pieces are numbers of pieces by item id. Each takes the proportion of its line.
	Pieces map[int64]int64

	// ShippingCost and PaymentSurcharge are parts of these amounts, without added taxes,
	// which come in proportion. nil is none.
	ShippingCost, PaymentSurcharge *decimal.Decimal

	// Total alone is an amount with all taxes, which is cut over all that is left. Beside
	// other parts it must be their sum.
	Total *decimal.Decimal
}

// isAll reports whether the credit names nothing.
func (c *Credit) isAll() bool {
	return c.Pieces == nil && c.ShippingCost == nil && c.PaymentSurcharge == nil && c.Total == nil
}

// IssueCreditMemo issues a credit memo of an invoiced order and returns it. It returns a 404
// or 400 [*shopapi.Error]: an order without an invoice that was issued here, more than is
// left of a part, or a memo of 0 (decisions §26).
func (o *Orders) IssueCreditMemo(ctx context.Context, id int64, credit Credit) (d Document, err error) {
	ctx = o.api.Confine(ctx)
	err = o.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		order, err := o.rows.GetIn(ctx, tx, id)
		if err != nil {
			return err
		}
		d, err = o.issueCreditMemo(ctx, tx, &order, &credit)
		return err
	})
	return d, err
}

// issueCreditMemo is IssueCreditMemo in a transaction.
func (o *Orders) issueCreditMemo(ctx context.Context, tx store.Tx, order *Order, credit *Credit) (d Document, err error) {
	if !order.isInvoiced() {
		return d, shopapi.Errorf(http.StatusBadRequest, "The order %d has no invoice that was issued here: credit memos follow invoices.", order.OrderID)
	}
	earlier, err := documentsOf(tx, order.OrderID)
	if err != nil {
		return d, err
	}
	if len(earlier) == 0 {
		return d, fmt.Errorf("orders: the invoice %s of order %d has no document", *order.InvoiceID, order.OrderID)
	}
	invoice := &earlier[0]
	c := newCrediting(invoice, earlier[1:])
	if err := c.take(credit); err != nil {
		return d, err
	}
	d = invoice.credited(c.memo)
	if d.Number, d.Date, err = o.nextNumber(ctx, tx, order.CompanyID, CreditMemo); err != nil {
		return d, err
	}
	return d, o.issue(ctx, tx, order, &d)
}

// take takes what a credit names, or returns a 400.
func (c *crediting) take(credit *Credit) error {
	var problems shopapi.Problems
	left := c.left.total()
	if c.left.worth().IsZero() || left.IsNeg() || left.IsZero() {
		return shopapi.Errorf(http.StatusBadRequest, "Nothing is left of the invoice: all of it is credited.")
	}
	switch {
	case credit.isAll():
		c.takeAll()
	case credit.Pieces == nil && credit.ShippingCost == nil && credit.PaymentSurcharge == nil:
		c.checkAmount(*credit.Total, &problems)
	default:
		c.takeParts(credit, &problems)
		c.takeRounding()
		c.checkTotal(credit.Total, &problems)
	}
	return problems.Err()
}

// checkAmount takes an amount of all that is left.
func (c *crediting) checkAmount(amount decimal.Decimal, problems *shopapi.Problems) {
	left, worth := c.left.total(), c.left.worth()
	switch {
	case !amount.IsPos():
		problems.Add("total", "must be more than 0")
	case amount.Equal(left):
		c.takeAll()
	case amount.Cmp(left) > 0:
		problems.Add("total", "must be at most %s, which is left of the invoice", left)
	case amount.Cmp(worth) >= 0:
		problems.Add("total", "must be %s, which is left of the invoice with its rounding, or less than %s", left, worth)
	default:
		c.takeAmount(amount)
	}
}

// takeParts takes pieces, shipping and surcharge.
func (c *crediting) takeParts(credit *Credit, problems *shopapi.Problems) {
	items := make([]int64, 0, len(credit.Pieces))
	for item := range credit.Pieces {
		items = append(items, item)
	}
	slices.Sort(items)
	for _, item := range items {
		n, field := credit.Pieces[item], "products["+shopapi.FormatID(item)+"]"
		i := slices.IndexFunc(c.left.parts, func(p ledgerPart) bool { return p.item == item && item != 0 })
		switch {
		case i < 0:
			problems.Add(field, "must be the item id of a line of the invoice")
		case c.left.parts[i].pieces == 0:
			problems.Add(field, "cannot be credited: all of its pieces are")
		case n < 1 || n > c.left.parts[i].pieces:
			problems.Add(field+"[amount]", "must be a whole number from 1 to %d, which are not credited yet", c.left.parts[i].pieces)
		default:
			c.takePieces(i, n)
		}
	}
	for _, of := range []struct {
		name   string
		part   int
		amount *decimal.Decimal
	}{{"shipping_cost", c.shipping(), credit.ShippingCost}, {"payment_surcharge", c.surcharge(), credit.PaymentSurcharge}} {
		if of.amount == nil || of.amount.IsZero() {
			continue
		}
		if left := c.left.parts[of.part].base(); of.amount.IsNeg() || of.amount.Cmp(left) > 0 {
			problems.Add(of.name, "must be from 0 to %s, which is not credited yet", left)
			continue
		}
		c.takeBase(of.part, *of.amount)
	}
}

// checkTotal refuses a memo of 0, one of more than is left, and a total that is not the sum
// of the parts.
func (c *crediting) checkTotal(sent *decimal.Decimal, problems *shopapi.Problems) {
	sum, left := c.memo.total(), c.left.total()
	switch {
	case problems.Err() != nil:
	case sum.Cmp(left) > 0:
		problems.Add("total", "would be %s, and %s is left of the invoice", sum, left)
	case sent != nil && !sent.Equal(sum):
		problems.Add("total", "must be the sum of the other parts, %s", sum)
	case !sum.IsPos():
		problems.Add("total", "would be %s: a credit memo must be of more than 0", sum)
	}
}
