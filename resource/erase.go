package resource

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// EraseRows calls blank for the matching rows, to remove personal data for an
// [shopapi.EraseFunc], sets their personal custom fields to null, and reports each changed row as an update of the entity.
func EraseRows[T any](ctx context.Context, api *shopapi.API, st store.Store, table *store.Table[T], entity string, where store.Cond, blank func(*T)) error {
	const batch = 500
	return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		return table.Batches(tx, batch, []store.Cond{where}, func(rows []T) error {
			for i := range rows {
				before := rows[i]
				blank(&rows[i])
				changed, err := table.Changed(&before, &rows[i])
				if err != nil {
					return err
				}
				erased, err := ErasePersonal(tx, table.Schema(), table.Key(&rows[i]))
				if err != nil {
					return err
				}
				if len(changed) == 0 && !erased {
					continue
				}
				SetStamp(ctx, api, &rows[i])
				if err := table.Update(tx, &rows[i]); err != nil {
					return err
				}
				api.Changed(ctx, entity, shopapi.OpUpdate, shopapi.FormatID(table.Key(&rows[i])))
			}
			return nil
		})
	})
}
