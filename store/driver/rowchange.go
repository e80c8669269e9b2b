package driver

import (
	"strings"
	"unsafe"

	"github.com/shopapi/shopapi/store"
)

// A RowChange is a changed row with all its columns, before and after the change: nil
// where it did not exist or no longer does. The key of a new row may be null: the store does
// not know it yet.
type RowChange struct{ Before, After []store.Value }

// Size is the size of both rows with their texts, in bytes.
func (c *RowChange) Size() int { return RowSize(c.Before) + RowSize(c.After) }

// RowSize is the size of a row with its texts, in bytes.
func RowSize(row []store.Value) int {
	n := len(row) * int(unsafe.Sizeof(store.Value{}))
	for i := range row {
		n += len(row[i].Text())
	}
	return n
}

// OwnTexts replaces the texts of After, which may be parts of larger texts: unchanged
// texts are shared with Before, the others are copied. A store calls it before it keeps
// the change beyond its transaction.
func (c *RowChange) OwnTexts() {
	for i, v := range c.After {
		switch {
		case !v.IsText():
		case c.Before != nil && c.Before[i] == v:
			c.After[i] = c.Before[i]
		default:
			c.After[i] = store.String(strings.Clone(v.Text()))
		}
	}
}
