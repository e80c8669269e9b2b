package categories

import (
	"context"

	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/store"
)

// Conversions returns the conversions of rows that older versions of the library wrote
// (§24): documents of categories become image pairs (§16).
func Conversions() []store.Conversion {
	return []store.Conversion{{
		Name:   "categories: image pairs",
		Tables: append(Schemas(), images.Schema()),
		Convert: func(_ context.Context, tx store.Tx) error {
			with := []store.Cond{store.NotEqual("main_pair", store.String("[]"))}
			return table.Batches(tx, 500, with, func(list []Category) error {
				for i := range list {
					c := &list[i]
					if !c.MainPair.Convert() {
						continue
					}
					if err := images.GiveIDs(tx, &c.MainPair, nil); err != nil {
						return err
					}
					if err := table.Update(tx, c); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}}
}
