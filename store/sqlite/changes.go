package sqlite

import (
	"errors"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/internal/countcache"
)

// changes are what a transaction has changed.
type changes struct {
	tables map[string]*tableChanges
	all    bool // any table may have changed
}

// tableChanges are what a transaction has changed in one table.
type tableChanges struct {
	schema  *store.Schema
	rows    []countcache.Change
	partial bool // rows are not all
}

// note adds changed rows of a table: those given, and unrecorded ones where partial.
func (c *changes) note(s *store.Schema, rows []countcache.Change, partial bool) {
	if c.tables == nil {
		c.tables = make(map[string]*tableChanges)
	}
	t := c.tables[s.Name]
	if t == nil {
		t = &tableChanges{schema: s}
		c.tables[s.Name] = t
	}
	t.rows = append(t.rows, rows...)
	t.partial = t.partial || partial || t.schema != s
}

// add adds what another transaction changed after this one.
func (c *changes) add(d *changes) {
	c.all = c.all || d.all
	if c.tables == nil {
		c.tables = d.tables
		return
	}
	for _, t := range d.tables {
		c.note(t.schema, t.rows, t.partial)
	}
}

// mostRecorded is how many rows one statement may delete for them to be recorded.
const mostRecorded = 256

var errTooMany = errors.New("sqlite: too many rows to record")

// before returns the rows that match, as changes that have only a Before. It
// reports false when they are not recorded.
func (t *tx) before(s *store.Schema, where []store.Cond) (rows []countcache.Change, ok bool) {
	if !t.store.counts.Wants(s) {
		return nil, false
	}
	err := t.Select(s.All(), &store.Query{Where: where}, func(row []store.Value) error {
		if len(rows) == mostRecorded {
			return errTooMany
		}
		rows = append(rows, countcache.Change{Before: append([]store.Value(nil), row...)})
		return nil
	})
	return rows, err == nil
}
