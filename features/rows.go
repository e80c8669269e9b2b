package features

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// chunk is how many ids one statement names.
const chunk = 500

// loadGroups fills in the positions of the groups that features lie in, in one read.
func loadGroups(_ context.Context, tx store.Tx, list ...*Summary) error {
	var ids []int64
	for _, s := range list {
		s.GroupPosition = 0
		if s.ParentID != 0 && !slices.Contains(ids, s.ParentID) {
			ids = append(ids, s.ParentID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	groups, err := store.ByKey(tx, summaries, ids...)
	for _, s := range list {
		if group := groups[s.ParentID]; group != nil {
			s.GroupPosition = group.Position
		}
	}
	return err
}

// loadVariants sets the variants of features, in one read, with their texts.
func (f *Features) loadVariants(ctx context.Context, tx store.Tx, features ...*Feature) error {
	byID := make(map[int64]*Feature, len(features))
	var ids []int64
	for _, feature := range features {
		feature.Variants = Variants{}
		if HasVariants(feature.Type) {
			byID[feature.FeatureID] = feature
			ids = append(ids, feature.FeatureID)
		}
	}
	if !resource.Wants(ctx, "variants") {
		return nil
	}
	return kind.Load(ctx, tx, f.variantTexts, ids, func(id int64, list []Variant) {
		for i := range list {
			list[i].LangCode = byID[id].LangCode
		}
		byID[id].Variants = list
	})
}

// write stores a feature and its variants.
func (f *Features) write(ctx context.Context, tx store.Tx, before, after *Feature) error {
	if err := f.rows.WriteRow(ctx, tx, before, after); err != nil {
		return err
	}
	if err := f.removeVariants(ctx, tx, after.FeatureID, kind.Gone(before.Variants, after.Variants)); err != nil {
		return err
	}
	return kind.Write(ctx, tx, f.variantTexts, after.FeatureID, before.Variants, after.Variants)
}

// removeVariants removes variants of a feature, and the values that products have of
// them.
func (f *Features) removeVariants(ctx context.Context, tx store.Tx, feature int64, ids []int64) error {
	for some := range slices.Chunk(ids, chunk) {
		of := []store.Cond{store.Equal("feature_id", store.Int(feature)), store.InInts("variant_id", some...)}
		if err := f.deleteValues(ctx, tx, shopapi.OpUpdate, of...); err != nil {
			return err
		}
		if err := kind.Delete(tx, f.variantTexts, store.InInts("variant_id", some...)); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a feature with its variants and values. The features of a deleted group
// lose their group.
func (f *Features) remove(ctx context.Context, tx store.Tx, feature *Feature) error {
	of := store.Equal("feature_id", store.Int(feature.FeatureID))
	if err := f.deleteValues(ctx, tx, shopapi.OpDelete, of); err != nil {
		return err
	}
	if err := kind.Delete(tx, f.variantTexts, of); err != nil {
		return err
	}
	members, err := table.Select(tx, store.Query{Where: []store.Cond{store.Equal("parent_id", store.Int(feature.FeatureID))}})
	if err != nil {
		return err
	}
	for i := range members {
		members[i].ParentID = 0
		if err := table.Update(tx, &members[i]); err != nil {
			return err
		}
		f.api.Changed(ctx, "features", shopapi.OpUpdate, shopapi.FormatID(members[i].FeatureID), "parent_id")
	}
	return table.DeleteKey(tx, feature.FeatureID)
}

// deleteOf removes the values of products that are being deleted.
func (f *Features) deleteOf(ctx context.Context, ids []int64) error {
	return f.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		return f.deleteValues(ctx, tx, shopapi.OpDelete, store.InInts("product_id", ids...))
	})
}
