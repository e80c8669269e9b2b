package sqlite

import (
	"errors"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// changes are what a transaction has changed.
type changes struct {
	tables map[string]*tableChanges
	all    bool // any table may have changed
}

// tableChanges are what a transaction has changed in one table.
type tableChanges struct {
	schema  *store.Schema
	rows    []driver.RowChange
	bytes   int  // that the rows take
	partial bool // rows are not all
	queued  int  // rows that wait for their search index
}

// queue adds rows that wait for the search index of a table.
func (c *changes) queue(s *store.Schema, n int64) {
	if n > 0 {
		c.join(&tableChanges{schema: s, queued: int(n)})
	}
}

// mark notes that rows of a table change.
func (c *changes) mark(s *store.Schema) {
	if c.tables[s.Name] == nil {
		c.join(&tableChanges{schema: s})
	}
}

// note adds the given changed rows of a table; partial means that others were not
// recorded.
func (c *changes) note(s *store.Schema, rows []driver.RowChange, partial bool) {
	d := tableChanges{schema: s, rows: rows, partial: partial}
	for i := range rows {
		d.bytes += rows[i].Size()
	}
	c.join(&d)
}

// join adds what was changed in a table after this.
func (c *changes) join(d *tableChanges) {
	if c.tables == nil {
		c.tables = make(map[string]*tableChanges)
	}
	t := c.tables[d.schema.Name]
	if t == nil {
		t = &tableChanges{schema: d.schema}
		c.tables[d.schema.Name] = t
	}
	t.queued += d.queued
	t.bytes += d.bytes
	t.partial = t.partial || d.partial || t.schema != d.schema || t.bytes > maxRecorded
	if t.partial {
		t.rows = nil
		return
	}
	t.rows = append(t.rows, d.rows...)
}

// any reports whether one of the tables may have changed.
func (c *changes) any(schemas []*store.Schema) bool {
	return c.all || slices.ContainsFunc(schemas, func(s *store.Schema) bool { return c.tables[s.Name] != nil })
}

// add adds what another transaction changed after this one.
func (c *changes) add(d *changes) {
	c.all = c.all || d.all
	if c.tables == nil {
		c.tables = d.tables
		return
	}
	for _, t := range d.tables {
		c.join(t)
	}
}

const (
	// maxRecorded is how many bytes the rows of one table take that a transaction, or
	// several that are committed together, changes and that are recorded.
	maxRecorded = 4 << 20

	// maxDeleted is how many rows one statement may delete for them to be recorded.
	maxDeleted = 256
)

var errTooMany = errors.New("sqlite: too many rows to record")

// before returns the rows that match, as changes that have only a Before. It
// reports false when they are not recorded.
func (t *tx) before(s *store.Schema, where []store.Cond) (rows []driver.RowChange, ok bool) {
	if !t.records(s) {
		return nil, false
	}
	bytes := 0
	err := t.Select(s.All(), &store.Query{Where: where}, func(row []store.Value) error {
		if bytes += driver.RowSize(row); len(rows) == maxDeleted || bytes > maxRecorded {
			return errTooMany
		}
		rows = append(rows, driver.RowChange{Before: append([]store.Value(nil), row...)})
		return nil
	})
	return rows, err == nil
}
