// Package tree keeps the paths of rows that form a tree, such as categories and pages
// (decisions §7, §23): each row names its parent, and has the ids on the way to it and
// a text by which the whole tree sorts.
package tree

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

const (
	// MaxPosition is the highest position of a row.
	MaxPosition  = math.MaxInt32
	positionStep = 10

	// maxLevels bounds the length of paths, and with it the cost of a move.
	maxLevels = 250
)

// Last is the position of a new row that names none: after its siblings of the same
// company, in steps of 10 (decisions §7).
const Last = math.MinInt64

// A Row has the fields of a row that determine its place in the tree: the columns
// parent_id, position, company_id, id_path and tree_order.
type Row struct {
	ID, ParentID, Position, CompanyID *int64

	IDPath    *string // ancestors' ids and its own, joined by /
	TreeOrder *string // sorts ancestors first, siblings by position, then id
}

// A Tree is a table whose rows form a tree. Items, of type S, have the columns that are
// read where the whole row is not needed.
type Tree[T, S any] struct {
	Object, Plural string // "category" and "categories" in messages
	Table          *store.Table[T]
	Row            func(*T) Row

	Items *store.Reader[S]
	Item  func(*S) (id, position, company int64)
	Paths *store.Reader[Path]
}

// A Path is the column that gives the depth of a row.
type Path struct {
	IDPath string `json:"id_path"`
}

// Below matches a row and everything below it. No tree order begins with another but
// those below.
func (t *Tree[T, S]) Below(v *T) store.Cond {
	return store.StartsWith("tree_order", *t.Row(v).TreeOrder)
}

// Place gives a new row whose position is [Last] its place.
func (t *Tree[T, S]) Place(tx store.Tx, v *T) (err error) {
	if r := t.Row(v); *r.Position == Last {
		*r.Position, err = t.lastPosition(tx, r)
	}
	return err
}

// lastPosition returns the position after the last sibling of the same company. Siblings
// of other companies are ignored, so that a vendor does not learn their number and
// positions.
func (t *Tree[T, S]) lastPosition(tx store.Tx, r Row) (int64, error) {
	last, err := t.Items.First(tx, store.Query{
		Where: []store.Cond{
			store.Equal("parent_id", store.Int(*r.ParentID)),
			store.Equal("company_id", store.Int(*r.CompanyID)),
		},
		Order: []store.Order{store.Desc("position")},
	})
	if errors.Is(err, store.ErrNotFound) {
		return positionStep, nil
	}
	_, position, _ := t.Item(&last)
	return min(MaxPosition, (position/positionStep+1)*positionStep), err
}

// Check reports problems of a row's new parent on parent_id: it must exist for the user,
// and not be the row itself or one below it (decisions §7).
func (t *Tree[T, S]) Check(ctx context.Context, tx store.Tx, before, after *T, problems *shopapi.Problems) error {
	r := t.Row(after)
	if *r.ParentID == *t.Row(before).ParentID || *r.ParentID == 0 {
		return nil
	}
	above, err := t.Table.Get(tx, *r.ParentID)
	parent := t.Row(&above)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && !resource.Visible(ctx, *parent.CompanyID):
		problems.Add("parent_id", "must be 0 or the id of a %s that exists, not %d", t.Object, *r.ParentID)
	case err != nil:
		return err
	case isWithin(*parent.IDPath, *r.ID):
		problems.Add("parent_id", "must be neither the %s itself nor one below it", t.Object)
	case Level(*parent.IDPath) >= maxLevels:
		problems.Add("parent_id", "leads more than %d levels deep", maxLevels)
	}
	return nil
}

// isWithin reports whether a path leads to the row with the id or to one below it.
func isWithin(idPath string, id int64) bool {
	return strings.Contains("/"+idPath+"/", "/"+shopapi.FormatID(id)+"/")
}

// Level counts the rows that a path leads through.
func Level(idPath string) int { return strings.Count(idPath, "/") + 1 }

// Write stores a row with its paths, and updates the paths of its subtree if the parent
// or position changes. A [resource.Definition] calls it in its Write.
func (t *Tree[T, S]) Write(ctx context.Context, tx store.Tx, api *shopapi.API, before, after *T) error {
	had, has := t.Row(before), t.Row(after)
	switch {
	case *had.ID == 0:
		// The paths hold the id, which the first write gives.
		if err := t.Table.Insert(tx, after); err != nil {
			return err
		}
		if err := t.setPaths(tx, has); err != nil {
			return err
		}
	case *has.ParentID != *had.ParentID || *has.Position != *had.Position:
		return t.move(ctx, tx, api, before, after)
	}
	return t.Table.Update(tx, after)
}

// setPaths derives the paths of a row from the paths of its parent, which must exist.
func (t *Tree[T, S]) setPaths(tx store.Tx, r Row) error {
	*r.IDPath, *r.TreeOrder = shopapi.FormatID(*r.ID), Order(*r.Position, *r.ID)
	if *r.ParentID == 0 {
		return nil
	}
	above, err := t.Table.Get(tx, *r.ParentID)
	parent := t.Row(&above)
	*r.IDPath, *r.TreeOrder = *parent.IDPath+"/"+*r.IDPath, *parent.TreeOrder+*r.TreeOrder
	return err
}

