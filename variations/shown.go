package variations

import (
	"context"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// LoadProducts implements [products.Loader], in five reads and two more for names.
func (v part) LoadProducts(ctx context.Context, tx store.Tx, r products.Reading, list ...*products.Summary) error {
	d := r.Variation
	if r.Purpose == products.Values || d == (products.VariationDetails{}) {
		return nil
	}
	groups, err := groupsOf(ctx, tx, list)
	if err != nil || len(groups) == 0 {
		return err
	}
	n := names{}
	if d.Name || d.Variants {
		if err := n.read(ctx, tx, v.Variations, groups); err != nil {
			return err
		}
	}
	for _, s := range list {
		g := groups[s.ProductID]
		if g == nil {
			continue
		}
		p := g.product(s.ProductID)
		shown := &products.ShownVariation{}
		if d.Info {
			shown.GroupID, shown.GroupCode, shown.ParentID = g.GroupID, g.Code, p.ParentProductID
			shown.SubGroup, shown.FeatureIDs, shown.Features = g.subGroup(p), g.featureIDs(), g.collection()
		}
		if d.Name {
			shown.Name = n.called(s.Name, p)
		}
		if d.Variants {
			shown.Variants = n.variants(g, p)
		}
		s.Variation = shown
	}
	return nil
}

// groupsOf reads the groups that products are in, by product.
func groupsOf(ctx context.Context, tx store.Tx, list []*products.Summary) (map[int64]*Group, error) {
	ids := make([]int64, len(list))
	for i, s := range list {
		ids[i] = s.ProductID
	}
	in := store.InInts("product_id", ids...)
	rows, err := table.Select(tx, store.Query{Where: []store.Cond{store.InQuery("id", members.Schema(), "group_id", in)}})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	groups := store.Pointers(rows)
	if err := load(ctx, tx, groups...); err != nil {
		return nil, err
	}
	of := map[int64]*Group{}
	for _, g := range groups {
		for i := range g.Products {
			of[g.Products[i].ProductID] = g
		}
	}
	return of, nil
}

// product returns the product of a group with the id, which must be in it.
func (g *Group) product(id int64) *Product {
	for i := range g.Products {
		if g.Products[i].ProductID == id {
			return &g.Products[i]
		}
	}
	return nil
}

// subGroup names the products of a group that agree in the features that make products
// of their own: by the variants of these, as features_hash does.
func (g *Group) subGroup(p *Product) string {
	var pairs []string
	for i, f := range g.Features {
		if f.CreatesItem {
			pairs = append(pairs, shopapi.FormatID(f.FeatureID)+"-"+shopapi.FormatID(p.Values[i].VariantID))
		}
	}
	return strings.Join(pairs, "_")
}

// collection is the features of a group with their purposes, by their ids.
func (g *Group) collection() shopapi.Map {
	m := make(shopapi.Map, len(g.Features))
	for i, f := range g.Features {
		id := shopapi.FormatID(f.FeatureID)
		m[i] = shopapi.Member{Name: id, Value: shopapi.Map{{Name: "feature_id", Value: id}, {Name: "purpose", Value: f.Purpose}}}
	}
	return m
}

// names are what the features of groups and the variants of their products are called.
type names struct{ ofFeatures, ofVariants map[int64]string }

func (n *names) read(ctx context.Context, tx store.Tx, v *Variations, groups map[int64]*Group) (err error) {
	var features, variants []int64
	for _, g := range groups {
		features = append(features, g.featureIDs()...)
		for i := range g.Products {
			for _, value := range g.Products[i].Values {
				variants = append(variants, value.VariantID)
			}
		}
	}
	n.ofFeatures, n.ofVariants, err = v.features.Names(ctx, tx, unique(features), unique(variants))
	return err
}

// called returns the name of a product with its distinguishing values, as in "Mug, Glaze:
// Matt".
func (n *names) called(name string, p *Product) string {
	for _, value := range p.Values {
		name += ", " + n.ofFeatures[value.FeatureID] + ": " + n.ofVariants[value.VariantID]
	}
	return name
}

// A shownVariant is a variant that products of a group have.
type shownVariant struct {
	VariantID int64  `json:"variant_id,string"`
	Variant   string `json:"variant"`
	ProductID int64  `json:"product_id,string"` // that differs from this one in nothing else or, without such a one, has the variant
}

// A shownFeature is a feature of a group as a product of it shows it.
type shownFeature struct {
	FeatureID   int64       `json:"feature_id,string"`
	Description string      `json:"description"`
	Purpose     string      `json:"purpose"`
	VariantID   int64       `json:"variant_id,string"` // of the product
	Variant     string      `json:"variant"`
	Variants    shopapi.Map `json:"variants"` // the variants of all products of the group, by id
}

// variants are the features of a group, by their ids, with the variants that its products
// have.
func (n *names) variants(g *Group, p *Product) shopapi.Map {
	m := make(shopapi.Map, len(g.Features))
	for i, f := range g.Features {
		own := p.Values[i].VariantID
		shown := shownFeature{FeatureID: f.FeatureID, Description: n.ofFeatures[f.FeatureID], Purpose: f.Purpose, VariantID: own, Variant: n.ofVariants[own]}
		at := map[int64]*shownVariant{}
		for j := range g.Products {
			q := &g.Products[j]
			id := q.Values[i].VariantID
			known := at[id]
			if known == nil {
				known = &shownVariant{id, n.ofVariants[id], q.ProductID}
				at[id] = known
				shown.Variants = append(shown.Variants, shopapi.Member{Name: shopapi.FormatID(id), Value: known})
			}
			if differsOnlyIn(i, p, q) {
				known.ProductID = q.ProductID
			}
		}
		m[i] = shopapi.Member{Name: shopapi.FormatID(f.FeatureID), Value: &shown}
	}
	return m
}

// differsOnlyIn reports whether two products of a group have the same variants of all its
// features but perhaps the i-th.
func differsOnlyIn(i int, p, q *Product) bool {
	for j := range p.Values {
		if j != i && p.Values[j].VariantID != q.Values[j].VariantID {
			return false
		}
	}
	return true
}

func unique(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}
