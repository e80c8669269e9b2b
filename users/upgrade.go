package users

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// fillSortNames gives users of a database that is older than sorting by last name
// what they are sorted by, some hundreds in a transaction.
func fillSortNames(ctx context.Context, st store.Store) error {
	const batch = 500
	for {
		var n int
		err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			list, err := table.Select(tx, store.Query{
				Where: []store.Cond{store.EqualFold("sort_name", ""), store.NotEqual("name", store.String(""))},
				Limit: batch,
			})
			for i := range list {
				list[i].normalize()
				if err == nil {
					err = table.Update(tx, &list[i])
				}
			}
			n = len(list)
			return err
		})
		if err != nil || n < batch {
			return err
		}
	}
}
