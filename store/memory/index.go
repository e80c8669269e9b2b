package memory

import (
	"math"

	"github.com/shopapi/shopapi/store"
)

// An index is the rows of a table in the order of some columns, folded, and
// then of the key.
type index struct {
	names   []string
	columns []int
	unique  bool
	tree    tree
}

func newIndex(schema *store.Schema, x store.Index) index {
	columns := make([]int, len(x.Columns))
	for i, name := range x.Columns {
		columns[i] = schema.Index(name)
	}
	return index{names: x.Columns, columns: columns, unique: x.Unique, tree: newTree(columns)}
}

func compare(columns []int, a, b *row) int {
	for _, c := range columns {
		if d := a.folded[c].Compare(b.folded[c]); d != 0 {
			return d
		}
	}
	return 0
}

// conflicts reports whether the index is unique and another row than the one
// with r's key has r's values, none of which is null.
func (x *index) conflicts(r *row) bool {
	if !x.unique {
		return false
	}
	for _, c := range x.columns {
		if r.folded[c].IsNull() {
			return false
		}
	}
	taken := false
	from := &row{values: []store.Value{store.Int(math.MinInt64)}, folded: r.folded}
	x.tree.Ascend(from, func(other *row) bool {
		same := compare(x.columns, r, other) == 0
		taken = same && other.key() != r.key()
		return same && !taken
	})
	return taken
}

// ascend calls each, in the order of keys per value of the other columns, for
// the rows whose first column is v, which is folded where the column is.
func (x *index) ascend(v store.Value, each func(*row) bool) {
	first := x.columns[0]
	from := &row{values: []store.Value{store.Int(math.MinInt64)}, folded: make([]store.Value, first+1)}
	for _, c := range x.columns {
		for len(from.folded) <= c {
			from.folded = append(from.folded, store.Null)
		}
	}
	from.folded[first] = v
	x.tree.Ascend(from, func(r *row) bool { return r.folded[first] == v && each(r) })
}
