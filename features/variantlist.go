package features

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// registerVariants adds the list of the variants of a feature at
// features/<id>/variants. They are changed through their feature.
func (f *Features) registerVariants() error {
	rows, err := resource.New(f.api, f.st, resource.Definition[Variant, Variant]{
		Name:       "variants",
		Object:     "variant",
		Summary:    "The variants of one feature.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      variants,
		Operations: []shopapi.Operation{shopapi.OpList, shopapi.OpGet},
		Parents:    []resource.Parent[Variant]{resource.ByColumn("features", "feature_id", func(v *Variant) *int64 { return &v.FeatureID })},
		Load:       loadLanguage,
		Sorts:      []resource.Sort{{Key: "position", Column: "position"}, {Key: "id", Column: "variant_id"}, {Key: "name", Column: "variant"}},
	})
	if err != nil {
		return err
	}
	return f.api.RegisterUnder("features", rows.Entity())
}

// loadLanguage fills in the language of variants of one feature.
func loadLanguage(_ context.Context, tx store.Tx, list ...*Variant) error {
	f, err := table.Get(tx, list[0].FeatureID)
	for _, v := range list {
		v.LangCode = f.LangCode
	}
	return err
}
