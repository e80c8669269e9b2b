package carts

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// deleteOf removes the carts of deleted users, in the same transaction.
func (c *Carts) deleteOf(ctx context.Context, users []int64) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		list, err := summaries.Select(tx, store.Query{Where: []store.Cond{store.InInts("user_id", users...)}})
		if err != nil || len(list) == 0 {
			return err
		}
		c.gone(ctx, list)
		return remove(tx, users...)
	})
}

// moveOf gives the cart of a user the company that the user moved to, in the same
// transaction. The observer gets an event only for the user.
func (c *Carts) moveOf(ctx context.Context, user, company int64) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		r, err := table.Get(tx, user)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		r.CompanyID, r.Date = cmp.Or(company, c.api.DefaultCompany()), c.api.Now(ctx).Unix()
		c.api.RecordAll(ctx, "carts") // both companies read again
		return table.Update(tx, &r)
	})
}

// maxHolders is how many carts contain a product that a request deletes: see
// [resource.CheckDependents].
const maxHolders = 5_000

// dropProducts removes the lines of deleted products, and the carts without other lines.
func (c *Carts) dropProducts(ctx context.Context, products []int64) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		ofProducts := store.InInts("product_id", products...)
		holders := map[int64]bool{}
		err := lineTable.Each(tx, store.Query{Where: []store.Cond{ofProducts}}, func(r *lineRow) error {
			holders[r.UserID] = true
			return nil
		})
		if err != nil || len(holders) == 0 {
			return err
		}
		if err := resource.CheckDependents(ctx, int64(len(holders)), maxHolders, "carts"); err != nil {
			return err
		}
		if _, err := lineTable.Delete(tx, ofProducts); err != nil {
			return err
		}
		ids := make([]int64, 0, len(holders))
		for id := range holders {
			ids = append(ids, id)
		}
		empty, err := summaries.Select(tx, store.Query{Where: []store.Cond{
			store.InInts("user_id", ids...),
			store.Not(store.InQuery("user_id", lineTable.Schema(), "user_id", store.InInts("user_id", ids...))),
		}})
		if err != nil {
			return err
		}
		for _, s := range empty {
			delete(holders, s.UserID)
		}
		if err := table.Set(tx, "date", c.api.Now(ctx).Unix(), store.InInts("user_id", slices.Collect(maps.Keys(holders))...)); err != nil {
			return err
		}
		for id := range holders {
			c.api.Changed(ctx, "carts", shopapi.OpUpdate, shopapi.FormatID(id))
		}
		c.gone(ctx, empty)
		return remove(tx, idsOf(empty)...)
	})
}

func (c *Carts) gone(ctx context.Context, list []Summary) {
	for _, s := range list {
		c.api.Changed(ctx, "carts", shopapi.OpDelete, shopapi.FormatID(s.UserID))
	}
}

func idsOf(list []Summary) []int64 {
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].UserID
	}
	return ids
}
