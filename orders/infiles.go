package orders

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// loadInFiles returns the histories and the documents of orders as their addresses show them.
func (o *Orders) loadInFiles(ctx context.Context, tx store.Tx, list ...*Order) (map[int64]shopapi.Map, error) {
	ids := make([]int64, len(list))
	for i, v := range list {
		ids[i] = v.OrderID
	}
	of := []store.Cond{store.InInts("order_id", ids...)}
	entries, err := history.Select(tx, store.Query{Where: of, Order: []store.Order{store.Asc("entry_id")}})
	if err != nil {
		return nil, err
	}
	o.hide(ctx, entries)
	histories := map[int64][]historyAnswer{}
	for i := range entries {
		histories[entries[i].OrderID] = append(histories[entries[i].OrderID], entries[i].answer())
	}
	rows, err := documents.Select(tx, store.Query{Where: of, Order: []store.Order{store.Asc("document_id")}})
	if err != nil {
		return nil, err
	}
	issuedOf := map[int64][]documentAnswer{}
	for i := range rows {
		issuedOf[rows[i].OrderID] = append(issuedOf[rows[i].OrderID], rows[i].Content.answer())
	}
	found := make(map[int64]shopapi.Map, len(ids))
	for _, id := range ids {
		found[id] = shopapi.Map{
			{Name: "history", Value: append([]historyAnswer{}, histories[id]...)},
			{Name: "documents", Value: append([]documentAnswer{}, issuedOf[id]...)},
		}
	}
	return found, nil
}
