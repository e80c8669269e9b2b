package variations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Status is the result for a product of a change of a group.
type Status int64

// The statuses.
const (
	Unchanged         Status = 0
	Added             Status = 1
	Updated           Status = 2
	UnknownError      Status = 200
	OtherCompany      Status = 253
	CombinationExists Status = 254 // another product of the group has the same values
	NoValues          Status = 255 // of a feature of the group
)

// How many products and features a group may have.
const (
	maxProducts = 1000
	maxFeatures = 20
)

// check reports the problems of a group that is to be stored, and completes a new one.
func (v *Variations) check(ctx context.Context, tx store.Tx, before, after *Group, problems *shopapi.Problems) error {
	if before.GroupID == 0 {
		after.Code = cmp.Or(after.Code, newCode())
	} else {
		problems.Required("code", after.Code, "a code of the group")
	}
	if isDigits(after.Code) && !problems.Skips("code") {
		problems.Add("code", "must not be a number: at the same addresses numbers are ids")
	}
	if strings.ContainsAny(after.Code, "/") && !problems.Skips("code") {
		problems.Add("code", "must not have a slash: it stands in addresses")
	}
	if before.GroupID != 0 {
		after.CompanyID = before.CompanyID
		return nil
	}
	return v.checkNew(ctx, tx, after, problems)
}

// isDigits reports whether a code is made of digits.
func isDigits(code string) bool { return code != "" && strings.Trim(code, "0123456789") == "" }

// checkNew checks the products and features of a new group.
func (v *Variations) checkNew(ctx context.Context, tx store.Tx, g *Group, problems *shopapi.Problems) error {
	switch {
	case len(g.ProductIDs) < 2:
		problems.Add("product_ids", "is required: the ids of two products or more")
	case len(g.ProductIDs) > maxProducts:
		problems.Add("product_ids", "must be at most %d products", maxProducts)
	case len(g.Features) > maxFeatures:
		problems.Add("features", "must be at most %d features", maxFeatures)
	}
	if problems.Has("product_ids") || problems.Has("features") {
		return nil
	}
	known, err := products.ByID(tx, g.ProductIDs...)
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	for _, id := range g.ProductIDs {
		p, ok := known[id]
		switch {
		case !ok || !resource.Visible(ctx, p.CompanyID):
			problems.Add("product_ids", "must be ids of products that exist, not %d", id)
		case seen[id]:
			problems.Add("product_ids", "must name the product %d once only", id)
		case p.CompanyID != known[g.ProductIDs[0]].CompanyID:
			problems.Add("product_ids", "must be products of one company: %d is of another (%d)", id, OtherCompany)
		}
		seen[id] = true
	}
	if problems.Has("product_ids") {
		return nil
	}
	g.CompanyID = known[g.ProductIDs[0]].CompanyID
	if n, err := members.Count(tx, store.InInts("product_id", g.ProductIDs...)); err != nil || n > 0 {
		problems.Add("product_ids", "must be products that are in no group: %d of these are in one", n)
		return err
	}
	if err := chooseFeatures(ctx, tx, g, problems); err != nil || problems.Has("features") || problems.Has("product_ids") {
		return err
	}
	return g.checkValues(tx, problems)
}

