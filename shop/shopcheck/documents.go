package shopcheck

import (
	"maps"
	"slices"

	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// A numbered is what an order shows of its documents.
type numbered struct {
	company       int64
	invoice, memo string // the numbers of its invoice and of its last credit memo
}

// An issuer is a company that issues documents of one kind.
type issuer struct {
	company int64
	kind    orders.DocumentKind
}

// documents compares invoices and credit memos with their orders, credit memos with the
// invoice, and counters with the documents that got their numbers (decisions §26).
func (c *checker) documents() error {
	shown := map[int64]numbered{}
	invoiced := store.InQuery("order_id", c.schemas["order_documents"], "order_id")
	err := c.each("orders", []string{"order_id", "company_id", "invoice_id", "credit_memo_id"}, func(r row) error {
		shown[r.int(0)] = numbered{r.int(1), r.text(2), r.text(3)}
		return nil
	}, invoiced)
	if err != nil {
		return err
	}
	var issued []orders.Document // of one order
	dates, of := map[issuer]int64{}, int64(0)
	compare := func() {
		if o, ok := shown[of]; ok && len(issued) > 0 {
			c.documentsOf(of, o, issued)
		}
		issued = issued[:0]
	}
	err = c.eachBy("order_documents", "order_id", []string{"document_id", "order_id", "company_id", "kind", "number", "content"}, func(r row) error {
		key, by := r.int(0), issuer{r.int(2), orders.DocumentKind(r.text(3))}
		if of != r.int(1) {
			compare()
			of = r.int(1)
		}
		var d orders.Document
		if err := d.UnmarshalText([]byte(r.text(5))); err != nil {
			c.found("order_documents", key, "its content cannot be read: %v", err)
			return nil
		}
		if d.Kind != by.kind || d.Number != r.text(4) {
			c.found("order_documents", key, "is the %s %s, and its content is the %s %s", by.kind, r.text(4), d.Kind, d.Number)
		}
		if o, ok := shown[r.int(1)]; ok && o.company != by.company { // references reports a missing order
			c.found("order_documents", key, "is of company %d, and order %d of company %d", by.company, r.int(1), o.company)
		}
		issued = append(issued, d)
		dates[by] = max(dates[by], d.Date)
		return nil
	})
	if err != nil {
		return err
	}
	compare()
	return c.counters(dates)
}

// documentsOf compares the documents of an order, in the order of their issue.
func (c *checker) documentsOf(id int64, o numbered, list []orders.Document) {
	invoice := list[0]
	if invoice.Kind != orders.Invoice {
		c.found("orders", id, "has the %s %s without an invoice", invoice.Kind, invoice.Number)
		return
	}
	if o.invoice != invoice.Number {
		c.found("orders", id, "shows the invoice %q, and %q was issued", o.invoice, invoice.Number)
	}
	left, pieces := cents(invoice.Total), map[int64]int64{}
	for i := range invoice.Lines {
		pieces[invoice.Lines[i].ItemID] += invoice.Lines[i].Amount
	}
	last := ""
	for _, memo := range list[1:] {
		if memo.Kind != orders.CreditMemo {
			c.found("orders", id, "has the second invoice %s", memo.Number)
			continue
		}
		last, left = memo.Number, left-cents(memo.Total)
		for i := range memo.Lines {
			pieces[memo.Lines[i].ItemID] -= memo.Lines[i].Amount
		}
	}
	if last != "" && o.memo != last {
		c.found("orders", id, "shows the credit memo %q, and the last is %q", o.memo, last)
	}
	if left < 0 {
		c.found("orders", id, "its credit memos have %s more than the invoice", amount(-left))
	}
	for _, item := range slices.Sorted(maps.Keys(pieces)) {
		if pieces[item] < 0 {
			c.found("orders", id, "its credit memos have %d more pieces of the line %d than the invoice", -pieces[item], item)
		}
	}
}

// counters compares the counters with the date of the last document of each issuer.
func (c *checker) counters(dates map[issuer]int64) error {
	latest := map[issuer]int64{} // dates of the counters
	err := c.each("order_counters", []string{"counter_id", "company_id", "kind", "next", "highest", "last_date"}, func(r row) error {
		if next, highest := r.int(3), r.int(4); next <= highest {
			c.found("order_counters", r.int(0), "its next number is %d, and %d is given", next, highest)
		}
		of := issuer{r.int(1), orders.DocumentKind(r.text(2))}
		latest[of] = max(latest[of], r.int(5))
		return nil
	})
	for _, of := range slices.SortedFunc(maps.Keys(dates), func(a, b issuer) int { return int(a.company - b.company) }) {
		if dates[of] > latest[of] {
			c.found("companies", of.company, "has issued a document of kind %s after the date of its counters", of.kind)
		}
	}
	return err
}

// sales compares the pieces in orders whose status takes stock with the rows that are
// added up as sales_amount.
func (c *checker) sales() error {
	sold := map[int64]int64{}
	err := c.each("orders", []string{"counted", "is_parent_order", "products"}, func(r row) error {
		var lines orders.Lines
		if r.int(0) == 0 || r.int(1) != 0 || lines.UnmarshalText([]byte(r.text(2))) != nil { // orders reports unreadable lines
			return nil
		}
		for i := range lines {
			sold[lines[i].ProductID] += lines[i].Amount
		}
		return nil
	})
	if err != nil {
		return err
	}
	counted := map[int64]int64{}
	err = c.each("product_sales", []string{"product_id", "pieces"}, func(r row) error {
		counted[r.int(0)] += r.int(1)
		return nil
	})
	if err != nil {
		return err
	}
	return c.each("products", []string{"product_id"}, func(r row) error {
		if id := r.int(0); sold[id] != counted[id] {
			c.found("products", id, "sales_amount is %d, and orders have %d pieces", counted[id], sold[id])
		}
		return nil
	})
}
