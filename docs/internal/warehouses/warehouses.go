package warehouses

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Warehouses are the warehouses of a store. The methods act for the user of their
// context: a user of one company finds only its warehouses; the host's own code, which
// has no user, finds all.
type Warehouses struct {
	resource.Objects[Warehouse]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Warehouse] // Find, All
}

// Register creates the table that is missing in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Warehouses, error) {
	rows, err := resource.Register(ctx, api, st, definition())
	return &Warehouses{rows, resource.ListsOf[Filter](rows)}, err
}
