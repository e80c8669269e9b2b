package sqlite

import (
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/countcache"
)

// searchPage is Page of a query that a search index narrows. It looks at each candidate
// once, for the page and its total. ok is false where the rows are to be scanned.
func (t *tx) searchPage(p *store.Projection, q *store.Query, each func(row []store.Value) error) (total int64, ok bool, err error) {
	if _, err := t.readable(); err != nil {
		return 0, false, err
	}
	where, narrowed, err := t.narrow(p.Schema, q.Where)
	if err != nil || !narrowed {
		return 0, false, translate(t.ctx, err)
	}
	keys, err := t.keys(p.Schema, where)
	if err != nil || len(keys) <= q.Offset {
		return int64(len(keys)), true, translate(t.ctx, err)
	}
	matches := *q
	matches.Where = []store.Cond{store.In(p.Schema.Key(), keys...)}
	s, err := t.conn.queryAfter(selectRows, p, &matches, &countcache.Anchor{}, scanHint)
	if err != nil {
		return 0, false, translate(t.ctx, err)
	}
	_, err = t.rows(s, p, each)
	return int64(len(keys)), true, err
}

// keys returns the keys of the rows that meet narrowed conditions.
func (t *tx) keys(s *store.Schema, where []store.Cond) ([]store.Value, error) {
	return t.conn.selectKeys(selectPositions, s, dialect.SelectPositions(s, nil)+string(scanHint), where)
}

// selectKeys returns the first columns of the rows that meet conditions. The statement begins with
// sql.
func (c *conn) selectKeys(v verb, s *store.Schema, sql string, where []store.Cond) (keys []store.Value, err error) {
	c.builder.Reset()
	c.builder.Text = append(c.builder.Text, sql...)
	if err := c.builder.Where(s, where); err != nil {
		return nil, err
	}
	st, err := c.bindBuilt(v, s.All())
	if err != nil {
		return nil, err
	}
	err = c.stepAll(st, func(row []store.Value) { keys = append(keys, row[0]) })
	return keys, err
}
