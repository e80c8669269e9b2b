package taxes

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Taxes are the taxes of a store.
//
// Delete also removes the id of a tax from the lists of products, payment and shipping
// methods. The taxes of existing orders stay.
type Taxes struct {
	resource.Objects[Tax]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Tax] // Find, All

	rows resource.Collection[Tax, Tax]
}

// Register creates the missing tables in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Taxes, error) {
	rows, err := resource.Register(ctx, api, st, resource.Definition[Tax, Tax]{
		Name:       "taxes",
		Object:     "tax",
		Summary:    "Taxes that are added to prices, or that prices include.",
		Privileges: shopapi.Privileges{View: "view_taxes", Manage: "manage_taxes"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows:       resource.Rows[Tax, Tax]{Load: load},
		Wire:       resource.Wire[Tax, Tax]{StringIDs: true},
		Scope:      resource.Scope[Tax]{AuthorizeRequest: resource.ReadOnlyForVendors},
		Rules: resource.Rules[Tax]{
			Check: check,
		},
	})
	return &Taxes{rows, resource.ListsOf[Filter](rows), rows}, err
}

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema()) }
