package taxes

import (
	"context"
	"iter"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Taxes are the taxes of a store.
type Taxes struct {
	resource.Hooks[Tax]

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
			Defaults: setDefaults,
			Check:    check,
		},
	})
	return &Taxes{rows, rows}, err
}

// Get returns one tax. It returns a 404 [*shopapi.Error].
func (t *Taxes) Get(ctx context.Context, id int64) (Tax, error) { return t.rows.Get(ctx, id) }

// Find returns the matching taxes, and their number without limit and offset.
func (t *Taxes) Find(ctx context.Context, f Filter) ([]Tax, int64, error) {
	return t.rows.Find(ctx, &f)
}

// All iterates over the matching taxes, by id: see [resource.Collection.All].
func (t *Taxes) All(ctx context.Context, f Filter) iter.Seq2[Tax, error] { return t.rows.All(ctx, &f) }

// Create adds a tax and returns the stored object. Fields at their zero value get their
// defaults: active, by the shipping address. It returns a 400 [*shopapi.Error] that
// names the invalid fields.
func (t *Taxes) Create(ctx context.Context, tax Tax) (Tax, error) { return t.rows.Create(ctx, tax) }

// CreateAll adds taxes in one transaction: see [resource.Collection.CreateAll].
func (t *Taxes) CreateAll(ctx context.Context, list []Tax) ([]Tax, error) {
	return t.rows.CreateAll(ctx, list)
}

// Update runs change on a tax and returns the stored object. It returns a 404 or 400
// [*shopapi.Error], or the error of change; then nothing is changed.
func (t *Taxes) Update(ctx context.Context, id int64, change func(*Tax) error) (Tax, error) {
	return t.rows.Update(ctx, id, change)
}

// Delete removes a tax, and its id from the lists of products, payment and shipping
// methods. The taxes of existing orders stay. It returns a 404 [*shopapi.Error].
func (t *Taxes) Delete(ctx context.Context, id int64) error { return t.rows.Delete(ctx, id) }

// Defaults returns a new tax with the default values of a POST.
func (t *Taxes) Defaults(ctx context.Context) Tax { return t.rows.Defaults(ctx) }

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema()) }
