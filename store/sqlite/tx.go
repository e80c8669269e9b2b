package sqlite

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

var _ driver.CommittedTx = (*tx)(nil)

// A tx is the [store.Tx] of one View or Update.
type tx struct {
	store   *Store
	conn    *conn // nil when the transaction is over
	ctx     context.Context
	changes *changes     // nil in a View
	earlier *changes     // of members of the same batch
	own     *waiting     // changes of this member of a batch; nil where all are written at once
	shared  *waiting     // and of earlier ones; nil in a View
	joined  bool         // own is part of shared, some of which was written
	written int64        // changed rows of earlier members alone that waited
	state   *state       // that a View sees, nil when it is not known
	reading int          // functions that are being given rows
	host    *hostSession // nil until the host runs SQL of its own
	cache   *rowCache    // nil in a View

	found map[string][]store.Value // by search indexes, nil for too many
}

// end has later uses of the Tx fail.
func (t *tx) end() {
	t.conn, t.own, t.shared = nil, nil, nil
	t.host.close()
}

// IsCommitted implements [driver.CommittedTx].
func (t *tx) IsCommitted(schemas []*store.Schema) bool {
	return t.conn != nil && t.changes != nil && !t.changes.any(schemas) && !t.earlier.any(schemas)
}

// readable returns the connection to read from.
func (t *tx) readable() (*conn, error) {
	if t.conn == nil {
		return nil, errOver
	}
	return t.conn, t.ctx.Err()
}

// changeable returns the connection to write to.
func (t *tx) changeable() (*conn, error) {
	c, err := t.readable()
	switch {
	case err != nil:
		return nil, err
	case t.changes == nil:
		return nil, store.ErrReadOnly
	case t.reading > 0:
		return nil, errReading
	case !c.db.InTransaction():
		return nil, errGone // a statement now would be a transaction of its own
	}
	return c, nil
}

func (t *tx) Get(p *store.Projection, key int64, row []store.Value) error {
	err := t.get(p, key, row)
	if err == nil {
		t.store.docs.Check(p, key, row)
	}
	return err
}

// get reads a row as it is.
func (t *tx) get(p *store.Projection, key int64, row []store.Value) error {
	c, err := t.readable()
	if err != nil {
		return err
	}
	if len(p.Joined) == 0 && t.getCached(p, key, row) {
		return nil
	}
	if err := t.flushRow(p); err != nil {
		return err
	}
	c.values = append(c.values[:0], store.Int(key))
	s, err := c.bind(getRow, p, nil, c.values)
	if err != nil {
		return translate(t.ctx, err)
	}
	found, err := s.Step()
	if found {
		s.Row(row[:p.Width()])
	}
	c.release(s)
	switch {
	case err != nil:
		return translate(t.ctx, err)
	case !found:
		return store.ErrNotFound
	}
	switch {
	case len(p.Joined) > 0 || !t.cachesRows() || !t.plainness(p.Schema).plain: // a view shows rows of other tables
	case p == p.Schema.All():
		t.cache.put(p.Schema, key, slices.Clone(row[:p.Width()]))
	default:
		t.cache.putPart(p, key, slices.Clone(row[:p.Width()]))
	}
	return nil
}

// getCached reads a row that waits or is in the cache, and reports whether it is.
func (t *tx) getCached(p *store.Projection, key int64, row []store.Value) bool {
	if cached := t.cachedRow(p.Schema, key); cached != nil {
		for i, column := range p.Columns {
			row[i] = cached[column]
		}
		return true
	}
	if !t.cachesRows() {
		return false
	}
	part := t.cache.part(p, key)
	copy(row, part)
	return part != nil
}

// cachesRows reports whether the cache knows what the transaction has changed: not what
// triggers and SQL of the host change.
func (t *tx) cachesRows() bool {
	return t.cache != nil && t.host == nil && !t.changes.all && !t.earlier.all
}

// cachedRow returns a whole row that waits or is in the cache, which the caller must not alter, or nil.
func (t *tx) cachedRow(s *store.Schema, key int64) []store.Value {
	for _, w := range []*waiting{t.own, t.shared} {
		if row := w.row(s, key); row != nil {
			return row
		}
	}
	if !t.cachesRows() {
		return nil
	}
	return t.cache.get(s, key)
}

func (t *tx) Select(p *store.Projection, q *store.Query, each func(row []store.Value) error) error {
	if keys := keysOf(p, q); keys != nil {
		return t.rowsByKeys(p, keys, each)
	}
	if text := t.uniqueText(p, q); text != nil {
		if key, known := t.conn.uniqueKeys[string(text)]; known {
			if found, err := t.selectKnown(p.Schema, key, q.Where, each); found || err != nil {
				return err
			}
			delete(t.conn.uniqueKeys, string(t.uniqueText(p, q)))
		}
		each = t.noting(p.Schema, string(t.uniqueText(p, q)), q.Where, each)
	}
	if err := t.flush(p, q.Where, q.Order); err != nil {
		return err
	}
	s, err := t.read(p, q)
	if err != nil {
		return translate(t.ctx, err)
	}
	_, err = t.rows(s, p, each)
	return err
}

func (t *tx) Page(p *store.Projection, q *store.Query, each func(row []store.Value) error) (int64, error) {
	if err := t.flush(p, q.Where, q.Order); err != nil {
		return 0, err
	}
	if isSearch(p.Schema, q.Where) && q.Limit > 0 {
		if n, ok, err := t.searchPage(p, q, each); ok || err != nil {
			return n, err
		}
	}
	s, err := t.read(p, q)
	if err != nil {
		return 0, translate(t.ctx, err)
	}
	n, err := t.rows(s, p, each)
	if err != nil {
		return 0, err
	}
	lastPage := q.Limit <= 0 || n < q.Limit
	if lastPage && (n > 0 || q.Offset <= 0) {
		return int64(max(q.Offset, 0) + n), nil
	}
	return t.Count(p.Schema, q.Where)
}

// rows passes the rows of a statement to each, says how many they were, and releases the
// statement.
func (t *tx) rows(s *statement, p *store.Projection, each func(row []store.Value) error) (n int, err error) {
	c := t.conn
	t.reading++
	defer func() { // also when each panics
		t.reading--
		c.release(s)
	}()
	row := s.row[:p.Width()]
	for {
		more, err := s.Step()
		if err != nil {
			return n, translate(t.ctx, err)
		}
		if !more {
			return n, nil
		}
		n++
		s.Row(row)
		t.store.docs.Check(p, 0, row)
		if err := each(row); err != nil {
			return n, err
		}
		if err := t.ctx.Err(); err != nil {
			return n, err
		}
	}
}

func (t *tx) Count(s *store.Schema, where []store.Cond) (int64, error) {
	if _, err := t.readable(); err != nil {
		return 0, err
	}
	if err := t.flush(s.All(), where, nil); err != nil {
		return 0, err
	}
	return t.count(s, where)
}
