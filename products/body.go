package products

// A body has the members of payloads that products read without binding (§16). It is for the
// OpenAPI document alone.
type body struct {
	Features FeaturesBody `json:"product_features"` // values by the ids of features
}

// A FeaturesBody is the form that values of features have in payloads, by the ids of the
// features. It documents them.
type FeaturesBody map[int64]featureBody

// A featureBody is one of product_features: an object, or the id of a variant.
type featureBody struct{}

// PayloadForms implements [shopapi.PayloadFormer].
func (featureBody) PayloadForms() []any { return []any{ValueBody{}, int64(0)} }

// A ValueBody is the form that the value of a feature has in payloads: the member that
// fits the type of the feature. It documents them.
type ValueBody struct {
	Value     any            `json:"value"`                   // a text, or Y and N
	ValueInt  any            `json:"value_int"`               // a number, or a date in seconds
	VariantID int64          `json:"variant_id" empty:"true"` // the chosen variant
	Variants  ChosenVariants `json:"variants"`                // the chosen variants
}

// ChosenVariants are the ids of variants, or objects with them.
type ChosenVariants struct{}

// PayloadForms implements [shopapi.PayloadFormer].
func (ChosenVariants) PayloadForms() []any {
	return []any{[]struct {
		VariantID int64 `json:"variant_id"`
	}{}, []int64{}}
}
