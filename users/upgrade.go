package users

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// Conversions returns the conversions of rows that older versions of this package wrote:
// see [store.Upgrade].
func Conversions() []store.Conversion {
	return []store.Conversion{{
		Name:    "users: names that are sorted by",
		Tables:  []*store.Schema{table.Schema()},
		Convert: fillSortNames,
	}}
}

// fillSortNames sets the column by which users are sorted by last name.
func fillSortNames(_ context.Context, tx store.Tx) error {
	unnamed := []store.Cond{store.EqualFold("sort_name", ""), store.NotEqual("name", store.String(""))}
	return table.Batches(tx, 500, unnamed, func(rows []row) error {
		for i := range rows {
			rows[i].normalize()
			if err := table.Update(tx, &rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
