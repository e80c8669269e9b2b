package features

import (
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/internal/variantlist"
	"github.com/shopapi/shopapi/store"
)

// A Variant is one of the values that products can have of a feature.
type Variant struct {
	VariantID int64  `json:"variant_id,string" store:"key" bind:"-"`
	Name      string `json:"variant" store:"fold,translated" rule:"required,len=255" hint:"the name of the variant"`

	// What a brand's page shows.
	Description     string `json:"description" store:"translated" rule:"bytes=65536,html"`
	PageTitle       string `json:"page_title" store:"translated" rule:"bytes=4096"`
	MetaKeywords    string `json:"meta_keywords" store:"translated" rule:"bytes=4096"`
	MetaDescription string `json:"meta_description" store:"translated" rule:"bytes=4096"`

	LangCode  string     `json:"lang_code" store:"-" bind:"-"` // that of the feature
	FeatureID int64      `json:"feature_id,string" bind:"-"`
	URL       string     `json:"url" rule:"bytes=4096"`
	Color     NullString `json:"color" types:"string null" rule:"bytes=255"` // such as #a0522d, for the filter style color
	Position  int64      `json:"position,string" rule:"min=0,max=int32"`
	SEOName   NullString `json:"seo_name" types:"string null" rule:"bytes=4096"`
	SEOPath   *string    `json:"seo_path" store:"-" bind:"-"` // nil: the library has no paths of variants
	ImagePair ImagePair  `json:"image_pair" types:"object null"`
}

var variants = store.MustTable[Variant]("product_feature_variants",
	store.Index{Columns: []string{"feature_id", "position"}})

// kind has what variants of features have in common with the variants of options.
var kind = variantlist.Kind[Variant]{Table: variants, Owner: "feature", Of: func(v *Variant) variantlist.Fields {
	return variantlist.Fields{ID: &v.VariantID, Owner: &v.FeatureID, Position: &v.Position, Image: &v.ImagePair.Pair}
}}

var variantRules = rules.MustOf[Variant]()

// An ImagePair is the image pair of a variant, such as a brand's logo: null on the wire
// when there is no image.
type ImagePair struct{ images.Pair }

// MarshalJSON writes the pair, or null.
func (p ImagePair) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (p ImagePair) AppendJSON(dst []byte) ([]byte, error) {
	if p.IsZero() {
		return append(dst, "null"...), nil
	}
	return p.Pair.AppendJSON(dst)
}

// A NullString is a text that is null on the wire when it is empty.
type NullString string

// MarshalJSON returns null for the empty text.
func (s NullString) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (s NullString) AppendJSON(dst []byte) ([]byte, error) {
	if s == "" {
		return append(dst, "null"...), nil
	}
	return jsonenc.AppendString(dst, string(s)), nil
}

// Variants are the variants of one feature. On the wire they are an object by id, or
// an empty array.
type Variants []Variant

// MarshalJSON writes the variants as an object by id.
func (vs Variants) MarshalJSON() ([]byte, error) { return vs.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (vs Variants) AppendJSON(dst []byte) ([]byte, error) {
	return jsonenc.AppendByID(dst, vs, func(v *Variant) int64 { return v.VariantID })
}

// validate checks a variant of a feature of a type.
func (v *Variant) validate(of string, problems *shopapi.Problems) {
	variantRules.Check(v, problems)
	if _, ok := parseNumber(v.Name); of == NumberSelect && !ok && !problems.Skips("variant") {
		problems.Add("variant", "must be a number for features of the type %s, such as 12.5", NumberSelect)
	}
	v.ImagePair.Check(problems, "image_pair")
	if scheme, _, found := strings.Cut(strings.ToLower(strings.TrimSpace(v.URL)), ":"); found && !problems.Skips("url") &&
		!slices.Contains([]string{"http", "https"}, scheme) && !strings.ContainsAny(scheme, "/?#") {
		problems.Add("url", "must be the address of a page: http, https, or a path")
	}
}
