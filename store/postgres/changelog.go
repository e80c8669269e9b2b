package postgres

import (
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A changeLog contains the last rows that this store changed. Each transaction of the store
// takes a random number, and each statement of it adds that number to the version of its
// table. Where the difference of two versions is the sum of the numbers of some transactions
// that follow each other here, nothing else has changed the table in between.
//
// A statement that the log does not know of, of a trigger or of the host, changes the sum.
type changeLog struct {
	mu     sync.Mutex
	tables map[string]*loggedTable
}

// A loggedTable is the last changes of a table, in the order in which their commits were
// sent.
type loggedTable struct {
	schema  *store.Schema
	first   int // the position of changes[0]
	changes []loggedChange
	sum     uint64         // of all numbers, also of dropped changes
	at      map[uint64]int // the sum before a change to the position of the change
	bytes   int
}

type loggedChange struct {
	before uint64 // the sum of the numbers before it
	rows   []driver.RowChange
	bytes  int
}

const (
	// maxLogged and maxLoggedBytes limit the changes of a table.
	maxLogged      = 512
	maxLoggedBytes = 256 << 10

	// maxPending is how many commits may be on their way when another one is seen.
	maxPending = 32

	// maxTxRows is how many rows of a table a transaction changes that is logged.
	maxTxRows = 16
)

// add adds what a transaction does to a table, before its COMMIT is sent.
func (l *changeLog) add(schema *store.Schema, number uint64, rows []driver.RowChange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tables[schema.Name]
	if t == nil || t.schema != schema {
		if l.tables == nil {
			l.tables = make(map[string]*loggedTable)
		}
		t = &loggedTable{schema: schema, at: make(map[uint64]int)}
		l.tables[schema.Name] = t
	}
	c := loggedChange{before: t.sum, rows: rows}
	for i := range rows {
		rows[i].OwnTexts()
		c.bytes += rows[i].Size()
	}
	t.at[t.sum] = t.first + len(t.changes)
	t.sum += number
	t.changes = append(t.changes, c)
	t.bytes += c.bytes
	for len(t.changes) > maxLogged || t.bytes > maxLoggedBytes {
		t.dropOldest()
	}
}

func (t *loggedTable) dropOldest() {
	delete(t.at, t.changes[0].before)
	t.bytes -= t.changes[0].bytes
	t.changes[0] = loggedChange{}
	t.changes = t.changes[1:]
	t.first++
}

// between returns the changes that lead from a version to another.
func (t *loggedTable) between(from, to uint64) ([]loggedChange, bool) {
	difference, sum := to-from, t.sum
	for end := len(t.changes); end >= 0 && end >= len(t.changes)-maxPending; end-- {
		if end < len(t.changes) {
			sum = t.changes[end].before
		}
		if at, ok := t.at[sum-difference]; ok && at-t.first <= end {
			return t.changes[at-t.first : end], true
		}
	}
	return nil, false
}

// Unaffected implements [driver.RowAsked].
func (s *Store) Unaffected(table *store.Schema, from, to uint64, reads []*driver.Read) bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	t := s.log.tables[table.Name]
	if t == nil || t.schema != table {
		return false
	}
	changes, ok := t.between(from, to)
	if !ok {
		return false
	}
	for _, c := range changes {
		for _, row := range c.rows {
			for _, read := range reads {
				if read.Affected(row.Before, row.After) {
					return false
				}
			}
		}
	}
	return true
}
