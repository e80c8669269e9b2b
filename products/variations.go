package products

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Entity returns the HTTP entity of products, for entities that are products too.
func (p *Products) Entity() resource.Entity { return p.rows.Entity() }

// SetVariation makes a product a variation of another one or, with 0, a simple one, in
// the transaction that changes its group.
func (p *Products) SetVariation(ctx context.Context, tx store.Tx, id, parent int64) error {
	product, err := table.Get(tx, id)
	if err != nil {
		return err
	}
	kind := Simple
	if parent != 0 {
		kind = Variation
	}
	if product.Type == kind && product.ParentProductID == parent {
		return nil
	}
	product.Type, product.ParentProductID = kind, parent
	p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(id), "parent_product_id", "product_type")
	resource.SetStamp(ctx, p.api, &product)
	return table.Update(tx, &product)
}

// A VariationFilter is the part of a [Filter] that asks for variations.
type VariationFilter struct {
	GroupID           *int64        `json:"variation_group_id"`
	HasGroup          *shopapi.Flag `json:"has_variation_group"`
	VariationsOf      *int64        `json:"variations_by_product_id"` // products in the group of this product
	IncludeVariations *shopapi.Flag `json:"include_child_variations"` // N leaves out products of type V
	GroupVariations   *shopapi.Flag `json:"group_child_variations"`   // Y leaves them out

	// Details of their groups that products show; they do not filter.
	GetInfo     shopapi.Flag `json:"get_variation_info"`
	GetName     shopapi.Flag `json:"get_variation_name"`
	GetVariants shopapi.Flag `json:"get_variation_features_variants"`
}

// details are what the filter has products show of their groups.
func (f *VariationFilter) details() VariationDetails {
	return VariationDetails{Info: bool(f.GetInfo), Name: bool(f.GetName), Variants: bool(f.GetVariants)}
}

// withoutGroups adds the conditions for products without groups: no product is in one
// (decisions §5).
func (f *VariationFilter) withoutGroups(w *resource.Where) {
	if f.GroupID != nil || f.VariationsOf != nil || f.HasGroup != nil && bool(*f.HasGroup) {
		w.Add(store.Any())
	}
}

// where adds the condition on the type of products.
func (f *VariationFilter) where(w *resource.Where) {
	if f.IncludeVariations != nil && !bool(*f.IncludeVariations) || f.GroupVariations != nil && bool(*f.GroupVariations) {
		w.Add(store.NotEqual("product_type", store.String(Variation)))
	}
}
