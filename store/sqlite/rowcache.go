package sqlite

import (
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A rowCache has rows that Updates have read, or parts of them, as the open transaction of the writer
// sees them: an order reads the same products, methods and customers as many orders before it, and
// a review the company of the same product. Only the member that has the turn uses it.
//
// The rows are of one state of the database, with the changes of the open transaction. In
// another state, which commits of other connections lead to, and after a transaction that has
// changed something and is rolled back, the cache is empty.
type rowCache struct {
	tables  map[string]*cachedRows
	bytes   int
	version uint64 // of the state, 0 for none: then nothing is cached
	changes int64  // of the connection when the transaction began
}

// cachedRows are rows of one table by their keys, and parts of rows. Nobody alters them.
type cachedRows struct {
	schema *store.Schema
	rows   map[int64][]store.Value
	parts  map[*store.Projection]map[int64][]store.Value
}

const (
	maxCachedRows = 4 << 20  // bytes of all rows; with more the cache begins anew
	maxCachedRow  = 32 << 10 // bytes of one row

	// maxPartial is how many projections of one table are cached at once: clients may choose
	// columns, and each change of a row looks for its parts in all.
	maxPartial = 16
)

// begin has the cache be of a state, in which a transaction begins; nil is not known.
func (c *rowCache) begin(now *state, changes int64) {
	version := uint64(0)
	if now != nil {
		version = now.version
	}
	if version != c.version || version == 0 {
		c.clear()
	}
	c.version, c.changes = version, changes
}

// committed has the cache be of the state after a commit that led from one version to the next.
func (c *rowCache) committed(from, to uint64) {
	if c.version == from && from != 0 {
		c.version = to
	}
}

// rollback drops the rows if the transaction has changed any.
func (c *rowCache) rollback(changes int64) {
	if changes != c.changes {
		c.clear()
	}
}

func (c *rowCache) clear() {
	clear(c.tables)
	c.bytes = 0
}

// get returns a row, nil for none.
func (c *rowCache) get(s *store.Schema, key int64) []store.Value {
	if t := c.tables[s.Name]; t != nil && t.schema == s {
		return t.rows[key]
	}
	return nil
}

// part returns what a projection without joined columns reads of a row, nil for none.
func (c *rowCache) part(p *store.Projection, key int64) []store.Value {
	if t := c.tables[p.Schema.Name]; t != nil && t.schema == p.Schema {
		return t.parts[p][key]
	}
	return nil
}

// put adds a row that was read and that nobody alters.
func (c *rowCache) put(s *store.Schema, key int64, row []store.Value) {
	if t := c.room(s, driver.RowSize(row)); t != nil {
		c.bytes += driver.RowSize(row) - driver.RowSize(t.rows[key])
		t.rows[key] = row
	}
}

// putPart adds what a projection without joined columns has read of a row.
func (c *rowCache) putPart(p *store.Projection, key int64, part []store.Value) {
	t := c.room(p.Schema, driver.RowSize(part))
	if t == nil {
		return
	}
	rows := t.parts[p]
	if rows == nil {
		if len(t.parts) == maxPartial {
			c.dropParts(t)
		}
		if t.parts == nil {
			t.parts = make(map[*store.Projection]map[int64][]store.Value)
		}
		rows = make(map[int64][]store.Value)
		t.parts[p] = rows
	}
	c.bytes += driver.RowSize(part) - driver.RowSize(rows[key])
	rows[key] = part
}

// room returns the table for a row of a size, nil if the row is not to be cached.
func (c *rowCache) room(s *store.Schema, size int) *cachedRows {
	if c.version == 0 || size > maxCachedRow {
		return nil
	}
	if c.bytes+size > maxCachedRows {
		c.clear()
	}
	t := c.tables[s.Name]
	if t != nil && t.schema != s {
		c.drop(s.Name)
		t = nil
	}
	if t == nil {
		if c.tables == nil {
			c.tables = make(map[string]*cachedRows)
		}
		t = &cachedRows{schema: s, rows: make(map[int64][]store.Value)}
		c.tables[s.Name] = t
	}
	return t
}

// changed replaces a cached row by the written one, and drops its parts.
func (c *rowCache) changed(s *store.Schema, key int64, row []store.Value) {
	old := c.get(s, key)
	c.remove(s, key)
	if old != nil {
		c.bytes += driver.RowSize(row)
		c.tables[s.Name].rows[key] = row
	}
}

// remove drops a row that was deleted, and its parts.
func (c *rowCache) remove(s *store.Schema, key int64) {
	t := c.tables[s.Name]
	switch {
	case t == nil:
	case t.schema != s:
		c.drop(s.Name)
	default:
		c.bytes -= driver.RowSize(t.rows[key])
		delete(t.rows, key)
		for _, rows := range t.parts {
			c.bytes -= driver.RowSize(rows[key])
			delete(rows, key)
		}
	}
}

// drop drops all rows of a table.
func (c *rowCache) drop(table string) {
	if t := c.tables[table]; t != nil {
		for _, row := range t.rows {
			c.bytes -= driver.RowSize(row)
		}
		c.dropParts(t)
		delete(c.tables, table)
	}
}

// dropParts drops the parts of rows of a table.
func (c *rowCache) dropParts(t *cachedRows) {
	for _, rows := range t.parts {
		for _, part := range rows {
			c.bytes -= driver.RowSize(part)
		}
	}
	t.parts = nil
}
