package carts

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// Carts are the carts of a shop in a store. The methods act for the user of ctx; without
// one, as in a storefront's code, everything is allowed.
type Carts struct {
	resource.Lists[Filter, Summary] // Find, All

	api     *shopapi.API
	st      store.Store
	rows    resource.Collection[row, Summary]
	users   *users.Users       // nil if the host has its own
	goods   *products.Products // nil if the host has its own
	options *options.Options   // nil without options
	orders  *orders.Orders     // nil until UseOrders
}

// Register creates the missing tables in st and adds the entity to the API. Users,
// products and options are in the same store. Each is nil if the host has its own: then
// the API looks its objects up by the entity's name.
func Register(ctx context.Context, api *shopapi.API, st store.Store, people *users.Users, goods *products.Products, o *options.Options) (*Carts, error) {
	c := &Carts{api: api, st: st, users: people, goods: goods, options: o}
	var err error
	if c.rows, err = resource.New(api, st, definition(c)); err != nil {
		return nil, err
	}
	c.Lists = resource.ListsOf[Filter](c.rows)
	if err := c.rows.Migrate(ctx); err != nil {
		return nil, err
	}
	if people != nil {
		people.BeforeSave(c.follow)
	}
	api.BeforeDelete("users", c.deleteOf)
	api.AfterMove("users", c.moveOf)
	api.BeforeDelete("products", c.dropProducts)
	api.OnErase(c.erase)
	return c, api.Register(&entity{c.rows.Entity(), c})
}

// Get returns one cart. It returns a 404 [*shopapi.Error] when there is none that the
// user of ctx may see.
func (c *Carts) Get(ctx context.Context, id int64) (Cart, error) {
	r, err := c.rows.Get(ctx, id)
	return r.Cart, err
}

// Delete empties a cart. It returns a 404 [*shopapi.Error] when there is none that the
// user of ctx may see.
func (c *Carts) Delete(ctx context.Context, id int64) error { return c.rows.Delete(ctx, id) }

// BeforeSave adds a hook to every create and update: see [resource.SaveHook].
func (c *Carts) BeforeSave(hook resource.SaveHook[Cart]) { c.rows.BeforeSave(ofCart(hook)) }

// AfterSave adds a hook that runs after every create and update, with the id: see
// [resource.SaveHook].
func (c *Carts) AfterSave(hook resource.SaveHook[Cart]) { c.rows.AfterSave(ofCart(hook)) }

func ofCart(hook resource.SaveHook[Cart]) resource.SaveHook[row] {
	return func(ctx context.Context, tx store.Tx, old, after *row) error {
		if old == nil {
			return hook(ctx, tx, nil, &after.Cart)
		}
		return hook(ctx, tx, &old.Cart, &after.Cart)
	}
}

// BeforeDelete adds a hook to every deletion of a cart, except with its user or its last
// product: see [resource.DeleteHook].
func (c *Carts) BeforeDelete(hook resource.DeleteHook[Cart]) {
	c.rows.BeforeDelete(func(ctx context.Context, tx store.Tx, old *row) error { return hook(ctx, tx, &old.Cart) })
}

func definition(c *Carts) resource.Definition[row, Summary] {
	return resource.Definition[row, Summary]{
		Name:       "carts",
		Object:     "cart",
		Summary:    "What customers put aside to buy, at today's prices.",
		Privileges: shopapi.Privileges{View: "view_orders", Manage: "manage_orders"},
		Table:      table,
		Operations: []shopapi.Operation{shopapi.OpList, shopapi.OpGet, shopapi.OpUpdate, shopapi.OpDelete},
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows: resource.Rows[row, Summary]{
			Tables:      []*store.Schema{lineTable.Schema()},
			LoadDetails: c.loadDetails,
			Write:       write,
			Remove: func(_ context.Context, tx store.Tx, r *row) error {
				return remove(tx, r.UserID)
			},
		},
		List: resource.List[row, Summary]{
			Items:      summaries,
			Item:       func(r *row) *Summary { return &r.Summary },
			Descending: true,
			Select:     c.selectCarts,
			Params:     c.params,
		},
		Wire: resource.Wire[row, Summary]{EncodeOne: func(_ context.Context, r *row) any { return r.Cart }},
		Scope: resource.Scope[row]{
			Company:          func(r *row) *int64 { return &r.CompanyID },
			AuthorizeRequest: resource.ClosedToVendors,
		},
	}
}

// write stores a cart and its changed lines.
func write(_ context.Context, tx store.Tx, before, after *row) error {
	var err error
	if before.UserID == 0 {
		after.UserID = after.Owner
		err = table.Insert(tx, after)
	} else {
		err = table.Update(tx, after)
	}
	if err != nil {
		return err
	}
	return writeLines(tx, after.UserID, before.Products, after.Products)
}

// writeLines stores the lines of a cart. The item id depends on product and options, so
// that only the amount of a line can change.
func writeLines(tx store.Tx, cart int64, before, after []Line) error {
	ofCart := store.Equal("user_id", store.Int(cart))
	var gone []int64
	for i := range before {
		if byItem(after, before[i].ItemID) < 0 {
			gone = append(gone, before[i].ItemID)
		}
	}
	if len(gone) > 0 {
		if _, err := lineTable.Delete(tx, ofCart, store.InInts("item_id", gone...)); err != nil {
			return err
		}
	}
	for i := range after {
		l := &after[i]
		r := l.row(cart)
		n := byItem(before, l.ItemID)
		if n >= 0 && before[n].Amount == l.Amount {
			continue
		}
		if n < 0 {
			if err := lineTable.Insert(tx, r); err != nil {
				return err
			}
			continue
		}
		stored, err := lineTable.First(tx, store.Query{Where: []store.Cond{ofCart, store.Equal("item_id", store.Int(l.ItemID))}})
		if err != nil {
			return err
		}
		r.LineID = stored.LineID
		if err := lineTable.Update(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// remove removes carts with their lines.
func remove(tx store.Tx, ids ...int64) error {
	if _, err := lineTable.Delete(tx, store.InInts("user_id", ids...)); err != nil {
		return err
	}
	_, err := table.Delete(tx, store.InInts("user_id", ids...))
	return err
}
