package categories

import (
	"context"
	"errors"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// Categories keeps the tree of categories in a store. Its methods act for the
// user of their context: a seller finds only the categories of his company, and
// the host's own code, which has no user, all.
type Categories struct {
	st            store.Store
	api           *shopapi.API
	beforeRemoval []func(ctx context.Context, tx store.Tx, ids []int64) error
}

// New returns the categories kept in st, whose table must exist: see [Register].
// The api gives clock and edition, and may be nil.
func New(st store.Store, api *shopapi.API) *Categories {
	return &Categories{st: st, api: api}
}

// Register creates the table that is missing in st and adds the entity to the
// API, which may be nil for Go code that serves none.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Categories, error) {
	if err := st.Migrate(ctx, table.Schema()); err != nil {
		return nil, err
	}
	c := New(st, api)
	if err := api.Register(&entity{c}); err != nil {
		return nil, err
	}
	return c, nil
}

// BeforeRemoval has fn called in the transaction that removes categories, before
// they go; an error of fn keeps them. As the transaction may run again, so may fn.
// What refers to categories registers so at start-up.
func (c *Categories) BeforeRemoval(fn func(ctx context.Context, tx store.Tx, ids []int64) error) {
	c.beforeRemoval = append(c.beforeRemoval, fn)
}

// Find returns the categories that match, in the order of the tree: each before
// what is below it, siblings by position, then id. The total counts them without
// limit and offset. It returns a 400 [*shopapi.Error] for a status that is none.
func (c *Categories) Find(ctx context.Context, f Filter) (list []Summary, total int64, err error) {
	conds, err := f.conds()
	if err != nil {
		return nil, 0, err
	}
	q := store.Query{
		Where:  append(conds, scope.Conds(ctx)...),
		Order:  []store.Order{{Column: "tree_order", Desc: f.Descending}},
		Limit:  f.Limit,
		Offset: f.Offset,
	}
	err = c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		list, total, err = summaries.Page(tx, q)
		return err
	})
	return list, total, err
}

// Get returns one category. It returns a 404 [*shopapi.Error] when there is none
// that the user may see.
func (c *Categories) Get(ctx context.Context, id int64) (category Category, err error) {
	err = c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		category, err = get(ctx, tx, id)
		return err
	})
	return category, err
}

func get(ctx context.Context, tx store.Tx, id int64) (Category, error) {
	c, err := table.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !scope.Sees(ctx, c.CompanyID) {
		return Category{}, shopapi.NotFound("category", shopapi.FormatID(id))
	}
	return c, err
}

// Create adds a category and returns it as stored. Fields at their zero value get
// their defaults: active, last among its siblings, of the default company. Fields
// that the shop itself keeps (id, id_path, product_count) are not taken over. It
// returns a 400 [*shopapi.Error] that names the fields at fault.
func (c *Categories) Create(ctx context.Context, category Category) (Category, error) {
	return c.create(ctx, category.Position == 0, func(created *Category) error {
		*created = category
		created.setDefaults(c.api.Now(ctx).Unix())
		return nil
	})
}

// create adds the category that fill makes of an empty one, at its position or
// last among its siblings.
func (c *Categories) create(ctx context.Context, last bool, fill func(*Category) error) (created Category, err error) {
	err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		created = Category{}
		var problems shopapi.Problems
		problems.Merge(fill(&created))
		created.CategoryID, created.ProductCount = 0, 0
		if err := scope.Settle(ctx, c.api, &problems, 0, &created.CompanyID); err != nil {
			return err
		}
		created.normalize()
		created.validate(&problems)
		if err := checkParent(ctx, tx, &created, &problems); err != nil {
			return err
		}
		if err := problems.Err(); err != nil {
			return err
		}
		if last {
			position, err := lastPosition(tx, created.ParentID)
			if err != nil {
				return err
			}
			created.Position = position
		}
		// The paths hold the id, which the first write gives.
		if err := table.Insert(tx, &created); err != nil {
			return err
		}
		if err := place(tx, &created); err != nil {
			return err
		}
		c.api.Changed(ctx, "categories", shopapi.OpCreate, shopapi.FormatID(created.CategoryID))
		return table.Update(tx, &created)
	})
	return created, err
}

// Update has change alter the category with the id, and stores it; a new parent
// or position moves everything below it too. Fields that the shop itself keeps
// (id, id_path, product_count) stay as they were. It returns a 404 or 400
// [*shopapi.Error], or the error of change; then nothing is changed. As the
// transaction may run again, so may change: it touches nothing but its argument.
func (c *Categories) Update(ctx context.Context, id int64, change func(*Category) error) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		after := before
		var problems shopapi.Problems
		problems.Merge(change(&after))
		after.keep(&before)
		if err := scope.Settle(ctx, c.api, &problems, before.CompanyID, &after.CompanyID); err != nil {
			return err
		}
		after.normalize()
		after.validate(&problems)
		if after.ParentID != before.ParentID {
			if err := checkParent(ctx, tx, &after, &problems); err != nil {
				return err
			}
		}
		if err := problems.Err(); err != nil {
			return err
		}
		c.api.Changed(ctx, "categories", shopapi.OpUpdate, shopapi.FormatID(id))
		if after.ParentID == before.ParentID && after.Position == before.Position {
			return table.Update(tx, &after)
		}
		return move(tx, &before, &after)
	})
}

// Delete removes a category and everything below it. It returns a 404
// [*shopapi.Error] when there is none that the user may see, a 400 when he may not
// see all that is below it, or the error of a function given to BeforeRemoval.
func (c *Categories) Delete(ctx context.Context, id int64) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		category, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		whole := category.subtree()
		subtree, err := summaries.Select(tx, store.Query{Where: []store.Cond{whole}})
		if err != nil {
			return err
		}
		ids := make([]int64, len(subtree))
		for i := range subtree {
			if !scope.Sees(ctx, subtree[i].CompanyID) {
				return shopapi.Errorf(http.StatusBadRequest, "The category holds categories of another company, and cannot be removed with them.")
			}
			ids[i] = subtree[i].CategoryID
		}
		for _, before := range c.beforeRemoval {
			if err := before(ctx, tx, ids); err != nil {
				return err
			}
		}
		c.api.Changed(ctx, "categories", shopapi.OpDelete, shopapi.FormatID(id))
		_, err = table.Delete(tx, whole)
		return err
	})
}