// chooseFeatures completes the features of a new group: without any they are those by
// which variations differ and that the first product has.
func chooseFeatures(_ context.Context, tx store.Tx, g *Group, problems *shopapi.Problems) error {
	var ids []int64
	if len(g.Features) == 0 {
		found, err := features.VariationFeatures(tx, g.ProductIDs...)
		for _, f := range found {
			g.Features = append(g.Features, featureOf(f.FeatureID, f.Purpose))
		}
		if err == nil && len(found) == 0 {
			problems.Add("product_ids", "must be products that have variants of a feature with the purpose %s or %s (%d)", features.GroupItem, features.GroupVariantItem, NoValues)
		}
		return err
	}
	for _, f := range g.Features {
		ids = append(ids, f.FeatureID)
	}
	known, err := features.ByID(tx, ids...)
	for i, f := range g.Features {
		stored, ok := known[f.FeatureID]
		if f.Purpose == "" {
			f.Purpose = stored.Purpose
		}
		switch {
		case !ok || !features.IsSingle(stored.Type):
			problems.Add("features", "must be features of the types S, N and E that exist, not %d", f.FeatureID)
		case f.Purpose != features.GroupItem && f.Purpose != features.GroupVariantItem:
			problems.Add("features", "must have the purpose %s or %s", features.GroupItem, features.GroupVariantItem)
		case slices.Contains(ids[:i], f.FeatureID):
			problems.Add("features", "must name the feature %d once only", f.FeatureID)
		}
		g.Features[i] = featureOf(f.FeatureID, f.Purpose)
	}
	return err
}

// checkValues notes when products of a new group lack a value of its features, or have
// the same ones.
func (g *Group) checkValues(tx store.Tx, problems *shopapi.Problems) error {
	of, err := features.VariantsOf(tx, g.ProductIDs, g.featureIDs())
	if err != nil {
		return err
	}
	taken := map[string]int64{}
	for _, id := range g.ProductIDs {
		values, missing := g.combination(of[id])
		if missing != 0 {
			problems.Add("product_ids", "must be products with a variant of each feature of the group: %d has none of the feature %d (%d)", id, missing, NoValues)
		} else if other, exists := taken[values]; exists {
			problems.Add("product_ids", "must be products with different values: %d and %d have the same (%d)", other, id, CombinationExists)
		}
		taken[values] = id
	}
	return nil
}

// featureIDs are the ids of the features of a group.
func (g *Group) featureIDs() []int64 {
	ids := make([]int64, len(g.Features))
	for i := range g.Features {
		ids[i] = g.Features[i].FeatureID
	}
	return ids
}

// listedFeatures are the ids of the features of a group in messages, such as "31, 32".
func (g *Group) listedFeatures() string {
	list := make([]string, len(g.Features))
	for i := range g.Features {
		list[i] = shopapi.FormatID(g.Features[i].FeatureID)
	}
	return strings.Join(list, ", ")
}

// combination is the values of a product as one text; missing is the first feature
// that it has no variant of.
func (g *Group) combination(of map[int64]int64) (values string, missing int64) {
	var b strings.Builder
	for _, f := range g.Features {
		if of[f.FeatureID] == 0 && missing == 0 {
			missing = f.FeatureID
		}
		fmt.Fprintf(&b, "%d ", of[f.FeatureID])
	}
	return b.String(), missing
}

// variants are the values of a product of a group by feature.
func (p *Product) variants() map[int64]int64 {
	of := make(map[int64]int64, len(p.Values))
	for _, v := range p.Values {
		of[v.FeatureID] = v.VariantID
	}
	return of
}

// status returns the result of adding a product with some values to a group: 0 if it
// fits. other is the product with the same values.
func (g *Group) status(product, company int64, of map[int64]int64) (status Status, other int64) {
	values, missing := g.combination(of)
	switch {
	case company != g.CompanyID:
		return OtherCompany, 0
	case missing != 0:
		return NoValues, 0
	}
	for i := range g.Products {
		if p := &g.Products[i]; p.ProductID != product {
			if same, _ := g.combination(p.variants()); same == values {
				return CombinationExists, p.ProductID
			}
		}
	}
	return Unchanged, 0
}

// refusal says in words why a product does not fit a group.
func (g *Group) refusal(status Status, other int64) string {
	switch status {
	case OtherCompany:
		return fmt.Sprintf("does not fit: the products of the group %s are of another company (%d)", g.Code, status)
	case NoValues:
		return fmt.Sprintf("does not fit: products of the group %s have a variant of each of the features %s (%d)", g.Code, g.listedFeatures(), status)
	}
	return fmt.Sprintf("does not fit: in the group %s the product %d has the same values (%d)", g.Code, other, status)
}
