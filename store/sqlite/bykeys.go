package sqlite

import (
	"cmp"
	"slices"

	"github.com/shopapi/shopapi/store"
)

// maxKeys is how many rows are read one by one. The statement for a list of keys parses
// the list and sorts it in a table of its own, which takes as long as reading several rows.
const maxKeys = 16

// keysOf returns the keys of the rows that a query is for, in its order. It is nil for a
// query that asks for anything but a few keys.
func keysOf(p *store.Projection, q *store.Query) []store.Value {
	key := p.Schema.Key()
	if len(q.Where) != 1 || q.Limit > 0 || q.Offset > 0 || len(q.Order) > 1 {
		return nil
	}
	if len(q.Order) == 1 && q.Order[0] != store.Asc(key) {
		return nil
	}
	in := &q.Where[0]
	if in.Op != store.OpIn || in.Column != key || len(in.Values) == 0 || len(in.Values) > maxKeys ||
		slices.ContainsFunc(in.Values, func(v store.Value) bool { return v.IsNull() || v.IsText() }) {
		return nil
	}
	keys := slices.Clone(in.Values)
	slices.SortFunc(keys, func(a, b store.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	return slices.Compact(keys)
}

// rowsByKeys hands out the rows with the keys and says how many they were.
func (t *tx) rowsByKeys(p *store.Projection, keys []store.Value, each func(row []store.Value) error) (n int, err error) {
	for _, key := range keys {
		found, err := t.rowByKey(p, key, each)
		if found {
			n++
		}
		if err == nil {
			err = t.ctx.Err()
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (t *tx) rowByKey(p *store.Projection, key store.Value, each func(row []store.Value) error) (found bool, err error) {
	c := t.conn
	c.values = append(c.values[:0], key)
	s, err := c.bind(getRow, p, nil, c.values)
	if err != nil {
		return false, translate(t.ctx, err)
	}
	t.reading++
	defer func() { // also when each panics
		t.reading--
		c.release(s)
	}()
	found, err = s.Step()
	if err != nil || !found {
		return false, translate(t.ctx, err)
	}
	row := s.row[:p.Width()]
	s.Row(row)
	t.store.docs.Check(p, key.Int(), row)
	return true, each(row)
}
