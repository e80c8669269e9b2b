package categories

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

const (
	maxPosition  = math.MaxInt32
	positionStep = 10

	// maxLevels bounds the length of paths, and with it the cost of a move.
	maxLevels = 250
)

// checkParent notes on parent_id what speaks against the parent that a category
// is to get: it must exist for the user, and not be the category itself or one
// below it (decisions §7).
func checkParent(ctx context.Context, tx store.Tx, c *Category, problems *shopapi.Problems) error {
	if c.ParentID == 0 {
		return nil
	}
	parent, err := table.Get(tx, c.ParentID)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && !scope.Sees(ctx, parent.CompanyID):
		problems.Add("parent_id", "must be 0 or the id of a category that exists, not %d", c.ParentID)
	case err != nil:
		return err
	case isWithin(&parent, c.CategoryID):
		problems.Add("parent_id", "must be neither the category itself nor one below it")
	case level(parent.IDPath) >= maxLevels:
		problems.Add("parent_id", "leads more than %d levels deep", maxLevels)
	}
	return nil
}

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

// subtree matches the category and everything below it. No tree order begins with
// another but those below.
func (c *Category) subtree() store.Cond { return store.StartsWith("tree_order", c.TreeOrder) }

// lastPosition is the position after the last child of a parent, in steps of 10
// (decisions §7).
func lastPosition(tx store.Tx, parentID int64) (int64, error) {
	last, err := summaries.First(tx, store.Query{
		Where: []store.Cond{store.Equal("parent_id", store.Int(parentID))},
		Order: []store.Order{store.Desc("tree_order")},
	})
	if errors.Is(err, store.ErrNotFound) {
		return positionStep, nil
	}
	return min(maxPosition, (last.Position/positionStep+1)*positionStep), err
}

// move stores a category that gets another parent or position, with the paths of
// everything below it.
func move(tx store.Tx, before, after *Category) error {
	if err := place(tx, after); err != nil {
		return err
	}
	subtree, err := table.Select(tx, store.Query{Where: []store.Cond{before.subtree()}})
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
