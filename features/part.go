package features

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A part is the features as a part of products: their values.
type part struct{ *Features }

var (
	_ products.Loader   = part{}
	_ products.Binder   = part{}
	_ products.Checker  = part{}
	_ products.Writer   = part{}
	_ products.Filterer = part{}
)

// PartName implements [products.Part].
func (part) PartName() string { return "features" }

// BindProduct implements [products.Binder] for product_features and then
// variation_feature_values. Features that they leave out stay unchanged.
func (f part) BindProduct(ctx context.Context, payload *shopapi.Payload, s *products.Summary) error {
	for _, field := range []string{"product_features", "variation_feature_values"} {
		if !payload.Has(field) {
			continue
		}
		if err := f.bindValues(ctx, field, payload.Raw(field), s); err != nil {
			return err
		}
	}
	return nil
}

// CheckProduct implements [products.Checker]. It also brings the values into their
// canonical form.
func (f part) CheckProduct(ctx context.Context, tx store.Tx, before, after *products.Summary, problems *shopapi.Problems) error {
	same := slices.EqualFunc(before.Features, after.Features, func(a, b products.FeatureValue) bool { return a.Equal(&b) })
	if same || problems.Has("product_features") {
		return nil
	}
	within, err := f.goods.Within(tx, after.CategoryIDs)
	if err != nil {
		return err
	}
	return f.checkValues(ctx, tx, before, after, within, problems)
}

// FilterProducts implements [products.Filterer] for features_hash.
func (part) FilterProducts(w *resource.Where, f *products.Filter) {
	if f.FeaturesHash == "" {
		return
	}
	conds, problem := hashConds(f.FeaturesHash)
	if problem != "" {
		w.Problems.Add("features_hash", "%s", problem)
	}
	w.Add(conds...)
}

// hashConds returns the conditions on products for a feature hash: feature and variant
// ids as in "10-86_11-90". Variants of one feature are alternatives. The problem
// describes an invalid hash.
func hashConds(hash string) (conds []store.Cond, problem string) {
	wanted := map[int64][]int64{}
	var order []int64
	for pair := range strings.SplitSeq(hash, "_") {
		left, right, _ := strings.Cut(pair, "-")
		feature, err := strconv.ParseInt(left, 10, 64)
		variant, err2 := strconv.ParseInt(right, 10, 64)
		if err != nil || err2 != nil || feature < 1 || variant < 1 {
			return nil, "must be pairs of ids of features and variants, such as 10-86_11-90"
		}
		if wanted[feature] == nil {
			order = append(order, feature)
		}
		wanted[feature] = append(wanted[feature], variant)
	}
	if len(order) > maxHashed {
		return nil, "must name at most " + strconv.Itoa(maxHashed) + " features"
	}
	for _, feature := range order {
		conds = append(conds, store.InQuery("product_id", values.Schema(), "product_id",
			store.Equal("feature_id", store.Int(feature)), store.InInts("variant_id", wanted[feature]...)))
	}
	return conds, ""
}

// maxHashed bounds the features that products are found by at once: each is a
// sub-query.
const maxHashed = 20
