package blocks

import (
	"context"
	"iter"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Blocks are the blocks of a store. The methods act for the user of ctx: a user confined
// to a company sees only its blocks; without a user, as in the host\'s own code, all are
// visible.
type Blocks struct {
	resource.Objects[Block]

	api  *shopapi.API
	rows resource.Collection[Block, Summary]
}

// Register creates the missing tables in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Blocks, err error) {
	b := &Blocks{api: api}
	b.rows, err = resource.Register(ctx, api, st, definition(b))
	if err != nil {
		return nil, err
	}
	b.Objects = b.rows
	return b, nil
}

// Find returns the matching blocks, and their number without limit and offset. It
// returns a 400 [*shopapi.Error] for an unknown sort key.
func (b *Blocks) Find(ctx context.Context, f Filter) ([]Summary, int64, error) {
	return b.rows.Find(ctx, &f)
}

// All iterates over the matching blocks, by id, in constant memory: see
// [resource.Collection.All].
func (b *Blocks) All(ctx context.Context, f Filter) iter.Seq2[Summary, error] {
	return b.rows.All(ctx, &f)
}
