package variations

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// load fills in features and products of groups, in three reads however many groups
// there are.
func load(_ context.Context, tx store.Tx, list ...*Group) error {
	groups := make(map[int64]*Group, len(list))
	ids := make([]int64, len(list))
	for i, g := range list {
		g.Features, g.Products = []Feature{}, []Product{}
		groups[g.GroupID], ids[i] = g, g.GroupID
	}
	var featureIDs, productIDs []int64
	err := groupFeatures.Each(tx, store.Query{Where: []store.Cond{store.InInts("group_id", ids...)}}, func(f *groupFeature) error {
		g := groups[f.GroupID]
		g.Features = append(g.Features, featureOf(f.FeatureID, f.Purpose))
		featureIDs = append(featureIDs, f.FeatureID)
		return nil
	})
	if err != nil {
		return err
	}
	err = members.Each(tx, store.Query{
		Where: []store.Cond{store.InInts("group_id", ids...)},
		Order: []store.Order{store.Asc("group_id"), store.Asc("position")},
	}, func(m *member) error {
		g := groups[m.GroupID]
		g.Products = append(g.Products, Product{ProductID: m.ProductID, CompanyID: g.CompanyID, Values: []FeatureValue{}})
		productIDs = append(productIDs, m.ProductID)
		return nil
	})
	if err != nil {
		return err
	}
	of, err := features.VariantsOf(tx, productIDs, featureIDs)
	for _, g := range list {
		g.fill(of)
	}
	return err
}

// fill sets the values of the products of a group, and which of them is whose parent.
func (g *Group) fill(of map[int64]map[int64]int64) {
	parents := map[string]int64{}
	for i := range g.Products {
		p := &g.Products[i]
		item := ""
		for _, f := range g.Features {
			p.Values = append(p.Values, FeatureValue{f.FeatureID, of[p.ProductID][f.FeatureID]})
			if f.CreatesItem {
				item += fmt.Sprintf("%d ", of[p.ProductID][f.FeatureID])
			}
		}
		if parent, ok := parents[item]; ok {
			p.ParentProductID = parent
		} else {
			parents[item] = p.ProductID
		}
	}
}

// membership returns the row of a product, nil when it is in no group.
func membership(tx store.Tx, product int64) (*member, error) {
	m, err := members.First(tx, store.Query{Where: []store.Cond{store.Equal("product_id", store.Int(product))}})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &m, nil
}

// read reads a group with its features and products, whoever may see it.
func read(ctx context.Context, tx store.Tx, id int64) (Group, error) {
	g, err := table.Get(tx, id)
	if err != nil {
		return g, err
	}
	return g, load(ctx, tx, &g)
}

// write stores a group, with the products and features of a new one.
func (v *Variations) write(ctx context.Context, tx store.Tx, before, after *Group) error {
	isNew := before.GroupID == 0
	if err := v.rows.WriteRow(ctx, tx, before, after); err != nil || !isNew {
		return err
	}
	for _, f := range after.Features {
		if err := groupFeatures.Insert(tx, &groupFeature{GroupID: after.GroupID, FeatureID: f.FeatureID, Purpose: f.Purpose}); err != nil {
			return err
		}
	}
	for i, id := range after.ProductIDs {
		if err := members.Insert(tx, &member{GroupID: after.GroupID, ProductID: id, Position: int64(i)}); err != nil {
			return err
		}
	}
	return v.follow(ctx, tx, after.GroupID)
}

// follow brings the products of a group up to date: which of them are variations of
// which. A group that is left with one product goes.
func (v *Variations) follow(ctx context.Context, tx store.Tx, id int64) error {
	g, err := read(ctx, tx, id)
	if err != nil {
		return err
	}
	if len(g.Products) < 2 {
		v.api.Changed(ctx, "product_variations_groups", shopapi.OpDelete, shopapi.FormatID(id))
		return v.remove(ctx, tx, &g)
	}
	for _, p := range g.Products {
		if err := v.goods.SetVariation(ctx, tx, p.ProductID, p.ParentProductID); err != nil {
			return err
		}
	}
	return nil
}

// changed brings a group up to date whose products are others, and reports it.
func (v *Variations) changed(ctx context.Context, tx store.Tx, id int64) error {
	g, err := table.Get(tx, id)
	if err != nil {
		return err
	}
	resource.SetStamp(ctx, v.api, &g)
	if err := table.Update(tx, &g); err != nil {
		return err
	}
	v.api.Changed(ctx, "product_variations_groups", shopapi.OpUpdate, shopapi.FormatID(id))
	return v.follow(ctx, tx, id)
}

// remove removes a group. Its products become simple ones.
func (v *Variations) remove(ctx context.Context, tx store.Tx, g *Group) error {
	for _, p := range g.Products {
		if err := v.goods.SetVariation(ctx, tx, p.ProductID, 0); err != nil {
			return err
		}
	}
	of := store.Equal("group_id", store.Int(g.GroupID))
	if _, err := members.Delete(tx, of); err != nil {
		return err
	}
	if _, err := groupFeatures.Delete(tx, of); err != nil {
		return err
	}
	return table.DeleteKey(tx, g.GroupID)
}

// leave takes a product out of its group.
func (v *Variations) leave(ctx context.Context, tx store.Tx, m *member) error {
	if err := members.DeleteKey(tx, m.MemberID); err != nil {
		return err
	}
	if err := v.goods.SetVariation(ctx, tx, m.ProductID, 0); err != nil {
		return err
	}
	return v.changed(ctx, tx, m.GroupID)
}
