package variations

import "github.com/shopapi/shopapi/products"

// A body has the members of payloads of variations that have an own form. It documents
// them.
type body struct {
	Features products.FeaturesBody `json:"product_features"`         // values by the ids of features
	Values   products.FeaturesBody `json:"variation_feature_values"` // changed values of the features of the group
}
