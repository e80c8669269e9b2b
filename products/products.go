package products

import (
	"context"
	"errors"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// Products keeps products and their links to categories in a store. Its methods
// act for the user of their context: a seller finds only the products of his
// company, and the host's own code, which has no user, all.
type Products struct {
	st            store.Store
	api           *shopapi.API
	categories    *categories.Categories
	beforeRemoval []func(ctx context.Context, tx store.Tx, ids []int64) error
}

// New returns the products kept in st, whose tables must exist: see [Register].
// The api gives clock and edition, and may be nil. The categories are kept in the
// same store; without them products may be linked to any category that the API
// knows, and where it knows none, to any id.
func New(st store.Store, api *shopapi.API, tree *categories.Categories) *Products {
	if tree != nil && api != nil {
		api.BeforeDelete("categories", func(ctx context.Context, ids []int64) error {
			return st.Update(ctx, func(ctx context.Context, tx store.Tx) error { return unlink(ctx, tx, ids) })
		})
	}
	return &Products{st: st, api: api, categories: tree}
}

// Register creates the tables that are missing in st and adds the entity to the
// API, which may be nil for Go code that serves none. For the
// categories see [New].
func Register(ctx context.Context, api *shopapi.API, st store.Store, tree *categories.Categories) (*Products, error) {
	if err := st.Migrate(ctx, table.Schema(), links.Schema()); err != nil {
		return nil, err
	}
	p := New(st, api, tree)
	if err := api.Register(&entity{p}); err != nil {
		return nil, err
	}
	return p, nil
}

// BeforeRemoval has fn called in the transaction that removes products, before
// they go; an error of fn keeps them. What refers to products registers so at
// start-up.
func (p *Products) BeforeRemoval(fn func(ctx context.Context, tx store.Tx, ids []int64) error) {
	p.beforeRemoval = append(p.beforeRemoval, fn)
}

// Find returns the products that match. The total counts them without limit and
// offset. It returns a 400 [*shopapi.Error] for a filter that no product could be
// meant by.
func (p *Products) Find(ctx context.Context, f Filter) (list []Summary, total int64, err error) {
	if err := f.check(); err != nil {
		return nil, 0, err
	}
	err = p.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		conds, err := p.conds(tx, &f)
		if err != nil {
			return err
		}
		list, total, err = summaries.Page(tx, store.Query{
			Where:  append(conds, scope.Conds(ctx)...),
			Order:  []store.Order{f.order()},
			Limit:  f.Limit,
			Offset: f.Offset,
		})
		if err != nil {
			return err
		}
		read := make([]*Summary, len(list))
		for i := range list {
			read[i] = &list[i]
		}
		return p.readLinks(tx, read...)
	})
	return list, total, err
}

// Get returns one product. It returns a 404 [*shopapi.Error] when there is none
// that the user may see.
func (p *Products) Get(ctx context.Context, id int64) (product Product, err error) {
	err = p.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		product, err = p.get(ctx, tx, id)
		return err
	})
	return product, err
}

func (p *Products) get(ctx context.Context, tx store.Tx, id int64) (Product, error) {
	product, err := table.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !scope.Sees(ctx, product.CompanyID) {
		return Product{}, shopapi.NotFound("product", shopapi.FormatID(id))
	}
	if err != nil {
		return Product{}, err
	}
	return product, p.readLinks(tx, &product.Summary)
}

// Create adds a product and returns it as stored. Codes, names of layouts and
// languages and the timestamp that are left empty get their defaults; counts,
// amounts and flags are taken as they are, see [Defaults]. It returns a 400
// [*shopapi.Error] that names the fields at fault.
func (p *Products) Create(ctx context.Context, product Product) (Product, error) {
	return p.create(ctx, func(created *Product) error {
		*created = product
		created.setDefaults(p.api.Now(ctx).Unix())
		return nil
	})
}

// create adds the product that fill makes of an empty one.
func (p *Products) create(ctx context.Context, fill func(*Product) error) (created Product, err error) {
	err = p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		created = Product{}
		var problems shopapi.Problems
		problems.Merge(fill(&created))
		created.ProductID = 0
		created.UpdatedTimestamp = p.api.Now(ctx).Unix()
		before := Product{}
		if err := p.settle(ctx, tx, &before, &created, &problems); err != nil {
			return err
		}
		if err := table.Insert(tx, &created); err != nil {
			return err
		}
		if err := p.writeLinks(tx, &before.Summary, &created.Summary); err != nil {
			return err
		}
		p.api.Changed(ctx, "products", shopapi.OpCreate, shopapi.FormatID(created.ProductID))
		return p.readLinks(tx, &created.Summary)
	})
	return created, err
}

// settle brings a product that is to be stored into its form. It returns what is
// wrong with it, the problems noted already among it.
func (p *Products) settle(ctx context.Context, tx store.Tx, before, after *Product, problems *shopapi.Problems) error {
	if err := scope.Settle(ctx, p.api, problems, before.CompanyID, &after.CompanyID); err != nil {
		return err
	}
	after.normalize(problems)
	after.validate(problems)
	if err := p.chooseMain(ctx, tx, &before.Summary, &after.Summary, problems); err != nil {
		return err
	}
	return problems.Err()
}

// Update has change alter the product with the id, and stores it. A new first
// category becomes the main one when the old main one is no longer among them.
// What the shop itself keeps (id, product_type, parent_product_id, time of the
// last change) stays as it was. It returns a 404 or 400 [*shopapi.Error], or the
// error of change; then nothing is changed.
func (p *Products) Update(ctx context.Context, id int64, change func(*Product) error) error {
	return p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := p.get(ctx, tx, id)
		if err != nil {
			return err
		}
		after := before
		var problems shopapi.Problems
		problems.Merge(change(&after))
		after.keep(&before)
		if err := p.settle(ctx, tx, &before, &after, &problems); err != nil {
			return err
		}
		if reflect.DeepEqual(before, after) {
			return nil
		}
		after.UpdatedTimestamp = p.api.Now(ctx).Unix()
		if err := p.writeLinks(tx, &before.Summary, &after.Summary); err != nil {
			return err
		}
		p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(id))
		return table.Update(tx, &after)
	})
}

// Delete removes a product with its links. It returns a 404 [*shopapi.Error] when
// there is none that the user may see.
func (p *Products) Delete(ctx context.Context, id int64) error {
	return p.remove(ctx, id, func(*Product) error { return nil })
}

// remove removes a product unless check has something against it.
func (p *Products) remove(ctx context.Context, id int64, check func(*Product) error) error {
	return p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		product, err := p.get(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := check(&product); err != nil {
			return err
		}
		for _, before := range p.beforeRemoval {
			if err := before(ctx, tx, []int64{id}); err != nil {
				return err
			}
		}
		gone := Summary{ProductID: id}
		if err := p.writeLinks(tx, &product.Summary, &gone); err != nil {
			return err
		}
		p.api.Changed(ctx, "products", shopapi.OpDelete, shopapi.FormatID(id))
		return table.DeleteKey(tx, id)
	})
}
