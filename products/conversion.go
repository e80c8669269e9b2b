package products

import (
	"context"

	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/store"
)

// Conversions are those of rows that older versions of the library wrote (§24):
// documents of products become image pairs (§16).
func Conversions() []store.Conversion {
	return []store.Conversion{{
		Name:   "products: image pairs",
		Tables: append(Schemas(), images.Schema()),
		Convert: func(_ context.Context, tx store.Tx) error {
			empty := store.String(emptyDocument)
			with := store.Any(store.NotEqual("main_pair", empty), store.NotEqual("image_pairs", empty))
			return table.Batches(tx, 500, []store.Cond{with}, func(list []Product) error {
				for i := range list {
					if err := convertImages(tx, &list[i]); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}}
}

func convertImages(tx store.Tx, p *Product) error {
	main, more := p.MainPair.Convert(), p.ImagePairs.Convert()
	if !main && !more {
		return nil
	}
	if err := images.GiveIDs(tx, &p.MainPair, p.ImagePairs); err != nil {
		return err
	}
	return table.Update(tx, p)
}
