package warehouses

import (
	"context"
	"iter"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Warehouses are the warehouses of a store. The methods act for the user of their
// context: a user of one company finds only its warehouses; the host's own code, which
// has no user, finds all.
type Warehouses struct {
	resource.Hooks[Warehouse]

	rows resource.Collection[Warehouse, Warehouse]
}

// Register creates the table that is missing in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Warehouses, error) {
	rows, err := resource.Register(ctx, api, st, definition())
	return &Warehouses{rows, rows}, err
}

// Get returns one warehouse. It returns a 404 [*shopapi.Error] if the user cannot see
// such an object.
func (w *Warehouses) Get(ctx context.Context, id int64) (Warehouse, error) {
	return w.rows.Get(ctx, id)
}

// Find returns the warehouses that match, and their number without limit and offset.
// It returns a 400 [*shopapi.Error] for a status or a sort key that is none.
func (w *Warehouses) Find(ctx context.Context, f Filter) ([]Warehouse, int64, error) {
	return w.rows.Find(ctx, &f)
}

// All iterates over the warehouses that match, by id, in constant memory: see
// [resource.Collection.All].
func (w *Warehouses) All(ctx context.Context, f Filter) iter.Seq2[Warehouse, error] {
	return w.rows.All(ctx, &f)
}

// Create adds a warehouse and returns it as stored. It returns a 400 [*shopapi.Error]
// that names the invalid fields.
func (w *Warehouses) Create(ctx context.Context, v Warehouse) (Warehouse, error) {
	return w.rows.Create(ctx, v)
}

// CreateAll adds warehouses in one transaction, all of them or none: see
// [resource.Collection.CreateAll].
func (w *Warehouses) CreateAll(ctx context.Context, list []Warehouse) ([]Warehouse, error) {
	return w.rows.CreateAll(ctx, list)
}

// Update has change alter the warehouse with the id, and returns it as stored. It
// returns a 404 or, as [Warehouses.Create] does, a 400 [*shopapi.Error], or the
// error of change; then nothing is changed.
func (w *Warehouses) Update(ctx context.Context, id int64, change func(*Warehouse) error) (Warehouse, error) {
	return w.rows.Update(ctx, id, change)
}

// Delete removes a warehouse. It returns a 404 [*shopapi.Error] if the user cannot see
// such an object.
func (w *Warehouses) Delete(ctx context.Context, id int64) error { return w.rows.Delete(ctx, id) }

// Defaults returns a warehouse as one begins that is created over HTTP.
func (w *Warehouses) Defaults(ctx context.Context) Warehouse { return w.rows.Defaults(ctx) }
