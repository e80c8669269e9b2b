package sqlite

import (
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/countcache"
)

// nearOffset is how many rows are skipped by OFFSET alone.
const nearOffset = 64

// read returns the statement for a query. A large offset becomes keyset pagination
// from an anchor, where one is known.
func (t *tx) read(p *store.Projection, q *store.Query) (*statement, error) {
	if _, err := t.readable(); err != nil {
		return nil, err
	}
	where, narrowed, err := t.narrow(p.Schema, q.Where)
	if err != nil {
		return nil, err
	}
	if narrowed {
		few := *q
		few.Where = where
		return t.conn.queryAfter(selectRows, p, &few, &countcache.Anchor{}, scanHint)
	}
	s, err := t.readKeyset(p, q)
	if s != nil || err != nil {
		return s, err
	}
	hint, err := t.indexHint(p.Schema, q)
	if err != nil {
		return nil, err
	}
	return t.conn.queryAfter(selectRows, p, q, &countcache.Anchor{}, hint)
}

// readKeyset returns nil when no anchor in the order of the query is known.
func (t *tx) readKeyset(p *store.Projection, q *store.Query) (*statement, error) {
	if q.Offset <= nearOffset {
		return nil, nil
	}
	order, ok := countcache.Ordered(p.Schema, q.Order)
	if !ok {
		return nil, nil
	}
	version, ok := t.tableVersion(p.Schema)
	if !ok {
		return nil, nil
	}
	cache, offset := &t.store.counts, int64(q.Offset)
	anchor, step, found := cache.Nearest(p.Schema, q.Where, order, version, offset)
	if offset-anchor.Rank >= 2*step {
		anchors, err := t.readAnchors(p.Schema, q.Where, order, version, anchor, step, offset)
		if err != nil {
			return nil, err
		}
		if n := len(anchors); n > 0 {
			anchor, found = anchors[n-1], true
		}
	}
	if !found {
		return nil, nil
	}
	after := *q
	after.Order, after.Offset = order, int(offset-anchor.Rank)
	hint, err := t.indexHint(p.Schema, &after)
	if err != nil {
		return nil, err
	}
	return t.conn.queryAfter(selectRows, p, &after, &anchor, hint)
}

// readAnchors reads from an anchor to a rank, and caches an anchor every few rows.
func (t *tx) readAnchors(s *store.Schema, where []store.Cond, order []store.Order, version uint64, from countcache.Anchor, step, to int64) ([]countcache.Anchor, error) {
	fill := t.store.counts.Begin(s, where, version)
	if fill == nil {
		return nil, nil
	}
	defer fill.End()
	q := store.Query{Where: where, Order: order, Limit: int(to - from.Rank + 1)}
	hint, err := t.indexHint(s, &q)
	if err != nil {
		return nil, err
	}
	st, err := t.conn.queryAfter(selectPositions, s.All(), &q, &from, hint)
	if err != nil {
		return nil, translate(t.ctx, err)
	}
	defer t.conn.release(st)
	var anchors []countcache.Anchor
	for rank := from.Rank; ; rank++ {
		more, err := st.Step()
		if err != nil {
			return nil, translate(t.ctx, err)
		}
		if !more {
			break
		}
		if passed := rank - from.Rank; passed == 0 || passed%step != 0 {
			continue
		}
		a := countcache.Anchor{Rank: rank}
		row := make([]store.Value, len(order)+1)
		st.Row(row)
		a.Key, a.By = row[0].Int(), row[1:]
		anchors = append(anchors, a)
	}
	fill.PutAnchors(order, anchors)
	return anchors, nil
}

// queryAfter takes the statement for a query from an anchor on, or from the
// beginning for the zero Anchor, and binds its arguments.
func (c *conn) queryAfter(v verb, p *store.Projection, q *store.Query, anchor *countcache.Anchor, hint indexHint) (*statement, error) {
	c.builder.Reset()
	if v == selectPositions {
		c.builder.Text = append(c.builder.Text, dialect.SelectPositions(p.Schema, q.Order)...)
	}
	c.builder.Text = append(c.builder.Text, hint...)
	if v == selectRows {
		c.builder.Text = append(c.builder.Text, c.join(p)...)
	}
	var err error
	if anchor.Rank > 0 {
		err = c.builder.QueryAfter(p.Schema, q, anchor.By, anchor.Key)
	} else {
		err = c.builder.Query(p.Schema, q)
	}
	if err != nil {
		return nil, err
	}
	return c.bindBuilt(v, p)
}
