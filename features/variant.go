package features

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/rules"
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

// byID returns the variants that have an id by it.
func (vs Variants) byID() map[int64]*Variant {
	m := make(map[int64]*Variant, len(vs))
	for i := range vs {
		if vs[i].VariantID != 0 {
			m[vs[i].VariantID] = &vs[i]
		}
	}
	return m
}

// sort sorts the variants by position. New variants come last within a position.
func (vs Variants) sort() {
	slices.SortStableFunc(vs, func(a, b Variant) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(uint64(a.VariantID-1), uint64(b.VariantID-1)))
	})
}

// problem returns the problem of a variant of a feature of a type, or "". had is the
// stored variant, zero for a new one: unchanged fields are not checked.
func (v *Variant) problem(kind string, had *Variant) (string, error) {
	var problems shopapi.Problems
	if had.VariantID != 0 {
		changed, err := variants.Changed(had, v)
		if err != nil {
			return "", err
		}
		problems.SkipAllBut(changed, variants.Schema())
	}
	v.validate(kind, &problems)
	if err := problems.Err(); err != nil {
		return words(err), nil
	}
	return "", nil
}

func (v *Variant) validate(kind string, problems *shopapi.Problems) {
	variantRules.Check(v, problems)
	if _, ok := parseNumber(v.Name); kind == NumberSelect && !ok && !problems.Skips("variant") {
		problems.Add("variant", "must be a number for features of the type %s, such as 12.5", NumberSelect)
	}
	v.ImagePair.Check(problems, "image_pair")
	if scheme, _, found := strings.Cut(strings.ToLower(strings.TrimSpace(v.URL)), ":"); found && !problems.Skips("url") &&
		!slices.Contains([]string{"http", "https"}, scheme) && !strings.ContainsAny(scheme, "/?#") {
		problems.Add("url", "must be the address of a page: http, https, or a path")
	}
}

// words returns the text of an error about fields as a part of a sentence.
func words(err error) string { return strings.TrimSuffix(err.Error(), ".") }
