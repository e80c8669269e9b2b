package taxes

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// ByID reads taxes in one read, by their priority, with the texts of the language of ctx in
// another where that is not the base language. Ids of none are left out.
func (t *Taxes) ByID(ctx context.Context, tx store.Tx, ids ...int64) ([]Tax, error) {
	list, err := table.Select(tx, store.Query{
		Where: []store.Cond{store.InInts("tax_id", ids...)},
		Order: []store.Order{store.Asc("priority")},
	})
	if err != nil {
		return nil, err
	}
	rows := make([]*Tax, len(list))
	for i := range list {
		rows[i] = &list[i]
	}
	return list, t.rows.Texts().Load(ctx, tx, rows...)
}
