package products

import "github.com/shopapi/shopapi/store"

// ConvertFeatures is the part of a [store.Conversion] that makes of documents of
// features what stores them now: it calls convert for the products that have any, and
// stores of each the documents that convert leaves in Features. What of a product is no
// column is not filled in.
func ConvertFeatures(tx store.Tx, convert func(*Summary) error) error {
	with := []store.Cond{store.NotEqual("product_features", store.String(emptyDocument))}
	return table.Batches(tx, 500, with, func(list []Product) error {
		for i := range list {
			s := &list[i].Summary
			had := string(s.FeatureDocument)
			s.Features = documentsOf(s.FeatureDocument)
			if err := convert(s); err != nil {
				return err
			}
			if s.FeatureDocument = s.Features.documents(); string(s.FeatureDocument) == had {
				continue
			}
			if err := table.Update(tx, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
