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
	resource.Objects[Warehouse]

	rows resource.Collection[Warehouse, Warehouse]
}

// Register creates the table that is missing in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Warehouses, error) {
	rows, err := resource.Register(ctx, api, st, definition())
	return &Warehouses{rows, rows}, err
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
