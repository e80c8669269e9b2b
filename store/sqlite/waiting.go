package sqlite

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A waiting has changes that no statement has written yet: of the members of a batch, or of the
// member that runs. A row that several members change is written once, such as the stock of a
// product that many orders have, and rows of several members are added by one statement.
//
// Only changes wait that the engine cannot refuse: of tables without constraints of the host, and without its
// triggers, which would see the rows of other tables too early. Statements that may depend on waiting changes
// write them first, see flush. The end of the batch writes the rest.
type waiting struct {
	tables []*waitingTable // the ones without rows may be used again
	rows   int
	bytes  int   // that the rows take, or more once some are written
	failed error // of a statement: the changes are lost, so the batch must not be committed
}

// A waitingTable has the waiting changes of one table.
type waitingTable struct {
	schema  *store.Schema
	changed []driver.RowChange // in the order in which they came
	byKey   map[int64]int      // indexes of changed, nil where these are few
	added   [][]store.Value    // their keys are 0
}

const (
	maxWaiting = 1 << 20 // bytes of rows that wait
	fewWaiting = 8       // rows among which one is found without a map
)

// of returns the table, nil where nothing waits of it.
func (w *waiting) of(s *store.Schema) *waitingTable {
	if w == nil || w.rows == 0 {
		return nil
	}
	for _, t := range w.tables {
		if t.schema == s {
			return t
		}
	}
	return nil
}

// room returns the table for a further row.
func (w *waiting) room(s *store.Schema) *waitingTable {
	for _, t := range w.tables {
		if t.schema == s {
			return t
		}
	}
	t := &waitingTable{schema: s}
	w.tables = append(w.tables, t)
	return t
}

// find returns the change of the row with a key, nil for none.
func (t *waitingTable) find(key int64) *driver.RowChange {
	if t.byKey != nil {
		if i, ok := t.byKey[key]; ok {
			return &t.changed[i]
		}
		return nil
	}
	for i := range t.changed {
		if t.changed[i].After[0].Int() == key {
			return &t.changed[i]
		}
	}
	return nil
}

// row returns a row as it will be, nil if it does not wait.
func (w *waiting) row(s *store.Schema, key int64) []store.Value {
	if t := w.of(s); t != nil {
		if c := t.find(key); c != nil {
			return c.After
		}
	}
	return nil
}

// change has a row wait in the place of before.
func (w *waiting) change(s *store.Schema, before, after []store.Value) {
	t := w.room(s)
	key := after[0].Int()
	if c := t.find(key); c != nil {
		c.After = after
		return
	}
	t.changed = append(t.changed, driver.RowChange{Before: before, After: after})
	w.rows++
	w.bytes += driver.RowSize(after)
	if t.byKey != nil {
		t.byKey[key] = len(t.changed) - 1
	} else if len(t.changed) > fewWaiting {
		t.byKey = make(map[int64]int)
		for i := range t.changed {
			t.byKey[t.changed[i].After[0].Int()] = i
		}
	}
}

func (w *waiting) add(s *store.Schema, rows [][]store.Value) {
	t := w.room(s)
	t.added = append(t.added, rows...)
	w.rows += len(rows)
	for _, row := range rows {
		w.bytes += driver.RowSize(row)
	}
}

// join adds the waiting changes of a member after the ones that wait already. m is then empty.
func (w *waiting) join(m *waiting) {
	if m.rows == 0 {
		return
	}
	for _, t := range m.tables {
		for i := range t.changed {
			w.change(t.schema, t.changed[i].Before, t.changed[i].After)
		}
		if len(t.added) > 0 {
			w.add(t.schema, t.added)
		}
	}
	m.clear()
}

// clear forgets all rows.
func (w *waiting) clear() {
	for _, t := range w.tables {
		t.clear()
	}
	w.rows, w.bytes = 0, 0
}

func (t *waitingTable) clear() {
	clear(t.changed)
	clear(t.added)
	t.changed, t.added, t.byKey = t.changed[:0], t.added[:0], nil
}

// mayWait reports whether changes of a table may wait.
func (t *tx) mayWait(s *store.Schema) bool {
	return t.own != nil && t.own.bytes+t.shared.bytes < maxWaiting && t.cachesRows() && t.store.log.capacity > 0 && t.plainness(s).free
}

// changeLater has a row wait that is to be written in the place of old, and reports whether it
// does. It must be a row that is there, with other numbers, which no index has to be unique: no
// statement can fail because of these.
func (t *tx) changeLater(s *store.Schema, old, row []store.Value) bool {
	if !t.mayWait(s) {
		return false
	}
	now := t.cachedRow(s, row[0].Int())
	if now == nil || !numbersDiffer(s, old, row) {
		return false
	}
	if &now[0] != &old[0] && !slices.Equal(now, old) { // only what differs from old is to be written
		merged := slices.Clone(now)
		for i := range row {
			if row[i] != old[i] {
				merged[i] = row[i]
			}
		}
		row = merged
	}
	t.own.change(s, now, row)
	t.changes.mark(s)
	return true
}

// numbersDiffer reports whether two rows differ in numbers alone, none of which is in a unique
// index.
func numbersDiffer(s *store.Schema, old, row []store.Value) bool {
	for i := range s.Columns {
		if row[i] == old[i] {
			continue
		}
		if c := &s.Columns[i]; i == 0 || !fits(c, row[i]) || row[i].IsText() || isUnique(s, c.Name) {
			return false
		}
	}
	return true
}

