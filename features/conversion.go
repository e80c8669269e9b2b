package features

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// Conversions are those of rows that older versions of the library wrote (§24):
// documents of products become values of features. What does not fit the features that
// there are stays a document.
func Conversions() []store.Conversion {
	return []store.Conversion{{
		Name:   "products: values of features",
		Tables: append(Schemas(), products.Schemas()...),
		Convert: func(_ context.Context, tx store.Tx) error {
			var c converter
			if err := products.ConvertFeatures(tx, func(s *products.Summary) error { return c.convert(tx, s) }); err != nil {
				return err
			}
			return reserve(tx, c.greatest)
		},
	}}
}

// A converter makes values of documents.
type converter struct {
	greatest int64 // id of a feature that a document names
}

// convert stores what of the documents of a product are values of features. Other
// rules than those on the values themselves, such as the categories of a feature, came
// later than they.
func (c *converter) convert(tx store.Tx, s *products.Summary) error {
	var ids []int64
	for _, v := range s.Features {
		ids = append(ids, v.FeatureID)
		c.greatest = max(c.greatest, v.FeatureID)
	}
	for some := range slices.Chunk(ids, chunk) {
		list, err := summaries.Select(tx, store.Query{Where: []store.Cond{store.InInts("feature_id", some...)}})
		if err != nil {
			return err
		}
		for i := range list {
			if err := c.convertValue(tx, s, &list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// convertValue stores the value of one feature, if the document of it is one.
func (c *converter) convertValue(tx store.Tx, s *products.Summary, f *Summary) error {
	doc := s.Features.Of(f.FeatureID).Document
	var bound products.Features
	if problem := bindValue(&bound, f.FeatureID, f.Type, json.RawMessage(doc)); problem != "" || len(bound) == 0 {
		return nil
	}
	k := known{features: map[int64]Summary{f.FeatureID: *f}, featureOf: map[int64]int64{}}
	for some := range slices.Chunk(bound[0].VariantIDs, chunk) {
		if err := k.readVariants(tx, some); err != nil {
			return err
		}
	}
	if k.check(&bound[0], f.CategoriesPath.IDs()) != "" {
		return nil
	}
	for _, row := range rowsOf(s.ProductID, &bound[0]) {
		if err := values.Insert(tx, &row); err != nil {
			return err
		}
	}
	s.Features.Clear(f.FeatureID)
	return nil
}

// reserve has new features get ids above those that documents name: an old document is
// not to be taken for a value of a new feature.
func reserve(tx store.Tx, greatest int64) error {
	if greatest == 0 || greatest > math.MaxInt32 {
		return nil // what nobody numbers features by
	}
	exists, err := table.Exists(tx, greatest)
	if err != nil || exists {
		return err
	}
	if err := table.Insert(tx, &Feature{Summary: Summary{FeatureID: greatest}}); err != nil {
		return err
	}
	return table.DeleteKey(tx, greatest)
}
