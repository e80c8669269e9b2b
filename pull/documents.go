package pull

import (
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// documentsOf are the invoice and the credit memos of an order. It sets the dates in the
// columns of the order, which freeze it. An order without the document of its invoice counts
// as invoiced elsewhere.
func (p *puller) documentsOf(o *object, id int64, set columns) part {
	s := p.schema("order_documents")
	made := part{schema: s, owner: "order_id", of: store.Int(id), optional: true, ordered: true}
	read := o.children[documentsList]
	if read.err != nil {
		o.problem(documentsList, read.err.Error()+": what was taken before stays")
		made.unread = true
		return made
	}
	for _, raw := range read.list {
		d, ok := documentIn(o, o.under(raw))
		if !ok {
			continue
		}
		if isInvoice := d.Kind == orders.Invoice; isInvoice != (len(made.rows) == 0) {
			o.problem(documentsList, "has "+short(d.Number)+" out of order: the invoice must come first and credit memos after it. It was left out")
			continue
		}
		made.rows = append(made.rows, row{
			store.Int(0), store.Int(id), store.Int(o.company()), store.String(string(d.Kind)), store.String(d.Number),
			document(o, documentsList, d),
		})
		date, number := "invoice_date", "invoice_id"
		if d.Kind == orders.CreditMemo {
			date, number = "credit_memo_date", "credit_memo_id"
		}
		set[date], set[number] = store.Int(d.Date), store.String(d.Number)
	}
	if len(made.rows) == 0 && o.int("invoice_date") != 0 {
		p.report.notCarried("invoices of orders, whose documents cannot be read", o.text("invoice_id"))
	}
	return made
}

// documentIn reads an invoice or a credit memo of an order.
func documentIn(of, o *object) (d orders.Document, ok bool) {
	d = orders.Document{
		Kind: orders.DocumentKind(o.text("kind")), Number: o.text("number"), Date: o.int("date"),
		Seller: sellerIn(o.under(o.members["seller"])), Buyer: buyerIn(o.under(o.members["buyer"])), Taxes: taxesIn(o),
		Subtotal: o.decimal("subtotal", 2), SubtotalDiscount: o.decimal("subtotal_discount", 2),
		ShippingCost: o.decimal("shipping_cost", 2), PaymentSurcharge: o.decimal("payment_surcharge", 2),
		TaxSubtotal: o.decimal("tax_subtotal", 2), TaxIncluded: o.decimal("tax_included", 2), TaxExempted: o.decimal("tax_exempted", 2),
		TotalAdjustment: o.decimal("total_adjustment", 2), Total: o.decimal("total", 2), Currency: o.text("currency"),
	}
	if d.Kind != orders.Invoice && d.Kind != orders.CreditMemo || d.Number == "" {
		of.problem(documentsList, "has one of kind "+strconv.Quote(short(string(d.Kind)))+" and number "+strconv.Quote(short(d.Number))+", which was left out")
		return d, false
	}
	for _, e := range o.list("products") {
		l := o.under(e.Value)
		d.Lines = append(d.Lines, orders.DocumentLine{
			ItemID: e.ID(), ProductID: l.int("product_id"), Name: l.text("product"), Code: l.text("product_code"), Amount: l.int("amount"),
			Price: l.decimal("price", 2), Discount: l.decimal("discount", 2), Subtotal: l.decimal("subtotal", 2),
			SubtotalDiscount: l.decimal("subtotal_discount", 2), Taxes: lineTaxes(l),
		})
	}
	cutExempted(of, &d)
	return d, true
}

func sellerIn(o *object) orders.Seller {
	return orders.Seller{
		Company: o.text("company"), Address: o.text("address"), City: o.text("city"), State: o.text("state"), Country: o.text("country"),
		Zipcode: o.text("zipcode"), Phone: o.text("phone"), Email: o.text("email"), URL: o.text("url"),
	}
}

func buyerIn(o *object) orders.Buyer {
	return orders.Buyer{
		FirstName: o.text("firstname"), LastName: o.text("lastname"), Company: o.text("company"), Email: o.text("email"),
		Phone: o.text("phone"), Address: o.text("address"), Address2: o.text("address_2"), City: o.text("city"), County: o.text("county"),
		State: o.text("state"), Country: o.text("country"), Zipcode: o.text("zipcode"),
	}
}

// cutExempted sets the parts of the exempted taxes on lines, shipping and surcharge, since a
// document has only their sum. Each part is the difference of the amount and its net amount,
// which is the least amount that an included tax was applied to.
func cutExempted(of *object, d *orders.Document) {
	zero := decimal.MustNew(0, 2)
	d.ShippingExempted, d.SurchargeExempted = zero, zero
	for i := range d.Lines {
		d.Lines[i].Exempted = zero
	}
	if d.TaxExempted.IsZero() {
		return
	}
	left := d.TaxExempted
	take := func(part *decimal.Decimal, amount decimal.Decimal, taxable []decimal.Decimal) {
		for _, net := range taxable {
			if inside, err := amount.Sub(net); err == nil && inside.Cmp(*part) > 0 {
				*part = inside
			}
		}
		left, _ = left.Sub(*part)
	}
	included := map[int64]bool{}
	var shipping, surcharge []decimal.Decimal
	for i := range d.Taxes {
		t := &d.Taxes[i]
		if !t.Included {
			continue
		}
		included[t.TaxID] = true
		if len(t.ShippingIDs) > 0 {
			shipping = append(shipping, t.OnCost)
		}
		if t.OnSurcharge != nil {
			surcharge = append(surcharge, *t.OnSurcharge)
		}
	}
	for i := range d.Lines {
		l := &d.Lines[i]
		var taxable []decimal.Decimal
		for _, t := range l.Taxes {
			if included[t.TaxID] {
				taxable = append(taxable, t.Taxable)
			}
		}
		amount, _ := l.Subtotal.Sub(l.SubtotalDiscount)
		take(&l.Exempted, amount, taxable)
	}
	take(&d.ShippingExempted, d.ShippingCost, shipping)
	take(&d.SurchargeExempted, d.PaymentSurcharge, surcharge)
	if !left.IsZero() {
		of.problem(documentsList, "has only the sum of the exempted taxes of "+short(d.Number)+". Its lines and shipping do not explain "+left.String()+" of it, which counts as tax on shipping")
		d.ShippingExempted, _ = d.ShippingExempted.Add(left)
	}
}
