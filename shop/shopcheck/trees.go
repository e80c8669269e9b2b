package shopcheck

import (
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/tree"
)

// A node is a row of a tree.
type node struct {
	parent, position int64
	path, order      string
}

// trees compares the paths of categories and pages with the paths of their parents. It
// also finds cycles: each path must be longer than its parent's.
func (c *checker) trees() error {
	for _, table := range []string{"categories", "pages"} {
		nodes := map[int64]node{}
		columns := []string{c.schemas[table].Key(), "parent_id", "position", "id_path", "tree_order"}
		err := c.each(table, columns, func(r row) error {
			nodes[r.int(0)] = node{r.int(1), r.int(2), r.text(3), r.text(4)}
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(nodes)) {
			n := nodes[id]
			path, order := shopapi.FormatID(id), tree.Order(n.position, id)
			if above, ok := nodes[n.parent]; ok {
				path, order = above.path+"/"+path, above.order+order
			}
			if n.path != path {
				c.found(table, id, "id_path is %s, and below its parent it would be %s", n.path, path)
			}
			if n.order != order {
				c.found(table, id, "tree_order is %s, and follows from its parent and position as %s", n.order, order)
			}
		}
	}
	return nil
}
