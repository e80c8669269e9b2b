package categories

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// isWithin reports whether c is the category with the id or one below it.
func isWithin(c *Category, id int64) bool {
	return strings.Contains("/"+c.IDPath+"/", "/"+shopapi.FormatID(id)+"/")
}

// level counts the categories that a path leads through.
func level(idPath string) int { return strings.Count(idPath, "/") + 1 }

// place sets the paths of a category from those of its parent, which exists.
func place(tx store.Tx, c *Category) error {
	c.IDPath, c.TreeOrder = shopapi.FormatID(c.CategoryID), sortable(c.Position)+sortable(c.CategoryID)
	if c.ParentID == 0 {
		return nil
	}
	parent, err := table.Get(tx, c.ParentID)
	c.IDPath, c.TreeOrder = parent.IDPath+"/"+c.IDPath, parent.TreeOrder+c.TreeOrder
	return err
}

// sortable writes a number, not negative, so that texts sort as the numbers do,
// also when more follows: its digits after a letter that tells how many.
func sortable(n int64) string {
	digits := strconv.FormatInt(n, 10)
	return string(rune('a'+len(digits))) + digits
}

// below matches the category and everything below it. No tree order begins with
// another but those below.
func (c *Category) below() store.Cond { return store.StartsWith("tree_order", c.TreeOrder) }

// lastPosition is the position after the last sibling of the same company, in steps
// of 10 (decisions §7). Those of other companies have no say: their number and
// their positions are not for this one to learn.
func lastPosition(tx store.Tx, c *Category) (int64, error) {
	last, err := summaries.First(tx, store.Query{
		Where: []store.Cond{
			store.Equal("parent_id", store.Int(c.ParentID)),
			store.Equal("company_id", store.Int(c.CompanyID)),
		},
		Order: []store.Order{store.Desc("position")},
	})
	if errors.Is(err, store.ErrNotFound) {
		return positionStep, nil
	}
	return min(maxPosition, (last.Position/positionStep+1)*positionStep), err
}

// write stores a category with its paths, and the paths of everything below one
// that gets another parent or position.
func write(_ context.Context, tx store.Tx, before, after *Category) error {
	switch {
	case before.CategoryID == 0:
		// The paths hold the id, which the first write gives.
		if err := table.Insert(tx, after); err != nil {
			return err
		}
		if err := place(tx, after); err != nil {
			return err
		}
	case after.ParentID != before.ParentID || after.Position != before.Position:
		return move(tx, before, after)
	}
	return table.Update(tx, after)
}

// move stores a category that gets another parent or position, with the paths of
// everything below it.
func move(tx store.Tx, before, after *Category) error {
	if err := place(tx, after); err != nil {
		return err
	}
	subtree, err := table.Select(tx, store.Query{Where: []store.Cond{before.below()}})
	if err != nil {
		return err
	}
	for i := range subtree {
		c := &subtree[i]
		if c.CategoryID == after.CategoryID {
			continue
		}
		c.IDPath = after.IDPath + strings.TrimPrefix(c.IDPath, before.IDPath)
		c.TreeOrder = after.TreeOrder + strings.TrimPrefix(c.TreeOrder, before.TreeOrder)
		if level(c.IDPath) > maxLevels {
			return shopapi.Invalid("parent_id", "would put categories more than %d levels deep", maxLevels)
		}
		if err := table.Update(tx, c); err != nil {
			return err
		}
	}
	return table.Update(tx, after)
}

// subtree returns the ids of a category and of all below it, in the order of the
// tree. It fails when the user may not see all of them.
func subtree(ctx context.Context, tx store.Tx, c *Category) (ids []int64, err error) {
	err = summaries.Each(tx, store.Query{
		Where: []store.Cond{c.below()},
		Order: []store.Order{store.Asc("tree_order")},
	}, func(s *Summary) error {
		if !resource.Visible(ctx, s.CompanyID) {
			return shopapi.Errorf(http.StatusBadRequest, "The category holds categories of another company, and cannot be removed with them.")
		}
		ids = append(ids, s.CategoryID)
		return nil
	})
	return ids, err
}

// remove removes a category and everything below it.
func remove(_ context.Context, tx store.Tx, c *Category) error {
	_, err := table.Delete(tx, c.below())
	return err
}
