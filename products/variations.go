package products

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A VariationSource has the groups of products that are variations of one another,
// which are another package's. Its methods run in the transaction of the read or the
// change that asks.
type VariationSource interface {
	// CheckVariation notes what of a change does not fit the group of the product.
	CheckVariation(ctx context.Context, tx store.Tx, before, after *Summary, problems *shopapi.Problems) error

	// FollowVariation brings the group of a product up to date that was stored.
	FollowVariation(ctx context.Context, tx store.Tx, before, after *Product) error

	// LoadVariations fills in the Variation of those of the products that are in groups,
	// in a fixed number of reads.
	LoadVariations(ctx context.Context, tx store.Tx, d VariationDetails, list ...*Summary) error

	// InGroups is the condition on products that they are in one of the groups, or
	// in any where none is named.
	InGroups(groups ...int64) store.Cond

	// InGroupOf is the condition on products that they are in the group of one.
	InGroupOf(product int64) store.Cond
}

// UseVariations has changes of products keep to the rules of their groups. It is called
// before the first request is served.
func (p *Products) UseVariations(source VariationSource) { p.variations = source }

// Entity is what answers for products over HTTP, for entities that are products too.
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
	p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(id))
	return table.Update(tx, &product)
}

// A VariationFilter is the part of a [Filter] that asks for variations.
type VariationFilter struct {
	GroupID           *int64        `json:"variation_group_id"`
	HasGroup          *shopapi.Flag `json:"has_variation_group"`
	VariationsOf      *int64        `json:"variations_by_product_id"` // those in the group of this product
	IncludeVariations *shopapi.Flag `json:"include_child_variations"` // N leaves out those of type V
	GroupVariations   *shopapi.Flag `json:"group_child_variations"`   // Y leaves them out

	// What the products show of their groups, which leaves none of them out.
	GetInfo     shopapi.Flag `json:"get_variation_info"`
	GetName     shopapi.Flag `json:"get_variation_name"`
	GetVariants shopapi.Flag `json:"get_variation_features_variants"`
}

// details are what the filter has products show of their groups.
func (f *VariationFilter) details() VariationDetails {
	return VariationDetails{Info: bool(f.GetInfo), Name: bool(f.GetName), Variants: bool(f.GetVariants)}
}

// where adds the conditions of the filter. Where there are no variations nothing is
// found by their groups (decisions §5).
func (f *VariationFilter) where(w *resource.Where, source VariationSource) {
	if f.IncludeVariations != nil && !bool(*f.IncludeVariations) || f.GroupVariations != nil && bool(*f.GroupVariations) {
		w.Add(store.NotEqual("product_type", store.String(Variation)))
	}
	inGroups := func(...int64) store.Cond { return store.Any() }
	inGroupOf := func(int64) store.Cond { return store.Any() }
	if source != nil {
		inGroups, inGroupOf = source.InGroups, source.InGroupOf
	}
	if f.GroupID != nil {
		w.Add(inGroups(*f.GroupID))
	}
	if f.VariationsOf != nil {
		w.Add(inGroupOf(*f.VariationsOf))
	}
	if f.HasGroup != nil {
		in := inGroups()
		if !*f.HasGroup {
			in = store.Not(in)
		}
		w.Add(in)
	}
}

// checkVariation notes what does not fit the group of a product.
func (p *Products) checkVariation(ctx context.Context, tx store.Tx, before, after *Summary, problems *shopapi.Problems) error {
	if p.variations == nil || before.ProductID == 0 {
		return nil
	}
	return p.variations.CheckVariation(ctx, tx, before, after, problems)
}

// followVariation brings the group of a product up to date.
func (p *Products) followVariation(ctx context.Context, tx store.Tx, before, after *Product) error {
	if p.variations == nil || before.ProductID == 0 {
		return nil
	}
	return p.variations.FollowVariation(ctx, tx, before, after)
}
