package options

// A body has the members of payloads of options that bind reads itself (§17). It
// documents them.
type body struct {
	Variants []variantBody `json:"variants"` // all variants that the option is to have, by their ids or with variant_id
	MainPair struct {
		Icon struct {
			ImagePath map[string]string `json:"image_path"` // by the keys in variants
			Alt       map[string]string `json:"alt"`
		} `json:"icon"`
	} `json:"main_pair"` // the icons of the variants
}

// A variantBody is one of variants.
type variantBody struct {
	VariantID int64 `json:"variant_id"` // none for a new one
	Variant
}
