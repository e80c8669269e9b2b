package eval

import (
	"cmp"

	"github.com/shopapi/shopapi/store"
)

// A Position is the position of a row in an order: the values of the terms, folded where
// their columns are, and the row's key.
type Position struct {
	By  []store.Value
	Key int64
}

// Compare orders two positions as the terms do. Keys break ties in the direction
// of the last term, upwards where there is none.
func Compare(order []store.Order, a, b Position) int {
	desc := false
	for i := range order {
		desc = order[i].Desc
		if d := a.By[i].Compare(b.By[i]); d != 0 {
			return direct(d, desc)
		}
	}
	return direct(cmp.Compare(a.Key, b.Key), desc)
}

func direct(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}
