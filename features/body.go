package features

import "github.com/shopapi/shopapi/images"

// A body has the members of payloads of features that bind reads itself (§17). It
// documents them.
type body struct {
	Variants       []variantBody `json:"variants"`         // all variants that the feature is to have, by their ids or with variant_id
	OriginalVarIDs []int64       `json:"original_var_ids"` // the variants that the sender has seen: others stay
}

// A variantBody is one of variants.
type variantBody struct {
	VariantID int64 `json:"variant_id"` // none for a new one
	Variant
	ImagePair images.Pair `json:"image_pair"`
}
