package memory

import (
	"cmp"

	"github.com/tidwall/btree"
)

// A tree has rows in an order. It is an interface, since the compiler would compile the generic
// tree again for each package that imports this one.
type tree interface {
	Set(r *row) (replaced *row, ok bool)
	Delete(r *row) (deleted *row, ok bool)
	Get(r *row) (*row, bool)
	Scan(each func(*row) bool)
	Reverse(each func(*row) bool)
	Ascend(from *row, each func(*row) bool)
	Clone() tree // which shares nodes until one of both changes
}

type btreeOfRows struct{ *btree.BTreeG[*row] }

func (t btreeOfRows) Clone() tree { return btreeOfRows{t.Copy()} }

// newTree returns a tree of rows in the order of columns and then of the key.
// The tree needs no lock: only the one writer changes or copies it.
func newTree(columns []int) tree {
	return btreeOfRows{btree.NewBTreeGOptions(func(a, b *row) bool {
		return cmp.Or(compare(columns, a, b), cmp.Compare(a.key(), b.key())) < 0
	}, btree.Options{NoLocks: true})}
}
