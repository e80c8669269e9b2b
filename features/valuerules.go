package features

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// maxValues bounds the features of one product, and the variants of one value.
const maxValues = 1000

// checkValues adds a problem for each invalid value that before does not have, and brings
// the values into their canonical form. within are the categories of the product with
// their ancestors.
func (f *Features) checkValues(ctx context.Context, tx store.Tx, before, after *products.Summary, within []int64, problems *shopapi.Problems) error {
	after.Features = slices.DeleteFunc(after.Features, func(v products.FeatureValue) bool {
		return v.Document == nil && v.Value == "" && len(v.VariantIDs) == 0
	})
	if len(after.Features) > maxValues {
		problems.Add("product_features", "must be at most %d, not %d", maxValues, len(after.Features))
		return nil
	}
	var changed []*products.FeatureValue
	for i := range after.Features {
		v := &after.Features[i]
		if had := before.Features.Of(v.FeatureID); had == nil || !had.Equal(v) {
			changed = append(changed, v)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	known, err := f.readKnown(ctx, tx, after, changed)
	if err != nil {
		return err
	}
	for _, v := range changed {
		if problem := known.check(v, within); problem != "" {
			problems.Add("product_features", "[%d]: %s", v.FeatureID, problem)
		}
		if had := before.Features.Of(v.FeatureID); had != nil && had.Equal(v) {
			*v = *had // another spelling of what it was
		}
	}
	return nil
}

// known are the features that values are of, and the features of their variants.
type known struct {
	features  map[int64]*Summary
	featureOf map[int64]int64
}

// A variantOf is the part of a variant that says of which feature it is.
type variantOf struct {
	VariantID int64 `json:"variant_id" store:"key"`
	FeatureID int64 `json:"feature_id"`
}

var variantsOf = store.Project[variantOf](variants)

// readKnown reads what values name, as far as a product may have it.
func (f *Features) readKnown(ctx context.Context, tx store.Tx, product *products.Summary, changed []*products.FeatureValue) (*known, error) {
	k := &known{featureOf: map[int64]int64{}}
	var featureIDs, variantIDs []int64
	for _, v := range changed {
		featureIDs = append(featureIDs, v.FeatureID)
		variantIDs = append(variantIDs, v.VariantIDs[:min(len(v.VariantIDs), maxValues)]...)
	}
	var err error
	if k.features, err = f.usableByID(ctx, tx, featureIDs...); err != nil {
		return k, err
	}
	maps.DeleteFunc(k.features, func(_ int64, s *Summary) bool { return !f.fits(s.CompanyID, product.CompanyID) })
	for some := range slices.Chunk(variantIDs, chunk) {
		found, err := store.ByKey(tx, variantsOf, some...)
		if err != nil {
			return k, err
		}
		for id, v := range found {
			k.featureOf[id] = v.FeatureID
		}
	}
	return k, nil
}

// fits reports whether a product of a company may have a feature of another: in the
// edition with several vendors only one of the whole shop's.
func (f *Features) fits(feature, product int64) bool {
	return f.api.Edition() != shopapi.MultiVendor || feature == product || feature == f.api.DefaultCompany()
}

// check returns the problem of a value for a product in categories, or "", and brings the
// value into its form.
func (k *known) check(v *products.FeatureValue, within []int64) (problem string) {
	f, ok := k.features[v.FeatureID]
	switch {
	case !ok:
		return "must be the id of a feature that exists"
	case f.Type == Group:
		return "is a group of features, and has no value"
	case v.Document != nil:
		return "must have a value or variants, and no document"
	case !f.appliesTo(within):
		return fmt.Sprintf("is only for products in the categories %s and below", f.CategoriesPath)
	case HasVariants(f.Type):
		return k.checkVariants(f, v)
	case len(v.VariantIDs) > 0:
		return "must have a value, and no variants: it is of the type " + f.Type
	}
	v.Value, problem = canonical(f.Type, v.Value)
	return problem
}

// appliesTo reports whether a feature is for products in categories, which are given
// with those above them.
func (f *Summary) appliesTo(within []int64) bool {
	only := f.CategoriesPath.IDs()
	return len(only) == 0 || slices.ContainsFunc(only, func(id int64) bool { return slices.Contains(within, id) })
}

func (k *known) checkVariants(f *Summary, v *products.FeatureValue) (problem string) {
	slices.Sort(v.VariantIDs)
	v.VariantIDs = slices.Compact(v.VariantIDs)
	switch {
	case v.Value != "":
		return "must have the id of a variant, and no value: it is of the type " + f.Type
	case IsSingle(f.Type) && len(v.VariantIDs) > 1:
		return "must have one variant: it is of the type " + f.Type
	case len(v.VariantIDs) > maxValues:
		return fmt.Sprintf("must have at most %d variants", maxValues)
	}
	for _, id := range v.VariantIDs {
		if k.featureOf[id] != f.FeatureID {
			return fmt.Sprintf("must have one of its own variants, not %d", id)
		}
	}
	return ""
}

// canonical is the one form of a value of a type without variants.
func canonical(kind, value string) (form, problem string) {
	switch kind {
	case Checkbox:
		var flag shopapi.Flag
		if flag.UnmarshalText([]byte(value)) != nil {
			return value, "must be Y or N: it is of the type C"
		}
		return flag.String(), ""
	case Number:
		n, ok := parseNumber(value)
		if !ok {
			return value, fmt.Sprintf("must be a number with at most ten digits and %d decimals: it is of the type O", numberScale)
		}
		return n.String(), ""
	case Date:
		n, ok := wire.ParseWhole(value)
		if !ok || n > maxNumber || n < -maxNumber {
			return value, "must be a date in seconds since 1970: it is of the type D"
		}
		return strconv.FormatInt(n, 10), ""
	}
	if len(value) > maxText {
		return value, fmt.Sprintf("must have at most %d bytes", maxText)
	}
	return value, ""
}
