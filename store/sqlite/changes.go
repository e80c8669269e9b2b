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
		c.of(s).queued += int(n)
	}
}

// mark notes that rows of a table change.
func (c *changes) mark(s *store.Schema) {
	c.of(s)
}

// of returns the changes of a table.
func (c *changes) of(s *store.Schema) *tableChanges {
	t := c.tables[s.Name]
	if t == nil {
		if c.tables == nil {
			c.tables = make(map[string]*tableChanges)
		}
		t = &tableChanges{schema: s}
		c.tables[s.Name] = t
	}
	if t.schema != s {
		t.partial, t.rows = true, nil
	}
	return t
}

// note adds the given changed rows of a table; partial means that others were not
// recorded.
func (c *changes) note(s *store.Schema, rows []driver.RowChange, partial bool) {
	t := c.of(s)
	for i := range rows {
		t.bytes += rows[i].Size()
	}
	t.add(rows, partial)
}

// add adds rows, and counts their bytes.
func (t *tableChanges) add(rows []driver.RowChange, partial bool) {
	t.partial = t.partial || partial || t.bytes > maxRecorded
	if t.partial {
		t.rows = nil
		return
	}
	t.rows = append(t.rows, rows...)
}

// join adds what was changed in a table after this.
func (c *changes) join(d *tableChanges) {
	t := c.of(d.schema)
	t.queued += d.queued
	t.bytes += d.bytes
	t.add(d.rows, d.partial)
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
