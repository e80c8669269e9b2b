package sqlite

import (
	"cmp"
	"errors"
	"slices"

	"github.com/shopapi/shopapi/store"
)

// maxKeys is how many rows are read one by one. The statement for a list of keys parses
// the list and sorts it in a table of its own, which takes as long as reading several
// rows: see BenchmarkKeys.
const maxKeys = 8

// keysOf returns the keys of the rows that a query selects, in its order. It returns nil
// for a query with any other condition than a few keys.
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

// SelectKept implements [store.RowKeeper]: a row of the cache is not copied.
func (t *tx) SelectKept(s *store.Schema, where []store.Cond, each func(row []store.Value) error) error {
	if _, err := t.readable(); err != nil {
		return err
	}
	p, q := s.All(), &store.Query{Where: where}
	copied := func(row []store.Value) error { return each(slices.Clone(row)) }
	keys := keysOf(p, q)
	if keys == nil {
		return t.Select(p, q, copied)
	}
	for i, key := range keys {
		var err error
		if row := t.cachedRow(s, key.Int()); row != nil && t.store.docs.Valid(p, row) {
			err = t.hand(row, each)
		} else {
			err = t.rowsByKeys(p, keys[i:i+1], copied)
		}
		if err != nil {
			return err
		}
	}
	return t.ctx.Err()
}

// hand calls each, which must not write.
func (t *tx) hand(row []store.Value, each func(row []store.Value) error) error {
	t.reading++
	defer func() { t.reading-- }() // also when each panics
	return each(row)
}

// rowsByKeys passes the rows with the keys to each.
func (t *tx) rowsByKeys(p *store.Projection, keys []store.Value, each func(row []store.Value) error) error {
	t.reading++
	defer func() { t.reading-- }() // also when each panics
	c, err := t.readable()
	if err != nil {
		return err
	}
	row := c.takeRow(p.Width())
	defer c.giveRow(row)
	for _, key := range keys {
		err := t.get(p, key.Int(), row)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		t.store.docs.Check(p, key.Int(), row)
		if err := each(row); err != nil {
			return err
		}
	}
	return t.ctx.Err()
}