// Order is the tree order of a row without a parent. That of one below another follows
// that of its parent.
func Order(position, id int64) string { return sortable(position) + sortable(id) }

// sortable writes a non-negative number so that texts sort like the numbers, also with a
// suffix: the number of digits as a letter, then the digits.
func sortable(n int64) string {
	digits := strconv.FormatInt(n, 10)
	return string(rune('a'+len(digits))) + digits
}

// move stores a row that gets another parent or position, with the paths of everything
// below it.
func (t *Tree[T, S]) move(ctx context.Context, tx store.Tx, api *shopapi.API, before, after *T) error {
	had, has := t.Row(before), t.Row(after)
	if err := t.checkMoved(ctx, tx, before, after); err != nil {
		return err
	}
	if err := t.setPaths(tx, has); err != nil {
		return err
	}
	if err := t.checkLevels(tx, before, Level(*has.IDPath)-Level(*had.IDPath)); err != nil {
		return err
	}
	if *has.IDPath != *had.IDPath {
		if err := t.reportMoved(ctx, tx, api, before); err != nil {
			return err
		}
	}
	_, err := t.Table.ReplacePrefixes(tx,
		store.Prefix{Column: "tree_order", Old: *had.TreeOrder, New: *has.TreeOrder},
		store.Prefix{Column: "id_path", Old: *had.IDPath, New: *has.IDPath})
	if err != nil {
		return err
	}
	return t.Table.Update(tx, after)
}

// reportMoved records the change of the paths of all rows below a row that moves, before
// it moves (E4).
func (t *Tree[T, S]) reportMoved(ctx context.Context, tx store.Tx, api *shopapi.API, v *T) error {
	if err := t.Table.Set(tx, "updated_at", api.Now(ctx).Unix(), t.Below(v)); err != nil || !api.Records() {
		return err
	}
	var ids []int64
	err := t.Items.Each(tx, store.Query{Where: []store.Cond{t.Below(v)}, Limit: shopapi.MaxRecorded + 2}, func(s *S) error {
		if id, _, _ := t.Item(s); id != *t.Row(v).ID {
			ids = append(ids, id)
		}
		return nil
	})
	api.RecordEach(ctx, t.Plural, shopapi.OpUpdate, ids, "id_path")
	return err
}

// A move writes every row below, and a deletion checks and removes each: both hold the
// writer meanwhile. The host's own code has no limits.
const (
	maxMoved   = 5_000
	maxRemoved = 2_500
)

// checkMoved refuses a request that moves too many rows.
func (t *Tree[T, S]) checkMoved(ctx context.Context, tx store.Tx, before, after *T) error {
	if shopapi.UserFrom(ctx) == nil {
		return nil
	}
	n, err := t.Table.Count(tx, t.Below(before))
	if err != nil || n <= maxMoved {
		return err
	}
	field := "position"
	if *t.Row(before).ParentID != *t.Row(after).ParentID {
		field = "parent_id"
	}
	return shopapi.Invalid(field, "cannot change while the %s has %d %s in its tree: at most %d move at once. Move the %[3]s below it first", t.Object, n, t.Plural, maxMoved)
}

// checkLevels refuses a move by so many levels down that leads any row too deep.
func (t *Tree[T, S]) checkLevels(tx store.Tx, v *T, down int) error {
	if down <= 0 {
		return nil
	}
	return t.Paths.Each(tx, store.Query{Where: []store.Cond{t.Below(v)}}, func(p *Path) error {
		if Level(p.IDPath)+down > maxLevels {
			return shopapi.Invalid("parent_id", "would put %s more than %d levels deep", t.Plural, maxLevels)
		}
		return nil
	})
}

// Subtree returns the ids of a row and of all below it, in the order of the tree. It
// fails when the user may not see all of them, or they are too many. It is a [resource.Definition]'s Subtree.
func (t *Tree[T, S]) Subtree(ctx context.Context, tx store.Tx, v *T) (ids []int64, err error) {
	err = t.Items.Each(tx, store.Query{
		Where: []store.Cond{t.Below(v)},
		Order: []store.Order{store.Asc("tree_order")},
		Limit: maxRemovedOf(ctx),
	}, func(s *S) error {
		id, _, company := t.Item(s)
		if !resource.Visible(ctx, company) {
			return shopapi.Errorf(http.StatusBadRequest, "The %s holds %s of another company, and cannot be removed with them.", t.Object, t.Plural)
		}
		ids = append(ids, id)
		return nil
	})
	if err == nil && len(ids) > maxRemoved && shopapi.UserFrom(ctx) != nil {
		err = shopapi.Errorf(http.StatusBadRequest, "The %s has more than %d %s in its tree. Delete the %[3]s below it first.", t.Object, maxRemoved, t.Plural)
	}
	return ids, err
}

// maxRemovedOf is how many rows the deletion of a subtree looks at, 0 for all.
func maxRemovedOf(ctx context.Context) int {
	if shopapi.UserFrom(ctx) == nil {
		return 0
	}
	return maxRemoved + 1
}

// Remove removes a row and everything below it. It is a [resource.Definition]'s Remove.
func (t *Tree[T, S]) Remove(_ context.Context, tx store.Tx, v *T) error {
	_, err := t.Table.Delete(tx, t.Below(v))
	return err
}
