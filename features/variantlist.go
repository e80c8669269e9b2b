package features

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// registerVariants adds the list of the variants of a feature at
// features/<id>/variants. They are changed through their feature.
func (f *Features) registerVariants(ctx context.Context) error {
	rows, err := resource.New(f.api, f.st, resource.Definition[Variant, Variant]{
		Name:       "variants",
		Object:     "variant",
		Summary:    "The variants of one feature.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      variants,
		Operations: []shopapi.Operation{shopapi.OpList, shopapi.OpGet},
		Sorts:      []resource.Sort{{Key: "position", Column: "position"}, {Key: "id", Column: "variant_id"}, {Key: "name", Column: "variant"}},
		Rows:       resource.Rows[Variant, Variant]{Load: f.loadLanguage},
		Scope:      resource.Scope[Variant]{Parents: []resource.Parent[Variant]{resource.ByColumn("features", "feature_id", func(v *Variant) *int64 { return &v.FeatureID })}},
	})
	if err != nil {
		return err
	}
	if err := rows.Migrate(ctx); err != nil {
		return err
	}
	return f.api.RegisterUnder("features", rows.Entity())
}

// loadLanguage says in variants which language they were asked for.
func (f *Features) loadLanguage(ctx context.Context, _ store.Tx, list ...*Variant) error {
	code, err := f.rows.Language(ctx)
	for _, v := range list {
		v.LangCode = code
	}
	return err
}
