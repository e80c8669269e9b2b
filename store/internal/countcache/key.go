package countcache

import (
	"encoding/binary"

	"github.com/shopapi/shopapi/store"
)

// appendConds appends the key of conditions. It reports false where
// they have a sub-query, whose result depends on other tables.
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
	return b, true
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
