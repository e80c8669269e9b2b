package products

import (
	"context"

	"github.com/shopapi/shopapi"
)

// VariationDetails are the details of their groups that products show.
type VariationDetails struct {
	Info     bool // the group, and the features by which its products differ
	Name     bool // the name of the product with its distinguishing values
	Variants bool // the variants that the products of the group have
}

// A ShownVariation is the group of a product as the product shows it. Fields that were
// not requested are zero.
type ShownVariation struct {
	GroupID    int64
	GroupCode  string
	ParentID   int64   // the product that it is a variation of, or 0
	SubGroup   string  // its variants of the features that make products of their own
	FeatureIDs []int64 // by which the products differ
	Features   shopapi.Map
	Name       string
	Variants   shopapi.Map
}

// variationExtras are the fields of answers about groups of variations.
type variationExtras struct {
	// the values that distinguish the product within its group
	VariationFeatures   Features    `json:"variation_features"`
	VariationGroupID    *string     `json:"variation_group_id,omitempty"`
	VariationGroupCode  *string     `json:"variation_group_code,omitempty"`
	VariationParent     *string     `json:"variation_parent_product_id,omitempty"` // 0 for a parent
	VariationSubGroup   *string     `json:"variation_sub_group_id,omitempty"`      // shared with its parent and the parent's other variations
	VariationFeatureIDs []string    `json:"variation_feature_ids,omitempty"`       // by which the products of the group differ
	VariationCollection shopapi.Map `json:"variation_feature_collection,omitempty"`
	VariationName       *string     `json:"variation_name,omitempty"`
	// the values of the group's products
	VariationVariants shopapi.Map `json:"variation_features_variants,omitempty"`
}

func variationExtrasOf(s *Summary) (e variationExtras) {
	v := s.Variation
	if v == nil {
		return e
	}
	if v.GroupID != 0 {
		id, parent := shopapi.FormatID(v.GroupID), shopapi.FormatID(v.ParentID)
		e.VariationGroupID, e.VariationGroupCode, e.VariationParent, e.VariationSubGroup = &id, &v.GroupCode, &parent, &v.SubGroup
		e.VariationCollection = v.Features
		for _, id := range v.FeatureIDs {
			e.VariationFeatureIDs = append(e.VariationFeatureIDs, shopapi.FormatID(id))
			if value := s.Features.Of(id); value != nil {
				e.VariationFeatures = append(e.VariationFeatures, *value)
			}
		}
	}
	if v.Name != "" {
		e.VariationName = &v.Name
	}
	e.VariationVariants = v.Variants
	return e
}

type variationDetailsKey struct{}

// WithVariationDetails returns a context in which a product that is read on its own shows
// of which group it is.
func WithVariationDetails(ctx context.Context, d VariationDetails) context.Context {
	return context.WithValue(ctx, variationDetailsKey{}, d)
}
