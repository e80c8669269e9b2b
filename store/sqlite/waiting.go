package sqlite

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A waiting has changes whose statements have not run yet: of the members of a batch, or of the
// member that runs. A row that several members change is written once, such as the stock of a
// product that many orders have, and rows of several members are added by one statement.
//
// Only changes wait that the engine cannot refuse: of tables without the host's triggers, which
// would see the rows of other tables too early. Statements that may depend on what waits write it
// first, see settle. At the latest the end of the batch does.
type waiting struct {
	tables []*waitingTable
	bytes  int   // that the rows take
	failed error // of a statement: the changes are lost, so the batch must not be committed
}

// A waitingTable is what waits of one table.
type waitingTable struct {
	schema  *store.Schema
	changed map[int64]*driver.RowChange
	order   []*driver.RowChange // changed, as they came
	added   [][]store.Value     // their keys are 0
}

// maxWaiting is how many bytes of rows wait.
const maxWaiting = 1 << 20

// of returns what waits of a table, nil for nothing.
func (w *waiting) of(s *store.Schema) *waitingTable {
	if w == nil {
		return nil
	}
	for _, t := range w.tables {
		if t.schema == s {
			return t
		}
	}
	return nil
}

func (w *waiting) table(s *store.Schema) *waitingTable {
	t := w.of(s)
	if t == nil {
		t = &waitingTable{schema: s, changed: make(map[int64]*driver.RowChange)}
		w.tables = append(w.tables, t)
	}
	return t
}

// row returns a row as it will be, nil if it does not wait.
func (w *waiting) row(s *store.Schema, key int64) []store.Value {
	if t := w.of(s); t != nil {
		if c := t.changed[key]; c != nil {
			return c.After
		}
	}
	return nil
}

// change has a row wait in the place of before.
func (w *waiting) change(s *store.Schema, before, after []store.Value) {
	t := w.table(s)
	key := after[0].Int()
	if c := t.changed[key]; c != nil {
		c.After = after
		return
	}
	c := &driver.RowChange{Before: before, After: after}
	t.changed[key] = c
	t.order = append(t.order, c)
	w.bytes += c.Size()
}

func (w *waiting) add(s *store.Schema, rows [][]store.Value) {
	t := w.table(s)
	t.added = append(t.added, rows...)
	for _, row := range rows {
		w.bytes += driver.RowSize(row)
	}
}

// join adds what a member has left, after what waits already.
func (w *waiting) join(m *waiting) {
	for _, t := range m.tables {
		for _, c := range t.order {
			w.change(t.schema, c.Before, c.After)
		}
		if len(t.added) > 0 {
			w.add(t.schema, t.added)
		}
	}
	*m = waiting{}
}

// mayWait reports whether changes of a table may wait.
func (t *tx) mayWait(s *store.Schema) bool {
	return t.own != nil && t.own.bytes+t.shared.bytes < maxWaiting && t.cachesRows() && t.records(s)
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
	t.changes.join(&tableChanges{schema: s})
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

// Append implements [store.Appender].
func (t *tx) Append(s *store.Schema, rows [][]store.Value) error {
	if _, err := t.changeable(); err != nil {
		return err
	}
	if !t.mayWait(s) || !canBeAdded(s, rows) {
		return t.InsertAll(s, rows)
	}
	t.own.add(s, rows)
	t.changes.join(&tableChanges{schema: s})
	return nil
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

// settle writes what waits of the tables that a statement uses: of p, and of the conditions and the order
// of a query, which may be nil. If one of them is not plain, it may be a view, or have triggers that
// use any table.
func (t *tx) settle(p *store.Projection, where []store.Cond, order []store.Order) error {
	if !t.anyWaits() {
		return nil
	}
	u := uses{tx: t}
	u.table(p.Schema)
	for i := range p.Joined {
		u.table(p.Joined[i].Schema)
	}
	for i := range order {
		if order[i].Via != nil {
			u.table(order[i].Via.Schema)
		}
	}
	u.conds(where)
	return t.write(u.has)
}

// settleAll writes all that waits.
func (t *tx) settleAll() error {
	if !t.anyWaits() {
		return nil
	}
	return t.write(func(*store.Schema) bool { return true })
}

// settleRow is settle for a read of one row by its key, which does not wait.
func (t *tx) settleRow(p *store.Projection) error {
	if !t.anyWaits() || len(p.Joined) == 0 && !t.shared.hides(p.Schema) && !t.own.hides(p.Schema) && t.records(p.Schema) {
		return nil
	}
	return t.settle(p, nil, nil)
}

// hides reports whether rows of a table wait that are not known by their keys in this schema.
func (w *waiting) hides(s *store.Schema) bool {
	return w != nil && slices.ContainsFunc(w.tables, func(t *waitingTable) bool {
		return t.schema.Name == s.Name && (t.schema != s || len(t.added) > 0)
	})
}

func (t *tx) anyWaits() bool {
	return t.shared != nil && (len(t.shared.tables) > 0 || t.own != nil && len(t.own.tables) > 0)
}

// uses collects the tables that a statement uses.
type uses struct {
	tx     *tx
	tables []string
	all    bool
}

func (u *uses) table(s *store.Schema) {
	u.tables = append(u.tables, s.Name)
	u.all = u.all || !u.tx.records(s)
}

func (u *uses) conds(list []store.Cond) {
	for i := range list {
		if sub := list[i].Sub; sub != nil {
			u.table(sub.Schema)
			u.conds(sub.Where)
		}
		u.conds(list[i].Conds)
	}
}

func (u *uses) has(s *store.Schema) bool { return u.all || slices.Contains(u.tables, s.Name) }

// write writes what waits of some tables. If the member that runs fails afterwards, so do the members
// whose changes were written with its own, and run again.
func (t *tx) write(which func(*store.Schema) bool) error {
	w := t.shared
	if !w.any(which) && !t.own.any(which) {
		return nil
	}
	if t.own != nil {
		w.join(t.own)
		t.joined = true
	}
	reading := t.reading
	t.reading = 0 // what waits was changed before
	defer func() { t.reading = reading }()
	for i := 0; i < len(w.tables) && w.failed == nil; {
		table := w.tables[i]
		if !which(table.schema) {
			i++
			continue
		}
		w.tables = slices.Delete(w.tables, i, i+1)
		w.failed = t.writeTable(table)
	}
	if len(w.tables) == 0 {
		w.bytes = 0
	}
	return w.failed
}

// any reports whether changes of some tables wait.
func (w *waiting) any(which func(*store.Schema) bool) bool {
	return w != nil && slices.ContainsFunc(w.tables, func(t *waitingTable) bool { return which(t.schema) })
}

func (t *tx) writeTable(w *waitingTable) error {
	c, s := t.conn, w.schema
	for _, row := range w.order {
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
