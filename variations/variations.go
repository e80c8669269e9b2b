package variations

import (
	"cmp"
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Variations are the groups of products of a store that are variations of one another.
// The methods act for the user of their context: a user of one company finds only its
// groups; the host's own code, which has no user, finds all.
//
// Create makes a group of the products in ProductIDs. They differ by the features in
// Features; if it is empty, by all features with a variation purpose that each product
// has. Update changes the code; [Variations.Join] and [Variations.Detach] change the
// products. Delete makes the products simple ones.
//
// Hooks of BeforeSave and AfterSave run when a group is created and when its code changes,
// not when products join or leave it. Hooks of BeforeDelete run when the deletion of a group
// is asked for, not when a group ends because it has fewer than two products left.
type Variations struct {
	resource.Objects[Group]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Group] // Find, All

	api   *shopapi.API
	st    store.Store
	rows  resource.Collection[Group, Group]
	goods *products.Products

	features *features.Features
}

// Register creates the missing tables in st and adds the entity product_variations to the
// API; [Variations.RegisterGroups] adds product_variations_groups. Products and features
// belong to the same store.
func Register(ctx context.Context, api *shopapi.API, st store.Store, goods *products.Products, properties *features.Features) (*Variations, error) {
	v := &Variations{api: api, st: st, goods: goods, features: properties}
	var err error
	if v.rows, err = resource.New(api, st, definition(v)); err != nil {
		return nil, err
	}
	if err := v.rows.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := api.Register(&productEntity{goods.Entity(), v}); err != nil {
		return nil, err
	}
	api.BeforeDelete("products", v.deleteProducts)
	api.RefuseDelete("features", v.refuseFeatures)
	properties.BeforeSave(v.keepVariants)
	v.Objects = v.rows
	v.Lists = resource.ListsOf[Filter](v.rows)
	return v, goods.Use(part{v})
}

// RegisterGroups adds the entity product_variations_groups to the API.
func (v *Variations) RegisterGroups() error {
	return v.api.Register(&groupEntity{v.rows.Entity(), v})
}

func definition(v *Variations) resource.Definition[Group, Group] {
	return resource.Definition[Group, Group]{
		Name:       "product_variations_groups",
		Object:     "group of variations",
		Summary:    "Products that differ in the values of some features.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "id"}, {Key: "updated_at", Column: "updated_at"}},
		Rows: resource.Rows[Group, Group]{
			Tables:   []*store.Schema{members.Schema(), groupFeatures.Schema()},
			Load:     load,
			Write:    v.write,
			Remove:   v.remove,
			Conflict: func(error) error { return shopapi.Invalid("code", "is the code of another group") },
		},
		List:  resource.List[Group, Group]{Name: "groups"},
		Wire:  resource.Wire[Group, Group]{Bind: bind},
		Scope: resource.Scope[Group]{Company: func(g *Group) *int64 { return &g.CompanyID }},
		Rules: resource.Rules[Group]{
			Fields:   []shopapi.Rule{{Field: "product_ids", Required: true}},
			Defaults: func(_ context.Context, g *Group) { g.Code = cmp.Or(g.Code, newCode()) },
			Check:    v.check,
		},
	}
}

// A Filter says which groups a list holds.
type Filter struct {
	resource.ListOptions

	ProductIDs []int64 `json:"product_ids"` // groups with at least one of these
	FeatureIDs []int64 `json:"feature_ids"`

	UpdatedFrom string `json:"updated_at_from" match:"since=updated_at"` // seconds since 1970, or a date
	UpdatedTo   string `json:"updated_at_to" match:"until=updated_at"`
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	for _, by := range []struct {
		field, column string
		ids           []int64
		rows          *store.Schema
	}{
		{"product_ids", "product_id", f.ProductIDs, members.Schema()},
		{"feature_ids", "feature_id", f.FeatureIDs, groupFeatures.Schema()},
	} {
		if w.For(by.field).FitsList(len(by.ids)) && by.ids != nil {
			w.Add(store.InQuery("id", by.rows, "group_id", store.InInts(by.column, by.ids...)))
		}
	}
}
