package categories

import (
	"context"
	"errors"
	"fmt"
	"math"
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

// place sets the paths of a category from its parent, and its position when it
// is to stand last. The category has an id. Problems are noted on parent_id.
func place(ctx context.Context, tx store.Tx, c *Category, problems *shopapi.Problems) error {
	var above Category
	if c.ParentID != 0 {
		parent, err := table.Get(tx, c.ParentID)
		switch {
		case errors.Is(err, store.ErrNotFound), err == nil && !scope.Sees(ctx, parent.CompanyID):
			problems.Add("parent_id", "must be 0 or the id of a category that exists, not %d", c.ParentID)
			return nil
		case err != nil:
			return err
		case isWithin(&parent, c.CategoryID):
			problems.Add("parent_id", "must be neither the category itself nor one below it")
			return nil
		case strings.Count(parent.IDPath, "/")+2 > maxLevels:
			problems.Add("parent_id", "leads more than %d levels deep", maxLevels)
			return nil
		}
		above = parent
	}
	if c.Position == endOfSiblings {
		position, err := lastPosition(tx, c)
		if err != nil {
			return err
		}
		c.Position = position
	}
	c.IDPath = join(above.IDPath, shopapi.FormatID(c.CategoryID))
	c.TreeOrder = join(above.TreeOrder, fmt.Sprintf("%08x%016x", c.Position, c.CategoryID))
	return nil
}

func join(above, own string) string {
	if above == "" {
		return own
	}
	return above + "/" + own
}

// isWithin reports whether c is the category with the id or one below it.
func isWithin(c *Category, id int64) bool {
	return strings.Contains("/"+c.IDPath+"/", "/"+shopapi.FormatID(id)+"/")
}

// lastPosition is the position after the last sibling of a category, in steps of
// 10 (decisions §7).
func lastPosition(tx store.Tx, c *Category) (int64, error) {
	last, err := summaries.First(tx, store.Query{
		Where: []store.Cond{
			store.Equal("parent_id", store.Int(c.ParentID)),
			store.NotEqual("category_id", store.Int(c.CategoryID)),
		},
		Order: []store.Order{store.Desc("position")},
	})
	if errors.Is(err, store.ErrNotFound) {
		return positionStep, nil
	}
	return min(maxPosition, (last.Position/positionStep+1)*positionStep), err
}

// below matches the categories under the one with the path.
func below(idPath string) store.Cond { return store.StartsWith("id_path", idPath+"/") }

// moveSubtree rewrites the paths of everything below a category whose own paths
// went from before to after.
func moveSubtree(tx store.Tx, before, after *Category) error {
	if before.IDPath == after.IDPath && before.TreeOrder == after.TreeOrder {
		return nil
	}
	subtree, err := table.Select(tx, store.Query{
		Where: []store.Cond{below(before.IDPath)},
		Order: []store.Order{store.Asc("tree_order")},
	})
	if err != nil {
		return err
	}
	for i := range subtree {
		c := &subtree[i]
		c.IDPath = after.IDPath + strings.TrimPrefix(c.IDPath, before.IDPath)
		c.TreeOrder = after.TreeOrder + strings.TrimPrefix(c.TreeOrder, before.TreeOrder)
		if strings.Count(c.IDPath, "/")+1 > maxLevels {
			return shopapi.Invalid("parent_id", "would put categories more than %d levels deep", maxLevels)
		}
		if err := table.Update(tx, c); err != nil {
			return err
		}
	}
	return nil
}
