package carts

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// batch is the number of carts that are priced at once for a filter by totals.
const batch = 500

// selectCarts reads the carts of a list, in a number of reads that does not depend on
// the size of the page. Totals are computed, so that a filter by totals reads every cart
// that meets the other conditions.
func (c *Carts) selectCarts(ctx context.Context, tx store.Tx, filter resource.Filter, q store.Query) (list []Summary, total int64, err error) {
	f := filter.(*Filter)
	if f.TotalFrom == nil && f.TotalTo == nil {
		if list, total, err = summaries.Page(tx, q); err == nil {
			err = c.priceAll(ctx, tx, list)
		}
	} else {
		list, total, err = c.selectByTotal(ctx, tx, f, q)
	}
	if err != nil {
		return nil, 0, err
	}
	items := make([]*Summary, len(list))
	for i := range list {
		items[i] = &list[i]
	}
	return list, total, c.nameOwners(ctx, items...)
}

func (c *Carts) selectByTotal(ctx context.Context, tx store.Tx, f *Filter, q store.Query) ([]Summary, int64, error) {
	limit, offset := q.Limit, q.Offset
	q.Limit, q.Offset = 0, 0
	all, err := summaries.Select(tx, q)
	if err != nil {
		return nil, 0, err
	}
	for of := range slices.Chunk(all, batch) {
		if err := c.priceAll(ctx, tx, of); err != nil {
			return nil, 0, err
		}
	}
	all = slices.DeleteFunc(all, func(s Summary) bool { return !f.fits(s.Total) })
	total := int64(len(all))
	all = all[min(offset, len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all, total, nil
}

// priceAll sums the lines of carts.
func (c *Carts) priceAll(ctx context.Context, tx store.Tx, list []Summary) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].UserID
	}
	lines, err := c.linesOf(ctx, tx, ids...)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].sum(lines[list[i].UserID])
	}
	return nil
}
