package blocks

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Blocks are the blocks of a store. The methods act for the user of ctx: a user confined
// to a company sees only its blocks; without a user, as in the host's own code, all are
// visible.
type Blocks struct {
	resource.Objects[Block]         // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Summary] // Find, All

	api *shopapi.API
}

// Register creates the missing tables in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Blocks, err error) {
	b := &Blocks{api: api}
	rows, err := resource.Register(ctx, api, st, definition(b))
	if err != nil {
		return nil, err
	}
	b.Objects, b.Lists = rows, resource.ListsOf[Filter](rows)
	return b, nil
}
