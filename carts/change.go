package carts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/store"
)

// Limits of a cart.
const (
	MaxLines  = 500       // lines of one cart
	MaxAmount = 1_000_000 // pieces of one line
)

// An Item is a product that a customer adds to a cart.
type Item struct {
	ProductID int64
	Amount    int64 // pieces
	Options   options.Selection
}

// Put adds items to the cart of an owner, creating the cart if it does not exist, and
// returns the cart. It adds pieces to an existing line with the same options. It returns
// a 400 [*shopapi.Error] that names the invalid parts of the items, such as
// products[0][amount] for the first, or a 404 for a user who does not exist.
func (c *Carts) Put(ctx context.Context, owner Owner, items ...Item) (Cart, error) {
	entries := make([]entry, len(items))
	for i := range items {
		entries[i] = items[i].added(i)
	}
	return c.change(ctx, owner, entries, true)
}

// added returns the entry that adds the item, the n-th of several.
func (i *Item) added(n int) entry {
	chosen := i.Options
	if chosen == nil {
		chosen = options.Selection{}
	}
	return entry{key: fmt.Sprint(n), index: true, product: i.ProductID, amount: i.Amount, options: chosen, add: true}
}

// Change sets the number of pieces of a line and returns the cart. 0 removes the line,
// and with the last line the cart; then the returned cart is empty. It returns a 404
// [*shopapi.Error] if the cart or line does not exist, or a 400.
func (c *Carts) Change(ctx context.Context, id, itemID, amount int64) (Cart, error) {
	return c.change(ctx, Owner{ID: id}, []entry{{key: shopapi.FormatID(itemID), amount: amount, line: true}}, false)
}

// Drop removes lines from a cart and returns it. With the last line it removes the cart;
// then the returned cart is empty. It returns a 404 [*shopapi.Error] if the cart or a
// line does not exist.
func (c *Carts) Drop(ctx context.Context, id int64, itemIDs ...int64) (Cart, error) {
	entries := make([]entry, len(itemIDs))
	for i, item := range itemIDs {
		entries[i] = entry{key: shopapi.FormatID(item), line: true}
	}
	return c.change(ctx, Owner{ID: id}, entries, false)
}

// Claim moves the lines of a guest's cart into a user's cart, for a guest who signs in,
// and returns the user's cart. Lines beyond the limits, or with deleted products, are
// dropped. Without a guest's cart it returns the user's cart, or a 404 [*shopapi.Error]
// if the user has none.
func (c *Carts) Claim(ctx context.Context, guest, user int64) (cart Cart, err error) {
	err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		from, err := c.rows.GetIn(ctx, tx, guest)
		if errors.Is(err, shopapi.ErrNotFound) || guest == user {
			cart, err = c.Get(ctx, user)
			return err
		}
		if err != nil {
			return err
		}
		if err := c.rows.Delete(ctx, guest); err != nil {
			return err
		}
		entries := make([]entry, len(from.Products))
		for i, l := range from.Products {
			item := Item{ProductID: l.ProductID, Amount: l.Amount, Options: options.Selection(l.Extra.ProductOptions)}
			entries[i] = item.added(i)
		}
		cart, err = c.add(ctx, tx, Owner{ID: user, IPAddress: from.IPAddress}, entries)
		return err
	})
	return cart, err
}

// add adds the entries without problems to the cart of a user, and returns the cart.
func (c *Carts) add(ctx context.Context, tx store.Tx, owner Owner, entries []entry) (Cart, error) {
	before, err := c.rows.GetIn(ctx, tx, owner.ID)
	found := !errors.Is(err, shopapi.ErrNotFound)
	if found && err != nil {
		return Cart{}, err
	}
	lines, err := c.lay(ctx, tx, slices.Clone(before.Products), entries, true)
	if err != nil {
		return Cart{}, err
	}
	return c.store(ctx, &owner, found, lines)
}

// change applies entries to the lines of a cart. If mayMake, it creates a missing cart;
// it removes a cart without lines.
func (c *Carts) change(ctx context.Context, owner Owner, entries []entry, mayMake bool) (cart Cart, err error) {
	var problems shopapi.Problems
	owner.check(&problems)
	if err := problems.Err(); err != nil {
		return Cart{}, err
	}
	err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := c.rows.GetIn(ctx, tx, owner.ID)
		found := !errors.Is(err, shopapi.ErrNotFound)
		if found && err != nil || !found && !mayMake {
			return err
		}
		lines, err := c.lay(ctx, tx, slices.Clone(before.Products), entries, false)
		if err != nil {
			return err
		}
		cart, err = c.store(ctx, &owner, found, lines)
		return err
	})
	if err != nil {
		return Cart{}, err
	}
	return cart, nil
}

// store stores the lines of a cart.
func (c *Carts) store(ctx context.Context, owner *Owner, found bool, lines []Line) (Cart, error) {
	switch {
	case found && len(lines) == 0:
		return Cart{}, c.rows.Delete(ctx, owner.ID)
	case found:
		r, err := c.rows.Update(ctx, owner.ID, func(r *row) error {
			r.Products = lines
			if IsGuest(owner.ID) {
				r.enter(owner)
			} else {
				r.enter(&Owner{IPAddress: owner.IPAddress})
			}
			return nil
		})
		return r.Cart, err
	case len(lines) == 0:
		return Cart{}, c.rows.NotFound(owner.ID)
	}
	known, err := c.owner(ctx, *owner)
	if errors.Is(err, shopapi.ErrNotFound) {
		return Cart{}, c.rows.NotFound(owner.ID)
	}
	if err != nil {
		return Cart{}, err
	}
	r := row{Owner: owner.ID, Cart: Cart{Summary: Summary{CompanyID: known.CompanyID}, Products: lines}}
	r.enter(&known)
	err = shopapi.CheckPreconditions(ctx, func() (err error) {
		r, err = c.rows.Create(ctx, r)
		return err
	})
	return r.Cart, err
}
