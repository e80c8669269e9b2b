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
	resource.Hooks[Block]

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
	b.Hooks = b.rows
	return b, nil
}

// Get returns one block. It returns a 404 [*shopapi.Error] if it does not exist or the
// user may not see it.
func (b *Blocks) Get(ctx context.Context, id int64) (Block, error) {
	return b.rows.Get(ctx, id)
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

// Create adds a block and returns the stored object. It returns a 400 [*shopapi.Error]
// that names the invalid fields.
func (b *Blocks) Create(ctx context.Context, v Block) (Block, error) {
	return b.rows.Create(ctx, v)
}

// CreateAll adds blocks in one transaction, all or none: see
// [resource.Collection.CreateAll].
func (b *Blocks) CreateAll(ctx context.Context, list []Block) ([]Block, error) {
	return b.rows.CreateAll(ctx, list)
}

// Update runs change on the block with the id and returns the stored object. It returns
// a 404 or, as [Blocks.Create] does, a 400 [*shopapi.Error], or the error of change;
// then nothing is changed.
func (b *Blocks) Update(ctx context.Context, id int64, change func(*Block) error) (Block, error) {
	return b.rows.Update(ctx, id, change)
}

// Delete removes a block. It returns a 404 [*shopapi.Error] if it does not exist or the
// user may not see it.
func (b *Blocks) Delete(ctx context.Context, id int64) error { return b.rows.Delete(ctx, id) }

// Defaults returns a new block with the default values of a POST.
func (b *Blocks) Defaults(ctx context.Context) Block { return b.rows.Defaults(ctx) }
