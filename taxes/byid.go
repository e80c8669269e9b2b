package taxes

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// ByID reads taxes in one read, sorted by priority, and in a second one their texts if
// the language of ctx is not the base language. It leaves out ids that do not exist.
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
