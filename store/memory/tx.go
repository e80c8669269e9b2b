package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

var errOver = errors.New("memory: the transaction is over")

var _ driver.CommittedTx = (*tx)(nil)

// A tx is the [store.Tx] of one View or Update.
type tx struct {
	ctx   context.Context
	state *state
	own   map[string]bool // tables that this transaction cloned; nil in a View
	over  bool
}

// end has later uses of the Tx fail.
func (t *tx) end() { t.over = true }

// IsCommitted implements [driver.CommittedTx].
func (t *tx) IsCommitted(schemas []*store.Schema) bool {
	return !t.over && !slices.ContainsFunc(schemas, func(s *store.Schema) bool { return t.own[s.Name] })
}

// table returns a table to read.
func (t *tx) table(s *store.Schema) (*table, error) {
	if t.over {
		return nil, errOver
	}
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	tb, ok := t.state.tables[s.Name]
	if !ok {
		return nil, fmt.Errorf("memory: no table %s; it was not migrated", s.Name)
	}
	return tb, nil
}

// edit returns a table to write, this transaction's own copy.
func (t *tx) edit(s *store.Schema) (*table, error) {
	tb, err := t.table(s)
	if err != nil {
		return nil, err
	}
	if t.own == nil {
		return nil, store.ErrReadOnly
	}
	if !t.own[s.Name] {
		tb = tb.clone()
		tb.changed = t.state.version
		t.state.tables[s.Name] = tb
		t.own[s.Name] = true
	}
	return tb, nil
}

func (t *tx) Get(p *store.Projection, key int64, into []store.Value) error {
	tb, err := t.table(p.Schema)
	if err != nil {
		return err
	}
	columns, err := positions(tb, p)
	if err != nil {
		return err
	}
	joins, err := t.joins(tb, p)
	if err != nil {
		return err
	}
	r := tb.get(key)
	if r == nil {
		return store.ErrNotFound
	}
	joins.project(r, r.project(columns, into))
	return nil
}

func (t *tx) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	_, err := t.read(p, q, false, each)
	return err
}

func (t *tx) Page(p *store.Projection, q *store.Query, each func([]store.Value) error) (int64, error) {
	return t.read(p, q, true, each)
}

func (t *tx) Count(s *store.Schema, where []store.Cond) (n int64, err error) {
	tb, err := t.table(s)
	if err != nil {
		return 0, err
	}
	err = t.visit(tb, where, false, func(*row) bool {
		n++
		return true
	})
	return n, err
}

func (t *tx) Insert(s *store.Schema, values []store.Value) (int64, error) {
	tb, err := t.edit(s)
	if err != nil {
		return 0, err
	}
	return tb.insert(s, values)
}

func (t *tx) Update(s *store.Schema, values []store.Value) error {
	tb, err := t.edit(s)
	if err != nil {
		return err
	}
	return tb.update(s, values)
}

func (t *tx) Delete(s *store.Schema, where []store.Cond) (int64, error) {
	tb, err := t.edit(s)
	if err != nil {
		return 0, err
	}
	doomed, err := t.matching(tb, where)
	for _, r := range doomed {
		tb.remove(r)
	}
	return int64(len(doomed)), err
}

func (t *tx) ReplacePrefixes(s *store.Schema, prefixes []store.Prefix) (int64, error) {
	tb, err := t.edit(s)
	if err != nil {
		return 0, err
	}
	columns := make([]int, len(prefixes))
	for i, p := range prefixes {
		if columns[i], err = tb.column(p.Column); err != nil {
			return 0, err
		}
	}
	rows, err := t.matching(tb, store.Prefixed(prefixes))
	for _, old := range rows {
		r := &row{values: slices.Clone(old.values), folded: slices.Clone(old.folded)}
		for i, p := range prefixes {
			v := store.String(p.New + r.values[columns[i]].Text()[len(p.Old):])
			r.values[columns[i]], r.folded[columns[i]] = v, v
		}
		tb.remove(old)
		tb.add(r)
	}
	return int64(len(rows)), err
}

// matching returns the rows that meet all conditions, none with an error.
func (t *tx) matching(tb *table, where []store.Cond) (rows []*row, err error) {
	err = t.visit(tb, where, false, func(r *row) bool {
		rows = append(rows, r)
		return true
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// read finds the rows of q before it hands out the first, and counts all that
// match when counting.
func (t *tx) read(p *store.Projection, q *store.Query, counting bool, each func([]store.Value) error) (int64, error) {
	tb, err := t.table(p.Schema)
	if err != nil {
		return 0, err
	}
	columns, err := positions(tb, p)
	if err != nil {
		return 0, err
	}
	joins, err := t.joins(tb, p)
	if err != nil {
		return 0, err
	}
	terms, err := t.terms(tb, q.Order)
	if err != nil {
		return 0, err
	}
	inOrder, reverse := byKey(tb, q.Order)
	// Rows that come in the right order can stop at the end of the page.
	enough := 0
	if inOrder && !counting && q.Limit > 0 {
		enough = q.Offset + q.Limit
	}
	var rows []*row
	err = t.visit(tb, q.Where, inOrder && reverse, func(r *row) bool {
		rows = append(rows, r)
		return len(rows) != enough
	})
	if err != nil {
		return 0, err
	}
	total := int64(len(rows))
	if !inOrder {
		rows = arrange(rows, q.Order, terms)
	}
	rows = rows[min(q.Offset, len(rows)):]
	if q.Limit > 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	values := make([]store.Value, p.Width())
	for _, r := range rows {
		joins.project(r, r.project(columns, values))
		if err := each(values); err != nil {
			return 0, err
		}
		if err := t.ctx.Err(); err != nil {
			return 0, err
		}
	}
	return total, nil
}
