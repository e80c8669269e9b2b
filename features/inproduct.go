package features

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// An inProduct is a feature in the context of a product: with its value, and all
// variants, of which those are selected that the product has.
type inProduct struct {
	Summary
	Code      string        `json:"feature_code"`
	Value     string        `json:"value"`
	ValueInt  NullString    `json:"value_int"`
	VariantID NullString    `json:"variant_id"`
	Variants  choosableList `json:"variants"`
}

// A choosable is a variant in the context of a product.
type choosable struct {
	Variant
	Type     string     `json:"feature_type"`
	Selected NullString `json:"selected"` // the id of the variant, or null
}

// choosableList are on the wire an object by id, or an empty array.
type choosableList []choosable

// MarshalJSON writes the variants as an object by id.
func (vs choosableList) MarshalJSON() ([]byte, error) { return vs.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (vs choosableList) AppendJSON(dst []byte) ([]byte, error) {
	return jsonenc.AppendByID(dst, vs, func(v *choosable) int64 { return v.VariantID })
}

// featuresOf reads the features that the product has values of and, with all, the
// features that apply to it, as far as also is true.
func (f *Features) featuresOf(ctx context.Context, tx store.Tx, p *products.Summary, all bool, also ...store.Cond) (list []Feature, err error) {
	var filled []int64
	for _, v := range p.Features {
		if v.Document == nil {
			filled = append(filled, v.FeatureID)
		}
	}
	conds := []store.Cond{store.InInts("feature_id", filled...)}
	if all {
		conds = []store.Cond{store.NotEqual("feature_type", store.String(Group))}
	}
	within, err := f.goods.Within(tx, p.CategoryIDs)
	if err != nil {
		return nil, err
	}
	err = table.Each(tx, store.Query{Where: append(conds, also...)}, func(feature *Feature) error {
		applies := f.usable(ctx, feature.CompanyID) && f.fits(feature.CompanyID, p.CompanyID) && feature.appliesTo(within)
		if applies || p.Features.Of(feature.FeatureID) != nil {
			list = append(list, *feature)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, f.rows.Texts().Load(ctx, tx, store.Pointers(list)...)
}

// inProductOf puts features into the context of a product.
func (f *Features) inProductOf(ctx context.Context, tx store.Tx, list []Feature, values products.Features) ([]*inProduct, error) {
	items := make([]*inProduct, len(list))
	at := make(map[int64]int, len(list)) // places in the list, by feature
	var ids []int64
	chosen := map[int64]bool{}
	for i := range list {
		item := &inProduct{Summary: list[i].Summary, Code: list[i].Code}
		items[i], at[item.FeatureID] = item, i
		if HasVariants(item.Type) {
			ids = append(ids, item.FeatureID)
		}
		if v := values.Of(item.FeatureID); v != nil && v.Document == nil {
			item.fill(v)
			for _, id := range v.VariantIDs {
				chosen[id] = true
			}
		}
	}
	return items, kind.Load(ctx, tx, f.variantTexts, ids, func(id int64, variants []Variant) {
		feature, item := &list[at[id]], items[at[id]]
		for _, v := range variants {
			v.LangCode = feature.LangCode
			c := choosable{Variant: v, Type: feature.Type}
			if chosen[v.VariantID] {
				c.Selected = NullString(shopapi.FormatID(v.VariantID))
				if feature.Type == NumberSelect {
					item.ValueInt = NullString(v.Name)
				}
			}
			item.Variants = append(item.Variants, c)
		}
	})
}

// fill sets the value of a product.
func (p *inProduct) fill(v *products.FeatureValue) {
	p.Value = v.Value
	if p.Type == Number || p.Type == Date {
		p.ValueInt = NullString(v.Value)
	}
	if IsSingle(p.Type) && len(v.VariantIDs) > 0 {
		p.VariantID = NullString(shopapi.FormatID(v.VariantIDs[0]))
	}
}
