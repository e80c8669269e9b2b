package variations

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A part is the groups of variations as a part of products.
type part struct{ *Variations }

var (
	_ products.Loader   = part{}
	_ products.Checker  = part{}
	_ products.Writer   = part{}
	_ products.Filterer = part{}
)

// PartName implements [products.Part].
func (part) PartName() string { return "product_variations" }

// sameValues reports whether a change does not concern the rules of groups.
func sameValues(before, after *products.Summary) bool {
	return before.CompanyID == after.CompanyID &&
		slices.EqualFunc(before.Features, after.Features, func(a, b products.FeatureValue) bool { return a.Equal(&b) })
}

// CheckProduct implements [products.Checker]: a product fits its group.
func (v part) CheckProduct(ctx context.Context, tx store.Tx, before, after *products.Summary, problems *shopapi.Problems) error {
	if before.ProductID == 0 || sameValues(before, after) {
		return nil
	}
	m, err := membership(tx, before.ProductID)
	if err != nil || m == nil {
		return err
	}
	g, err := read(ctx, tx, m.GroupID)
	if err != nil {
		return err
	}
	of := map[int64]int64{}
	for _, f := range g.Features {
		if value := after.Features.Of(f.FeatureID); value != nil && len(value.VariantIDs) == 1 {
			of[f.FeatureID] = value.VariantIDs[0]
		}
	}
	switch status, other := g.status(before.ProductID, after.CompanyID, of); status {
	case Unchanged:
	case OtherCompany:
		problems.Add("company_id", "%s", g.refusal(status, other))
	default:
		problems.Add("product_features", "%s", g.refusal(status, other))
	}
	return nil
}

// WriteProduct implements [products.Writer]: the group follows the values of the product.
func (v part) WriteProduct(ctx context.Context, tx store.Tx, before, after *products.Product) error {
	if before.ProductID == 0 || sameValues(&before.Summary, &after.Summary) {
		return nil
	}
	m, err := membership(tx, after.ProductID)
	if err != nil || m == nil {
		return err
	}
	if after.MasterProductID != 0 {
		if err := checkOffer(ctx, tx, m.GroupID, after); err != nil {
			return err
		}
	}
	if err := v.follow(ctx, tx, m.GroupID); err != nil {
		return err
	}
	known, err := products.ByID(tx, after.ProductID)
	after.Type, after.ParentProductID = known[after.ProductID].Type, known[after.ProductID].ParentProductID
	return err
}

// checkOffer refuses values of an offer that do not fit its group. A change of the common product
// sets them without [part.CheckProduct].
func checkOffer(ctx context.Context, tx store.Tx, group int64, offer *products.Product) error {
	g, err := read(ctx, tx, group)
	if err != nil {
		return err
	}
	of, err := features.VariantsOf(tx, []int64{offer.ProductID}, g.featureIDs())
	if err != nil {
		return err
	}
	if status, other := g.status(offer.ProductID, offer.CompanyID, of[offer.ProductID]); status != Unchanged {
		return shopapi.Invalid("product_features", "of the offer %d %s", offer.ProductID, g.refusal(status, other))
	}
	return nil
}

// FilterProducts implements [products.Filterer].
func (v part) FilterProducts(w *resource.Where, f *products.Filter) {
	if f.GroupID != nil {
		w.Add(inGroups(store.Equal("group_id", store.Int(*f.GroupID))))
	}
	if f.VariationsOf != nil {
		w.Add(inGroups(store.InQuery("group_id", members.Schema(), "group_id", store.Equal("product_id", store.Int(*f.VariationsOf)))))
	}
	if f.HasGroup != nil {
		in := inGroups()
		if !*f.HasGroup {
			in = store.Not(in)
		}
		w.Add(in)
	}
}

// inGroups is the condition on products that are in a group which meets the conditions.
func inGroups(groups ...store.Cond) store.Cond {
	return store.InQuery("product_id", members.Schema(), "product_id", groups...)
}

// deleteProducts removes products that are being deleted from their groups. If a parent
// is deleted, its next variation becomes the parent.
func (v *Variations) deleteProducts(ctx context.Context, ids []int64) error {
	return v.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		list, err := members.Select(tx, store.Query{Where: []store.Cond{store.InInts("product_id", ids...)}})
		if err != nil || len(list) == 0 {
			return err
		}
		var groups []int64
		for _, m := range list {
			if !slices.Contains(groups, m.GroupID) {
				groups = append(groups, m.GroupID)
			}
		}
		if _, err := members.Delete(tx, store.InInts("product_id", ids...)); err != nil {
			return err
		}
		for _, id := range groups {
			if err := v.changed(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// refuseFeatures keeps features by which the products of groups differ.
func (v *Variations) refuseFeatures(ctx context.Context, ids []int64) error {
	return v.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		used, err := groupFeatures.Select(tx, store.Query{Where: []store.Cond{store.InInts("feature_id", ids...)}, Limit: 1})
		if err != nil || len(used) == 0 {
			return err
		}
		return shopapi.Errorf(400, "The products of the group of variations %d differ by the feature %d. Delete the group first.", used[0].GroupID, used[0].FeatureID)
	})
}

// keepVariants keeps the variants, and the kind of type, of features by which the
// products of groups differ.
func (v *Variations) keepVariants(ctx context.Context, tx store.Tx, old, after *features.Feature) error {
	if old == nil {
		return nil
	}
	stays := make(map[int64]bool, len(after.Variants))
	for i := range after.Variants {
		stays[after.Variants[i].VariantID] = true
	}
	gone := slices.ContainsFunc(old.Variants, func(had features.Variant) bool { return !stays[had.VariantID] })
	if !gone && features.IsSingle(after.Type) {
		return nil
	}
	used, err := groupFeatures.Select(tx, store.Query{Where: []store.Cond{store.Equal("feature_id", store.Int(old.FeatureID))}})
	if err != nil || len(used) == 0 {
		return err
	}
	if !features.IsSingle(after.Type) {
		return shopapi.Invalid("feature_type", "must be S, N or E: the products of the group of variations %d differ by the feature", used[0].GroupID)
	}
	for _, f := range used {
		g, err := table.Get(tx, f.GroupID)
		if err == nil {
			err = load(ctx, tx, &g)
		}
		if err != nil {
			return err
		}
		for _, p := range g.Products {
			if id := p.variants()[old.FeatureID]; !stays[id] {
				return shopapi.Invalid("variants", "must have the variant %d: by it the product %d differs from others of the group of variations %d", id, p.ProductID, g.GroupID)
			}
		}
	}
	return nil
}
