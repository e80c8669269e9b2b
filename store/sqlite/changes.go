package sqlite

import "github.com/shopapi/shopapi/store"

// changes is what a transaction has changed.
type changes struct {
	tables map[string]struct{}
	all    bool // any table may have changed
}

// note says that rows of the table were changed.
func (c *changes) note(s *store.Schema) {
	if c.tables == nil {
		c.tables = make(map[string]struct{})
	}
	c.tables[s.Name] = struct{}{}
}

// add adds what another transaction changed.
func (c *changes) add(d *changes) {
	c.all = c.all || d.all
	if c.tables == nil {
		c.tables = d.tables
		return
	}
	for table := range d.tables {
		c.tables[table] = struct{}{}
	}
}
