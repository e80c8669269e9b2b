package features

import (
	"slices"

	"github.com/shopapi/shopapi/store"
)

// VariantsOf returns the variant that each of some products has of each of some
// features of the types S, N and E, by product and feature, in one read.
func VariantsOf(tx store.Tx, products, features []int64) (map[int64]map[int64]int64, error) {
	of := make(map[int64]map[int64]int64, len(products))
	err := values.Each(tx, store.Query{Where: []store.Cond{
		store.InInts("product_id", products...), store.InInts("feature_id", features...), store.NotEqual("variant_id", store.Int(0)),
	}}, func(v *value) error {
		if of[v.ProductID] == nil {
			of[v.ProductID] = make(map[int64]int64, len(features))
		}
		of[v.ProductID][v.FeatureID] = v.VariantID
		return nil
	})
	return of, err
}

// ByID reads features in one read, without their variants. Unknown ids are left out; the
// features may include ones that the user cannot see.
func ByID(tx store.Tx, ids ...int64) (map[int64]Summary, error) {
	byID := make(map[int64]Summary, len(ids))
	err := summaries.Each(tx, store.Query{Where: []store.Cond{store.InInts("feature_id", ids...)}}, func(s *Summary) error {
		byID[s.FeatureID] = *s
		return nil
	})
	return byID, err
}

// VariationFeatures returns the features with a variation purpose of which all the
// products have a value.
func VariationFeatures(tx store.Tx, products ...int64) ([]Summary, error) {
	if len(products) == 0 {
		return nil, nil
	}
	list, err := summaries.Select(tx, store.Query{Where: []store.Cond{
		store.In("purpose", store.String(GroupItem), store.String(GroupVariantItem)),
		store.InQuery("feature_id", values.Schema(), "feature_id", store.Equal("product_id", store.Int(products[0]))),
	}})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].FeatureID
	}
	of, err := VariantsOf(tx, products, ids)
	return slices.DeleteFunc(list, func(f Summary) bool {
		return slices.ContainsFunc(products, func(id int64) bool { return of[id][f.FeatureID] == 0 })
	}), err
}
