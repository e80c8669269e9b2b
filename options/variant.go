package options

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/internal/variantlist"
	"github.com/shopapi/shopapi/store"
)

// A Variant is one of the answers to an option. Its modifiers are added to price,
// weight and reward points of the product when it is chosen.
type Variant struct {
	VariantID int64  `json:"variant_id,string" store:"key" bind:"-"`
	OptionID  int64  `json:"option_id,string" bind:"-"`
	Position  int64  `json:"position,string" rule:"min=0,max=int32"`
	Name      string `json:"variant_name" store:"translated" rule:"required,len=255" hint:"the name of the variant"`

	// The types are Absolute or Percent.
	Modifier           decimal.Decimal `json:"modifier" store:"scale=3"`
	ModifierType       string          `json:"modifier_type" rule:"oneof=A P,default=A"`
	WeightModifier     decimal.Decimal `json:"weight_modifier" store:"scale=3"`
	WeightModifierType string          `json:"weight_modifier_type" rule:"oneof=A P,default=A"`
	PointModifier      decimal.Decimal `json:"point_modifier" store:"scale=3"`
	PointModifierType  string          `json:"point_modifier_type" rule:"oneof=A P,default=A"`

	ImagePair images.Pair `json:"image_pair"`
}

var variants = store.MustTable[Variant]("product_option_variants",
	store.Index{Columns: []string{"option_id", "position"}})

// kind has what variants of options have in common with the variants of features.
var kind = variantlist.Kind[Variant]{Table: variants, Owner: "option", Of: func(v *Variant) variantlist.Fields {
	return variantlist.Fields{ID: &v.VariantID, Owner: &v.OptionID, Position: &v.Position, Image: &v.ImagePair}
}}

var variantRules = rules.MustOf[Variant]()

// The types of modifiers.
const (
	Absolute = "A" // in the unit of the modified price or weight
	Percent  = "P" // of the modified price or weight
)

// Variants are the variants of one option. On the wire they are an object by id, or
// an empty array.
type Variants []Variant

// MarshalJSON writes the variants as an object by id.
func (vs Variants) MarshalJSON() ([]byte, error) { return vs.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (vs Variants) AppendJSON(dst []byte) ([]byte, error) {
	return jsonenc.AppendByID(dst, vs, func(v *Variant) int64 { return v.VariantID })
}

// byID returns the variant with the id, nil when there is none.
func (vs Variants) byID(id int64) *Variant {
	for i := range vs {
		if id != 0 && vs[i].VariantID == id {
			return &vs[i]
		}
	}
	return nil
}

const modifierScale = 3

var modifierRule = rules.TenDigits(modifierScale)

// normalize sets defaults, gives the modifiers their three decimals, and reports modifiers
// that need more.
func (v *Variant) normalize(problems *shopapi.Problems) {
	variantRules.SetDefaults(v, nil)
	rules.NormalizeAmount(problems, "modifier", &v.Modifier, modifierRule)
	rules.NormalizeAmount(problems, "weight_modifier", &v.WeightModifier, modifierRule)
	rules.NormalizeAmount(problems, "point_modifier", &v.PointModifier, modifierRule)
}

// validate checks a variant without its option.
func (v *Variant) validate(problems *shopapi.Problems) {
	variantRules.Check(v, problems)
	v.ImagePair.Check(problems, "image_pair")
}

// problem returns the problem of a variant that is to be stored, or "", and brings the
// variant into its form. had is the stored variant, zero for a new one: unchanged fields
// are not checked.
func (v *Variant) problem(had *Variant) (string, error) {
	return kind.Problem(had, v, v.normalize, v.validate)
}