// fits reports whether a column takes a value.
func fits(c *store.Column, v store.Value) bool {
	if v.IsNull() {
		return c.Null
	}
	return v.IsText() == (c.Kind == store.Text || c.Kind == store.JSON)
}

// isUnique reports whether a unique index has a column.
func isUnique(s *store.Schema, column string) bool {
	for i := range s.Indexes {
		if x := &s.Indexes[i]; x.Unique && slices.Contains(x.Columns, column) {
			return true
		}
	}
	return false
}

// canBeAdded reports whether no statement can fail that adds rows.
func canBeAdded(s *store.Schema, rows [][]store.Value) bool {
	if isSearched(s) || slices.ContainsFunc(s.Indexes, func(x store.Index) bool { return x.Unique }) {
		return false
	}
	return !slices.ContainsFunc(rows, func(row []store.Value) bool {
		for i := range s.Columns {
			if !fits(&s.Columns[i], row[i]) {
				return true
			}
		}
		return false
	})
}

// flush writes the waiting changes of the tables that a statement uses: of p, and of the conditions and the order
// of a query, which may be nil. If one of them is not plain, it may be a view, or have triggers that
// use any table.
func (t *tx) flush(p *store.Projection, where []store.Cond, order []store.Order) error {
	if !t.anyWaits() {
		return nil
	}
	if usesTable(p, where, order, func(s *store.Schema) bool { return !t.records(s) }) {
		return t.flushAll()
	}
	return t.write(func(waits *store.Schema) bool {
		return usesTable(p, where, order, func(s *store.Schema) bool { return s.Name == waits.Name })
	})
}

// usesTable reports whether is holds for one of the tables that a statement uses.
func usesTable(p *store.Projection, where []store.Cond, order []store.Order, is func(*store.Schema) bool) bool {
	if is(p.Schema) || usedBy(where, is) {
		return true
	}
	for i := range p.Joined {
		if is(p.Joined[i].Schema) {
			return true
		}
	}
	for i := range order {
		if order[i].Via != nil && is(order[i].Via.Schema) {
			return true
		}
	}
	return false
}

func usedBy(conds []store.Cond, is func(*store.Schema) bool) bool {
	for i := range conds {
		c := &conds[i]
		if c.Sub != nil && (is(c.Sub.Schema) || usedBy(c.Sub.Where, is)) || usedBy(c.Conds, is) {
			return true
		}
	}
	return false
}

// flushAll writes all waiting changes.
func (t *tx) flushAll() error {
	return t.write(func(*store.Schema) bool { return true })
}

// flushRow is flush before a read of one row by its key. The read finds rows that wait, so they need not be
// written, unless it cannot know them by their keys.
func (t *tx) flushRow(p *store.Projection) error {
	if !t.anyWaits() || len(p.Joined) == 0 && !t.shared.hides(p.Schema) && !t.own.hides(p.Schema) && t.records(p.Schema) {
		return nil
	}
	return t.flush(p, nil, nil)
}

// hides reports whether rows of a table wait that are not known by their keys in this schema.
func (w *waiting) hides(s *store.Schema) bool {
	return w.any(func(waits *store.Schema) bool {
		return waits.Name == s.Name && (waits != s || len(w.of(s).added) > 0)
	})
}

func (t *tx) anyWaits() bool {
	return t.shared != nil && t.shared.rows > 0 || t.own != nil && t.own.rows > 0
}

// write writes the waiting changes of some tables. Changes of earlier members alone stay if the member that runs
// fails afterwards. Once changes of its own are among it, these members fail with it, and run again.
func (t *tx) write(which func(*store.Schema) bool) error {
	w := t.shared
	if !w.any(which) && !t.own.any(which) {
		return nil
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if t.own.any(which) {
		w.join(t.own)
		t.joined = true
	}
	if !t.joined {
		own, before := t.changes, t.conn.db.TotalChanges()
		t.changes = t.earlier
		defer func() {
			t.changes = own
			t.written += t.conn.db.TotalChanges() - before
		}()
	}
	reading := t.reading
	t.reading = 0 // the waiting rows were changed before
	defer func() { t.reading = reading }()
	for i := 0; i < len(w.tables) && w.failed == nil; {
		table := w.tables[i]
		if !which(table.schema) {
			i++
			continue
		}
		w.tables = slices.Delete(w.tables, i, i+1)
		w.rows -= len(table.changed) + len(table.added)
		w.failed = t.writeTable(table)
	}
	if w.rows == 0 {
		w.bytes = 0
	}
	return w.failed
}

// any reports whether changes of some tables wait.
func (w *waiting) any(which func(*store.Schema) bool) bool {
	return w != nil && w.rows > 0 && slices.ContainsFunc(w.tables, func(t *waitingTable) bool {
		return len(t.changed)+len(t.added) > 0 && which(t.schema)
	})
}

func (t *tx) writeTable(w *waitingTable) error {
	c, s := t.conn, w.schema
	for i := range w.changed {
		row := &w.changed[i]
		if slices.Equal(row.Before, row.After) {
			continue
		}
		if err := t.replaceNow(c, s, row.Before, row.After); err != nil {
			return err
		}
	}
	for rows := w.added; len(rows) > 0; {
		n := min(len(rows), maxInserted)
		if err := t.insertRows(s, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
