package postgres

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// txChanges are what a transaction of the store changes, for the log.
type txChanges struct {
	number uint64 // 0 where nothing is logged
	most   int    // rows of a table that are logged
	count  int    // of statements
	logged bool   // the rows are in the log of the store
	ended  uint64 // the number of the log that has ended, until the database knows
	tables map[*store.Schema]*tableChanges
	rows   map[rowKey][]store.Value // that were read or written whole
}

type rowKey struct {
	schema *store.Schema
	key    int64
}

type tableChanges struct {
	statements uint64
	rows       []driver.RowChange
	partial    bool // rows are not all
}

// begin takes a number.
func (x *txChanges) begin() { x.number, x.most = rand.Uint64()|1, maxTxRows }

// maxTxStatements is how many statements a transaction may have that is logged.
const maxTxStatements = 64

// end has nothing of the transaction be logged.
func (x *txChanges) end() {
	if x.number != 0 {
		*x = txChanges{ended: x.number}
	}
}

// sendEnd queues what the end of the log needs.
func (x *txChanges) sendEnd(c *conn) {
	if x.ended != 0 {
		sendWrites(c, x.ended)
		c.send(endWritesSQL, nil, request{})
		x.ended = 0
	}
}

// note notes a statement that was run, and the rows that it changed.
func (x *txChanges) note(s *store.Schema, rows ...driver.RowChange) {
	if x.number == 0 {
		return
	}
	if x.count++; x.count > maxTxStatements {
		x.end()
		return
	}
	t := x.tables[s]
	if t == nil {
		if x.tables == nil {
			x.tables = make(map[*store.Schema]*tableChanges)
		}
		t = &tableChanges{}
		x.tables[s] = t
	}
	t.statements++
	if t.rows = append(t.rows, rows...); len(t.rows) > x.most {
		t.partial = true
	}
	if t.partial {
		t.rows = nil
	}
}

// inserted adds the row of a statement that was noted.
func (x *txChanges) inserted(s *store.Schema, after []store.Value) {
	t := x.tables[s]
	if t == nil {
		return // the log has ended
	}
	if !t.partial {
		t.rows = append(t.rows, driver.RowChange{After: after})
		x.remember(s, after)
	}
	if len(t.rows) > x.most {
		t.partial, t.rows = true, nil
	}
}

// appended notes a statement that adds rows. It returns what reads their keys, one after another.
func (x *txChanges) appended(s *store.Schema, rows [][]store.Value) func(values [][]byte) {
	x.note(s)
	t := x.tables[s]
	if t == nil || t.partial {
		return nil
	}
	from := len(t.rows)
	for _, row := range rows {
		after := slices.Clone(row)
		after[0] = store.Null
		t.rows = append(t.rows, driver.RowChange{After: after})
	}
	added := t.rows[from:]
	if len(t.rows) > x.most {
		t.partial, t.rows = true, nil
	}
	return func(values [][]byte) {
		key, err := strconv.ParseInt(string(values[0]), 10, 64)
		if err == nil && len(added) > 0 && !x.logged {
			added[0].After[0] = store.Int(key)
			added = added[1:]
		}
	}
}

// deleted notes a statement that deleted a row, or none.
func (x *txChanges) deleted(s *store.Schema, row []store.Value) {
	if len(row) == 0 {
		x.note(s)
		return
	}
	x.note(s, driver.RowChange{Before: slices.Clone(row)})
	delete(x.rows, rowKey{s, row[0].Int()})
}

// notePartly notes a statement that changed rows that are not known.
func (x *txChanges) notePartly(s *store.Schema) {
	if x.note(s); x.number != 0 {
		x.tables[s].partial, x.tables[s].rows, x.rows = true, nil, nil
	}
}

// records reports whether the rows of a table that are changed next are logged.
func (x *txChanges) records(s *store.Schema) bool {
	t := x.tables[s]
	return x.number != 0 && (t == nil || !t.partial && len(t.rows) < x.most)
}

// maxRemembered is how many whole rows a transaction remembers.
const maxRemembered = 64

// remember notes a whole row as the transaction sees it now.
func (x *txChanges) remember(s *store.Schema, row []store.Value) {
	key := rowKey{s, row[0].Int()}
	if x.number == 0 || len(x.rows) >= maxRemembered && x.rows[key] == nil {
		return
	}
	if x.rows == nil {
		x.rows = make(map[rowKey][]store.Value)
	}
	x.rows[key] = slices.Clone(row)
}

// merge adds the changes of a member of a group.
func (x *txChanges) merge(other *txChanges) {
	if other.number == 0 {
		x.end()
	}
	if x.number == 0 {
		return
	}
	x.count += other.count
	for s, o := range other.tables {
		t := x.tables[s]
		if t == nil {
			if x.tables == nil {
				x.tables = make(map[*store.Schema]*tableChanges)
			}
			t = &tableChanges{}
			x.tables[s] = t
		}
		t.statements += o.statements
		t.rows = append(t.rows, o.rows...)
		if t.partial = t.partial || o.partial || len(t.rows) > x.most; t.partial {
			t.rows = nil
		}
	}
}

// log adds the changes to the log of the store. It is called before COMMIT is sent.
func (x *txChanges) log(s *Store) {
	x.logged = true
	for schema, t := range x.tables {
		if !t.partial {
			s.log.add(schema, x.number*t.statements, t.rows)
		}
	}
}
