package orders

import (
	"context"
	"net/http"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// IssueInvoice issues the invoice of an order: it gives the order the next number of its
// company, and freezes its content and its amounts. It returns the document, or the document
// that was issued before. It returns a 404 or 400 [*shopapi.Error]: status with inventory I,
// total_adjustment of more than 0.05 either way, sums that differ from the sums of the
// content, or an order with a parent's role. An order whose InvoiceID was written is invoiced
// elsewhere: then it returns a document of that number alone (decisions §26).
func (o *Orders) IssueInvoice(ctx context.Context, id int64) (d Document, err error) {
	ctx = o.api.Confine(ctx)
	err = o.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		order, err := o.rows.GetIn(ctx, tx, id)
		if err != nil {
			return err
		}
		d, _, err = o.issueInvoice(ctx, tx, &order)
		return err
	})
	return d, err
}

// issueInvoice is IssueInvoice in a transaction. existing says that the order had an invoice.
func (o *Orders) issueInvoice(ctx context.Context, tx store.Tx, order *Order) (d Document, existing bool, err error) {
	if order.isInvoiced() {
		list, err := documentsOf(tx, order.OrderID)
		if err != nil || len(list) == 0 {
			return Document{Kind: Invoice, Number: *order.InvoiceID, Date: *order.InvoiceDate}, true, err
		}
		return list[0], true, nil
	}
	if order.InvoiceID != nil {
		return Document{Kind: Invoice, Number: *order.InvoiceID}, true, nil
	}
	if err := o.checkInvoice(ctx, tx, order); err != nil {
		return d, false, err
	}
	if d, err = o.invoiceOf(ctx, tx, order); err != nil {
		return d, false, err
	}
	if d.Number, d.Date, err = o.nextNumber(ctx, tx, order.CompanyID, Invoice); err != nil {
		return d, false, err
	}
	return d, false, o.issue(ctx, tx, order, &d)
}

// maxRounding is the greatest difference between the total and the sum of the content that
// an invoice shows as its rounding, for cash.
var maxRounding = decimal.MustParse("0.05")

// checkInvoice returns a 400 if the order cannot be invoiced as it is.
func (o *Orders) checkInvoice(ctx context.Context, tx store.Tx, order *Order) error {
	var problems shopapi.Problems
	if order.IsParent {
		return shopapi.Errorf(http.StatusBadRequest, "The order %d is the summary of orders of several vendors: issue the invoices of those.", order.OrderID)
	}
	status, err := o.statusOf(ctx, tx, order.Status)
	if err != nil {
		return err
	}
	if !status.TakesStock() {
		problems.Add("status", "cannot be %s: orders in that status give their stock back, and cannot be invoiced", order.Status)
	}
	if order.TotalAdjustment.CmpAbs(maxRounding) > 0 {
		problems.Add("total_adjustment", "must be from -0.05 to 0.05, not %s: the total is not that of the content", money(order.TotalAdjustment))
	}
	if problems.Err() == nil && order.Rules.Kept {
		c, err := o.recomputed(ctx, tx, order, &problems)
		if err != nil {
			return err
		}
		if c != nil && !c.isShownIn(order) {
			problems.Add("total", "is not that of the content: a PUT with recalculate=N left sums or taxes as they were; PUT reprice=Y, or change the content, to compute them again")
		}
	}
	return problems.Err()
}

// recomputed computes the amounts of a stored order anew, by its rules. It returns nil, and
// notes why, where there are none.
func (o *Orders) recomputed(ctx context.Context, tx store.Tx, order *Order, problems *shopapi.Problems) (*computed, error) {
	book, err := o.bookOf(tx, order)
	if err != nil {
		return nil, err
	}
	again := *order
	p := pricer{Orders: o, ctx: ctx, tx: tx, problems: problems, order: &again, book: book, fields: make([]string, len(order.Lines))}
	return p.compute()
}

// isShownIn reports whether an order shows the computed sums and taxes, also in its lines.
func (c *computed) isShownIn(o *Order) bool {
	if !c.shownBy(o) || len(c.Taxes) != len(o.Taxes) {
		return false
	}
	for i := range c.Taxes {
		t := &c.Taxes[i]
		shown := o.Taxes.byID(t.ID)
		if shown == nil || !shown.Products.Equal(t.Products) || !shown.Shipping.Equal(t.Shipping) || !shown.Surcharge.Equal(t.Surcharge) {
			return false
		}
		for k, line := range c.at {
			if !o.Lines[line].tax(t.ID).Subtotal.Equal(t.Lines[k]) {
				return false
			}
		}
	}
	for k, line := range c.at {
		if !o.Lines[line].Subtotal.Equal(c.Lines[k].Subtotal) {
			return false
		}
	}
	return true
}

// tax returns a tax of the line, one of 0 if it is not on the line.
func (l *Line) tax(id int64) LineTax {
	for i := range l.Taxes {
		if l.Taxes[i].TaxID == id {
			return l.Taxes[i]
		}
	}
	return LineTax{TaxID: id, Taxable: zero, Subtotal: zero}
}
