package countcache

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// maxKey is how many bytes the key of conditions has at most: longer ones are rarely
// asked for again.
const maxKey = 1 << 10

// appendConds appends the key of conditions. It reports false where nothing is cached
// for them: they have a sub-query, whose result depends on other tables, or are long.
func appendConds(b []byte, where []store.Cond) ([]byte, bool) {
	b = binary.AppendUvarint(b, uint64(len(where)))
	for i := range where {
		c := &where[i]
		if c.Sub != nil {
			return b, false
		}
		b = append(b, byte(c.Op))
		b = appendText(b, c.Column)
		b = binary.AppendUvarint(b, uint64(len(c.Values)))
		for _, v := range c.Values {
			if len(b)+len(v.Text()) > maxKey {
				return b, false
			}
			switch {
			case v.IsNull():
				b = append(b, 0)
			case v.IsText():
				b = appendText(append(b, 1), v.Text())
			default:
				b = binary.AppendVarint(append(b, 2), v.Int())
			}
		}
		var ok bool
		if b, ok = appendConds(b, c.Conds); !ok {
			return b, false
		}
	}
	return b, len(b) <= maxKey
}

// cloneConds copies conditions with their texts, which may be parts of larger ones.
func cloneConds(where []store.Cond) []store.Cond {
	where = slices.Clone(where)
	for i := range where {
		c := &where[i]
		c.Values = slices.Clone(c.Values)
		for j, v := range c.Values {
			if v.IsText() {
				c.Values[j] = store.String(strings.Clone(v.Text()))
			}
		}
		c.Conds = cloneConds(c.Conds)
	}
	return where
}

// appendOrder appends the key of an order.
func appendOrder(b []byte, order []store.Order) []byte {
	for _, o := range order {
		b = appendText(b, o.Column)
		if o.Desc {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
