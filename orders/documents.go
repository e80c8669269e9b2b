package orders

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An issued is a document in the store. Rows are only added: not even the erasure of a
// person changes one, since the law keeps invoices (decisions §26).
type issued struct {
	DocumentID int64        `json:"document_id" store:"key"`
	OrderID    int64        `json:"order_id" store:"index"`
	CompanyID  int64        `json:"company_id"`
	Kind       DocumentKind `json:"kind"`
	Number     string       `json:"number"`
	Content    Document     `json:"content"`
}

var documents = store.MustTable[issued]("order_documents",
	store.Index{Columns: []string{"company_id", "kind", "number"}, Unique: true})

// Documents returns the invoice and the credit memos of an order in the order in which
// they were issued, and their number without limit and offset. It returns a 404
// [*shopapi.Error] if the user sees no order with this id.
func (o *Orders) Documents(ctx context.Context, id int64, l resource.ListOptions) (list []Document, total int64, err error) {
	ctx = o.api.Confine(ctx)
	order := store.Asc("document_id")
	if l.Order == resource.Descending {
		order = store.Desc("document_id")
	}
	err = o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if err := o.checkVisible(ctx, tx, id); err != nil {
			return err
		}
		rows, n, err := documents.Page(tx, store.Query{
			Where: []store.Cond{store.Equal("order_id", store.Int(id))},
			Order: []store.Order{order},
			Limit: l.Limit, Offset: l.Offset,
		})
		list, total = contentOf(rows), n
		return err
	})
	return list, total, err
}

func contentOf(rows []issued) []Document {
	list := make([]Document, len(rows))
	for i := range rows {
		list[i] = rows[i].Content
	}
	return list
}

// documentsOf reads all documents of an order: the invoice first, if there is one.
func documentsOf(tx store.Tx, order int64) ([]Document, error) {
	rows, err := documents.Select(tx, store.Query{
		Where: []store.Cond{store.Equal("order_id", store.Int(order))}, Order: []store.Order{store.Asc("document_id")},
	})
	return contentOf(rows), err
}

// isIssued reports whether a company has issued a number.
func isIssued(tx store.Tx, company int64, kind DocumentKind, number string) (bool, error) {
	_, err := issuedNumbers.First(tx, store.Query{Where: []store.Cond{
		store.Equal("company_id", store.Int(company)), store.Equal("kind", store.String(string(kind))), store.Equal("number", store.String(number)),
	}})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// An issuedNumber is a document without its content.
type issuedNumber struct {
	DocumentID int64 `json:"document_id" store:"key"`
}

var issuedNumbers = store.Project[issuedNumber](documents)

// issue stores a document, and has its order show the number.
func (o *Orders) issue(ctx context.Context, tx store.Tx, order *Order, d *Document) error {
	row := issued{OrderID: order.OrderID, CompanyID: order.CompanyID, Kind: d.Kind, Number: d.Number, Content: *d}
	if err := documents.Insert(tx, &row); err != nil {
		return err
	}
	_, err := o.rows.Update(ctx, order.OrderID, func(order *Order) error {
		order.Change = &Change{issued: d}
		return nil
	})
	return err
}

// show has an order show the number of a document that is issued.
func (o *Order) show(d *Document) {
	number, date := d.Number, d.Date
	if d.Kind == Invoice {
		o.InvoiceID, o.InvoiceDate = &number, &date
	} else {
		o.CreditMemoID, o.CreditMemoDate = &number, &date
	}
	o.entry = &HistoryEntry{Event: HistoryEvent(d.Kind), Document: number}
}
