package features

import (
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/products"
)

// A shownValue is a value as its product shows it.
type shownValue struct {
	FeatureID        int64         `json:"feature_id,string"`
	Value            string        `json:"value"`
	ValueInt         NullString    `json:"value_int"` // of numbers and dates
	VariantID        NullString    `json:"variant_id"`
	Type             string        `json:"feature_type"`
	InternalName     string        `json:"internal_name"`
	Description      string        `json:"description"`
	Prefix           string        `json:"prefix"`
	Suffix           string        `json:"suffix"`
	Variant          string        `json:"variant"`
	ParentID         int64         `json:"parent_id,string"`
	DisplayOnHeader  shopapi.Flag  `json:"display_on_header"`
	DisplayOnCatalog shopapi.Flag  `json:"display_on_catalog"`
	DisplayOnProduct shopapi.Flag  `json:"display_on_product"`
	Code             string        `json:"feature_code"`
	Purpose          string        `json:"purpose"`
	Hash             string        `json:"features_hash"` // what finds products with the value
	Variants         valueVariants `json:"variants"`
}

// A valueVariant is one variant of a value as its product shows it.
type valueVariant struct {
	Value     string      `json:"value"`
	ValueInt  NullString  `json:"value_int"`
	VariantID int64       `json:"variant_id,string"`
	Variant   string      `json:"variant"`
	Images    images.Pair `json:"image_pairs"` // one pair
}

// valueVariants are on the wire an object by id, or an empty array.
type valueVariants []valueVariant

// MarshalJSON writes the variants as an object by id.
func (vs valueVariants) MarshalJSON() ([]byte, error) { return vs.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (vs valueVariants) AppendJSON(dst []byte) ([]byte, error) {
	return jsonenc.AppendByID(dst, vs, func(v *valueVariant) int64 { return v.VariantID })
}

// A valueKey names a value that several products may have: one text, or one variant.
type valueKey struct {
	feature, variant int64
	text             string
}

// shown is a value as its product shows it. What several products have is encoded once.
func (d *dictionary) shown(v *products.FeatureValue) any {
	key := valueKey{feature: v.FeatureID, text: v.Value}
	if d.values == nil || len(v.VariantIDs) > 1 {
		return d.newShown(v)
	}
	if len(v.VariantIDs) == 1 {
		key.variant = v.VariantIDs[0]
	}
	shown, known := d.values[key]
	if first, ok := shown.(*shownValue); ok {
		if doc, err := jsonenc.Append(nil, first); err == nil {
			shown = shopapi.JSON(doc)
			d.values[key] = shown
		}
	}
	if !known {
		shown = d.newShown(v)
		d.values[key] = shown
	}
	return shown
}

func (d *dictionary) newShown(v *products.FeatureValue) *shownValue {
	f := d.features[v.FeatureID]
	s := &shownValue{
		FeatureID: v.FeatureID, Value: v.Value, Type: f.Type, InternalName: f.Description, Description: f.Description,
		Prefix: f.Prefix, Suffix: f.Suffix, ParentID: f.ParentID, Code: f.Code, Purpose: f.Purpose,
		DisplayOnHeader: f.DisplayOnHeader, DisplayOnCatalog: f.DisplayOnCatalog, DisplayOnProduct: f.DisplayOnProduct,
	}
	if f.Type == Number || f.Type == Date {
		s.ValueInt = NullString(v.Value)
	}
	hashes := make([]string, len(v.VariantIDs))
	for i, id := range v.VariantIDs {
		variant := valueVariant{VariantID: id, Variant: d.variants[id].Name, Images: d.variants[id].ImagePair}
		if f.Type == NumberSelect {
			variant.ValueInt = NullString(variant.Variant)
		}
		if IsSingle(f.Type) {
			s.VariantID, s.Variant, s.ValueInt = NullString(shopapi.FormatID(id)), variant.Variant, variant.ValueInt
		}
		s.Variants = append(s.Variants, variant)
		hashes[i] = shopapi.FormatID(v.FeatureID) + "-" + shopapi.FormatID(id)
	}
	s.Hash = strings.Join(hashes, "_")
	return s
}
