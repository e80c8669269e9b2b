package categories

import (
	"github.com/shopapi/shopapi/internal/tree"
	"github.com/shopapi/shopapi/store"
)

// Last is the position of a new category without one: after its siblings of the same
// company, in steps of 10 (decisions §7).
const Last = tree.Last

// paths maintains id_path and tree_order.
var paths = &tree.Tree[Category, Summary]{
	Object: "category",
	Plural: "categories",
	Table:  table,
	Row: func(c *Category) tree.Row {
		return tree.Row{
			ID: &c.CategoryID, ParentID: &c.ParentID, Position: &c.Position, CompanyID: &c.CompanyID,
			IDPath: &c.IDPath, TreeOrder: &c.TreeOrder,
		}
	},
	Items: summaries,
	Paths: store.Project[tree.Path](table),
	Item:  func(s *Summary) (id, position, company int64) { return s.CategoryID, s.Position, s.CompanyID },
}

// below matches the category and its descendants.
func (c *Category) below() store.Cond { return paths.Below(c) }
