package variations

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// Generate makes the products that are missing of the group of a product: one for each
// combination that no product of the group has. They are copies of the product, with the
// combination's values, amount 0 and an empty code, and independent of it afterwards. A
// product that is in no group gets one, by the features of the combinations.
//
// It returns the group, and the status of each product that the combinations name and
// of the one they were made from. It returns a 404 or, about combinations, a 400
// [*shopapi.Error].
func (v *Variations) Generate(ctx context.Context, product int64, combinations []Combination) (g Group, status map[int64]Status, err error) {
	err = v.on(ctx, product, func(ctx context.Context, tx store.Tx, p *products.Product) error {
		g, status, err = v.generate(ctx, tx, p, combinations)
		return err
	})
	return g, status, err
}

func (v *Variations) generate(ctx context.Context, tx store.Tx, p *products.Product, combinations []Combination) (Group, map[int64]Status, error) {
	g, err := v.groupFor(ctx, tx, p, combinations)
	if err != nil {
		return g, nil, err
	}
	isNew := g.GroupID == 0
	status := map[int64]Status{p.ProductID: Unchanged}
	if isNew {
		status[p.ProductID] = Added
	}
	taken := map[string]int64{}
	for i := range g.Products {
		values, _ := g.combination(g.Products[i].variants())
		taken[values] = g.Products[i].ProductID
	}
	copies, err := maxCopies(p)
	if err != nil {
		return g, nil, err
	}
	var added []int64
	for i, c := range combinations {
		values, missing := g.combination(c)
		if missing != 0 || len(c) != len(g.Features) {
			return g, nil, shopapi.Invalid("combinations", "[%d]: must have a variant of each of the features %s, and of no others", i, g.listedFeatures())
		}
		if id, exists := taken[values]; exists {
			if _, told := status[id]; !told {
				status[id] = Unchanged
			}
			continue
		}
		if len(g.Products)+len(added) >= maxProducts {
			return g, nil, shopapi.Invalid("combinations", "would make more than the %d products that a group may have", maxProducts)
		}
		if len(added) == copies {
			return g, nil, shopapi.Invalid("combinations", "must be at most %d new ones for this product: what one request copies has at most %d bytes", copies, maxCopied)
		}
		made, err := v.goods.CreateCopy(ctx, tx, p.ProductID, copyOf(p, c))
		if err != nil {
			return g, nil, combinationError(i, err)
		}
		added = append(added, made.ProductID)
		taken[values], status[made.ProductID] = made.ProductID, Added
	}
	g, err = v.grow(ctx, tx, g, added)
	return g, status, err
}

// maxCopied is how much one request copies of a product, in bytes as JSON.
const maxCopied = 4 << 20

// maxCopies is how many copies of a product one request makes.
func maxCopies(p *products.Product) (int, error) {
	text, err := jsonenc.Append(nil, p)
	return maxCopied / max(1, len(text)), err
}

// grow puts products into a group, which is made where it is new.
func (v *Variations) grow(ctx context.Context, tx store.Tx, g Group, added []int64) (Group, error) {
	switch {
	case g.GroupID == 0 && len(added) == 0:
		return g, shopapi.Invalid("combinations", "must have one that the product does not have itself: it would stay alone")
	case g.GroupID == 0:
		g.ProductIDs = append([]int64{g.Products[0].ProductID}, added...)
		g.Products = nil
		return v.rows.Create(ctx, g)
	case len(added) == 0:
		return g, nil
	}
	if err := v.add(ctx, tx, &g, added...); err != nil {
		return g, err
	}
	return read(ctx, tx, g.GroupID)
}

// groupFor is the group of a product, or a new one of it alone by the features of the
// combinations.
func (v *Variations) groupFor(ctx context.Context, tx store.Tx, p *products.Product, combinations []Combination) (Group, error) {
	m, err := membership(tx, p.ProductID)
	if err != nil {
		return Group{}, err
	}
	if m != nil {
		return read(ctx, tx, m.GroupID)
	}
	g := Group{CompanyID: p.CompanyID}
	ids := slices.Sorted(maps.Keys(combinations[0]))
	known, err := features.ByID(tx, ids[:min(len(ids), maxFeatures)]...)
	if err != nil {
		return g, err
	}
	alone := Product{ProductID: p.ProductID, CompanyID: p.CompanyID}
	for _, id := range ids {
		f, ok := known[id]
		if !ok || f.Purpose != features.GroupItem && f.Purpose != features.GroupVariantItem {
			return g, shopapi.Invalid("combinations", "must have features with the purpose %s or %s, not %d", features.GroupItem, features.GroupVariantItem, id)
		}
		has := p.Features.Of(id)
		if has == nil || len(has.VariantIDs) != 1 {
			return g, shopapi.Invalid("combinations", "must have features of which the product has a variant: it has none of %d (%d)", id, NoValues)
		}
		g.Features = append(g.Features, featureOf(id, f.Purpose))
		alone.Values = append(alone.Values, FeatureValue{id, has.VariantIDs[0]})
	}
	g.Products = []Product{alone}
	return g, nil
}

// copyOf is a new product like p with other values.
func copyOf(p *products.Product, c Combination) products.Product {
	n := *p
	n.ProductID, n.Amount, n.Code, n.SEOName, n.Timestamp = 0, 0, "", "", 0
	n.Type, n.ParentProductID = products.Simple, 0
	n.CategoryIDs = slices.Clone(p.CategoryIDs)
	n.Features = nil
	for _, value := range p.Features {
		if value.Document == nil {
			n.Features = append(n.Features, products.FeatureValue{FeatureID: value.FeatureID, Value: value.Value, VariantIDs: slices.Clone(value.VariantIDs)})
		}
	}
	for _, feature := range slices.Sorted(maps.Keys(c)) {
		n.Features.Set(products.FeatureValue{FeatureID: feature, VariantIDs: []int64{c[feature]}})
	}
	return n
}

// combinationError says of which combination an error about the features of its
// product is.
func combinationError(i int, err error) error {
	if e, ok := errors.AsType[*shopapi.Error](err); ok && e.Fields["product_features"] != "" {
		return shopapi.Invalid("combinations", "[%d]: %s", i, e.Fields["product_features"])
	}
	return err
}
