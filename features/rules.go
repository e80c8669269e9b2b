package features

import (
	"context"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

const (
	maxVariants = 7_000    // of a feature
	maxChanged  = 500      // variants that one request adds or changes
	maxText     = 64 << 10 // bytes of a value
)

var types = []string{Checkbox, MultiSelect, Select, NumberSelect, Brand, Text, Number, Date, Group}

// keep has purpose and styles follow another type.
func keep(after, before *Feature, _ *shopapi.Problems) {
	if before.FeatureID != 0 {
		after.followType(&before.Summary)
	}
	kind.KeepImages(after.Variants, before.Variants)
}

// normalize brings a feature into the form in which it is stored.
func normalize(f *Feature, problems *shopapi.Problems) {
	f.fillStyle()
	resource.NormalizeIDs(problems, "categories_path", &f.CategoriesPath)
	if f.Variants == nil || !HasVariants(f.Type) {
		f.Variants = Variants{}
	}
	kind.Sort(f.Variants)
	for i := range f.Variants {
		f.Variants[i].LangCode = f.LangCode
		f.Variants[i].ImagePair.Normalize()
	}
}

// check reports the problems of a feature that is to be stored.
func (f *Features) check(ctx context.Context, tx store.Tx, before, after *Feature, problems *shopapi.Problems) error {
	after.validateStyle(problems)
	if err := after.checkVariants(before.Variants, problems); err != nil {
		return err
	}
	if err := resource.CheckIDs(ctx, f.api, problems, "categories_path", "categories", after.CategoriesPath); err != nil {
		return err
	}
	if err := f.checkParent(ctx, tx, before, after, problems); err != nil {
		return err
	}
	if before.FeatureID == 0 || before.Type == after.Type || problems.Has("feature_type") {
		return nil
	}
	return checkNewType(tx, before, after, problems)
}

// validateStyle checks purpose and styles. A group has none; a feature without a filter
// style is not shown as a filter.
func (f *Feature) validateStyle(problems *shopapi.Problems) {
	if !slices.Contains(types, f.Type) {
		return // nothing follows from it
	}
	if f.Type == Group {
		for _, own := range [][2]string{{"purpose", f.Purpose}, {"feature_style", f.FeatureStyle}, {"filter_style", f.FilterStyle}} {
			if own[1] != "" && !problems.Skips(own[0]) {
				problems.Add(own[0], "must be empty, since the feature is a group, not %s", plain.Quoted(own[1]))
			}
		}
		return
	}
	problems.OneOf("purpose", f.Purpose, purposes...)
	problems.OneOf("feature_style", f.FeatureStyle, featureStyles...)
	if f.FilterStyle != "" {
		problems.OneOf("filter_style", f.FilterStyle, filterStyles...)
	}
	if tellsVariations(f.Purpose) && !IsSingle(f.Type) && !problems.Skips("purpose") {
		problems.Add("purpose", "%s is only for features of the types S, N and E: variations differ in one variant of each", f.Purpose)
	}
}

// checkVariants checks the variants.
func (f *Feature) checkVariants(had Variants, problems *shopapi.Problems) error {
	if len(f.Variants) > maxVariants {
		problems.Add("variants", "must be at most %d, not %d", maxVariants, len(f.Variants))
		return nil
	}
	return kind.Check(had, f.Variants, problems, func(v, old *Variant) (string, error) {
		return kind.Problem(old, v, nil, func(p *shopapi.Problems) { v.validate(f.Type, p) })
	})
}

// maxNesting bounds how deep groups lie in one another.
const maxNesting = 10

// checkParent reports a parent that is not a visible group, or that lies in the feature
// itself.
func (f *Features) checkParent(ctx context.Context, tx store.Tx, before, after *Feature, problems *shopapi.Problems) error {
	if after.ParentID == before.ParentID || after.ParentID <= 0 || problems.Has("parent_id") {
		return nil
	}
	known, err := f.usableByID(ctx, tx, after.ParentID)
	if err != nil {
		return err
	}
	group := known[after.ParentID]
	switch {
	case group == nil:
		problems.Add("parent_id", "must be the id of a feature that exists, or 0, not %d", after.ParentID)
		return nil
	case group.Type != Group:
		problems.Add("parent_id", "must be the id of a feature of the type G, a group, or 0: %d is of the type %s", after.ParentID, group.Type)
		return nil
	}
	for range maxNesting {
		switch {
		case before.FeatureID != 0 && group.FeatureID == before.FeatureID:
			problems.Add("parent_id", "must not be a group that lies in the feature itself, nor the feature")
			return nil
		case group.ParentID == 0:
			return nil
		}
		above, err := summaries.Get(tx, group.ParentID)
		if err != nil {
			return err
		}
		group = &above
	}
	problems.Add("parent_id", "must be a group that lies in at most %d others", maxNesting-1)
	return nil
}

// usableByID reads the features with these ids that objects of ctx may refer to.
func (f *Features) usableByID(ctx context.Context, tx store.Tx, ids ...int64) (map[int64]*Summary, error) {
	known, err := store.ByKey(tx, summaries, ids...)
	maps.DeleteFunc(known, func(_ int64, s *Summary) bool { return !f.usable(ctx, s.CompanyID) })
	return known, err
}

// usable reports whether objects of ctx may refer to a feature of a company: their own
// company and, with vendors, the default company, whose features are shared.
func (f *Features) usable(ctx context.Context, company int64) bool {
	common := f.api.Edition() == shopapi.MultiVendor && company == f.api.DefaultCompany()
	return common || resource.Visible(ctx, company)
}

// checkNewType reports a new type of a feature that has values that do not fit it, or
// that is a group with features.
func checkNewType(tx store.Tx, before, after *Feature, problems *shopapi.Problems) error {
	id := store.Int(before.FeatureID)
	if before.Type == Group {
		n, err := table.Count(tx, store.Equal("parent_id", id))
		if n > 0 {
			problems.Add("feature_type", "must stay %s: %d features lie in this group. Give them another parent_id first", Group, n)
		}
		return err
	}
	if IsSingle(before.Type) && HasVariants(after.Type) {
		return nil // one variant fits all of these types
	}
	n, err := values.Count(tx, store.Equal("feature_id", id))
	if n > 0 {
		problems.Add("feature_type", "must stay %s while products have values of it: there are %d. Clear them first", before.Type, n)
	}
	return err
}
