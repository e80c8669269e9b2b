package exceptions

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Exceptions are the exceptions of a store's products. The methods act for the user of
// ctx: a user confined to a company sees only the exceptions of its products; without a
// user, as in the host's own code, all are visible.
//
// Create and Update refuse a product that does not exist, options that are not the
// product's or cannot be combined, variants of other options, and a combination that the
// product has already. Update replaces the whole combination. Hooks of BeforeDelete run
// when an exception is deleted alone, without its product. Lists at an address that Under
// adds name the product in product_id.
//
// Lists have the exceptions of one product, and none if it does not exist or the user may
// not see it. A filter without a product is a 400.
type Exceptions struct {
	resource.Objects[Exception]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Exception] // Find, All

	api  *shopapi.API
	st   store.Store
	rows resource.Collection[Exception, Exception]
	none tablecache.Cache[struct{}, bool] // whether the table is empty
}

// Register creates the missing table in st and adds the entity to the API. The
// exceptions of a product are deleted with it, also if the host registered the entity
// products.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Exceptions, error) {
	one := func(bool) int64 { return 1 }
	x := &Exceptions{api: api, st: st, none: tablecache.New[struct{}](st, 64<<10, one, table.Schema())}
	rows, err := resource.New(api, st, definition(x))
	if err != nil {
		return nil, err
	}
	x.Objects, x.Lists, x.rows = rows, resource.ListsOf[Filter](rows), rows
	if err := rows.Migrate(ctx); err != nil {
		return nil, err
	}
	served := resource.DeleteOf(rows, func(e *Exception) int64 { return e.ProductID }, func(f *Filter) *int64 { return f.ProductID })
	if err := api.Register(served); err != nil {
		return nil, err
	}
	api.BeforeDelete("products", x.deleteOf)
	return x, nil
}

func definition(x *Exceptions) resource.Definition[Exception, Exception] {
	product := resource.ByColumn("products", "product_id", func(e *Exception) *int64 { return &e.ProductID })
	return resource.Definition[Exception, Exception]{
		Name:       "exceptions",
		Object:     "exception",
		Summary:    "Combinations of a product's options that alone may be ordered, or that may not be.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "exception_id"}},
		Rows:       resource.Rows[Exception, Exception]{Conflict: func(error) error { return shopapi.Invalid("combination", "is an exception of the product already") }},
		List:       resource.List[Exception, Exception]{Shape: resource.Bare},
		Scope: resource.Scope[Exception]{
			Visible: func(ctx context.Context, _ store.Tx, e *Exception) (bool, error) {
				return visible(ctx, x.api, e.ProductID)
			},
			Owner: func(ctx context.Context, _ store.Tx, e *Exception) (shopapi.Ownership, error) {
				return x.owner(ctx, e.ProductID)
			},
			Parents: append([]resource.Parent[Exception]{product}, resource.Companies[Exception]()...),
		},
		Rules: resource.Rules[Exception]{Check: x.check},
	}
}
