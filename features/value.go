package features

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/store"
)

// A value is a product's value of a feature. A [MultiSelect] has one value for each
// variant.
type value struct {
	ValueID   int64           `json:"value_id" store:"key"`
	ProductID int64           `json:"product_id"`
	FeatureID int64           `json:"feature_id"`
	VariantID int64           `json:"variant_id"`                // 0 where the feature has no variants
	Text      string          `json:"value"`                     // "" where it has
	Number    decimal.Decimal `json:"value_int" store:"scale=3"` // that of a Number or a Date
}

var values = store.MustTable[value]("product_features_values",
	store.Index{Columns: []string{"product_id", "feature_id", "variant_id"}, Unique: true},
	store.Index{Columns: []string{"feature_id", "variant_id", "product_id"}})
