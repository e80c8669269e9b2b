package features

import (
	"context"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// A ProductFeature is what a product has of a feature, with names in the language of the
// context.
type ProductFeature struct {
	FeatureID int64
	Type      string // such as Select
	Code      string // of the feature, the shop's own
	Name      string // of the feature

	Prefix, Suffix string // surround the value

	Value    string           // Y or N, a text, a number or seconds since 1970; "" of a type with variants
	Variants []ProductVariant // by id; nil of a type without variants
}

// A ProductVariant is a variant that a product has.
type ProductVariant struct {
	VariantID int64
	Name      string
}

// OfProducts returns the features that each of the products has, by id, in a number of
// reads that does not depend on the number of products. Products that have none, that do
// not exist or that the user of ctx may not see are left out. products.Product.Features has
// the values without names, and sets them.
func (f *Features) OfProducts(ctx context.Context, ids ...int64) (map[int64][]ProductFeature, error) {
	of := map[int64][]ProductFeature{}
	if f.goods == nil || len(ids) == 0 {
		return of, nil
	}
	ctx = f.api.Confine(ctx)
	err := f.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		rows, d, err := f.readShown(ctx, tx, append(products.OfVisible(ctx, "product_id"), store.InInts("product_id", ids...))...)
		if err != nil || len(rows) == 0 {
			return err
		}
		clear(of)
		for _, row := range rows {
			of[row.ProductID] = d.appendTo(of[row.ProductID], row)
		}
		return nil
	})
	return of, err
}

// appendTo adds a value to those of a product. The values of one feature follow each
// other.
func (d *dictionary) appendTo(list []ProductFeature, row namedValue) []ProductFeature {
	if len(list) == 0 || list[len(list)-1].FeatureID != row.FeatureID {
		f := d.features[row.FeatureID]
		list = append(list, ProductFeature{
			FeatureID: f.FeatureID, Type: f.Type, Code: f.Code, Name: f.Description, Prefix: f.Prefix, Suffix: f.Suffix, Value: row.Text,
		})
	}
	if row.VariantID != 0 {
		last := &list[len(list)-1]
		last.Variants = append(last.Variants, ProductVariant{row.VariantID, d.variants[row.VariantID].Name})
	}
	return list
}
