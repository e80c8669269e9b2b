package sqlite

import (
	"fmt"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

func (t *tx) Insert(s *store.Schema, row []store.Value) (int64, error) {
	c, err := t.changeable()
	if err != nil {
		return 0, err
	}
	if err := t.flush(s.All(), nil, nil); err != nil {
		return 0, err
	}
	return t.insertNow(c, s, row)
}

// insertNow adds a row.
func (t *tx) insertNow(c *conn, s *store.Schema, row []store.Value) (int64, error) {
	c.values = sqltext.AppendRow(c.values[:0], s, row)
	v, values := insertKeyRow, c.values
	if row[0].Int() == 0 {
		v, values = insertRow, values[1:]
	}
	queued, err := t.queues(s)
	if err != nil {
		return 0, err
	}
	if queued && t.records(s) {
		v += orFailRow - insertRow
	}
	st, err := c.bind(v, s.All(), nil, values)
	if err != nil {
		return 0, translate(t.ctx, err)
	}
	n, err := t.step(s, st, queued)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errIgnored(s)
	}
	key := c.db.LastInsertRowID()
	if !t.records(s) {
		t.noteUnknown(s)
		return key, nil
	}
	after := slices.Clone(row)
	after[0] = store.Int(key)
	t.changes.note(s, []driver.RowChange{{After: after}}, false)
	return key, nil
}

// maxInserted is how many rows one statement adds. There is a statement for each number of
// rows.
const maxInserted = 16

// InsertAll implements [store.Inserter]. Each statement reads and writes the last key of its
// table, which takes about as long as a short row.
func (t *tx) InsertAll(s *store.Schema, rows [][]store.Value) error {
	if err := t.flush(s.All(), nil, nil); err != nil {
		return err
	}
	for len(rows) > 0 {
		n := min(len(rows), maxInserted)
		if err := t.insertRows(s, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
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
	t.changes.mark(s)
	return nil
}

// insertRows adds rows with one statement, if that adds the rows and nothing else.
func (t *tx) insertRows(s *store.Schema, rows [][]store.Value) error {
	c, err := t.changeable()
	if err != nil {
		return err
	}
	// Where the host has triggers, these may add rows between the rows.
	if len(rows) == 1 || len(s.Columns) == 1 || isSearched(s) || !t.records(s) {
		for _, row := range rows {
			key, err := t.insertNow(c, s, row)
			if err != nil {
				return err
			}
			row[0] = store.Int(key)
		}
		return nil
	}
	c.values, c.text = c.values[:0], c.text[:0]
	for i, row := range rows {
		if i > 0 {
			c.text = sqltext.SQLite.AppendFurtherRow(c.text, s, i)
		}
		key := len(c.values)
		c.values = slices.Delete(sqltext.AppendRow(c.values, s, row), key, key+1)
	}
	st, err := c.bind(orFailRow, s.All(), c.text, c.values)
	if err != nil {
		return translate(t.ctx, err)
	}
	before := c.db.TotalChanges()
	n, err := t.step(s, st, false)
	if err != nil {
		if c.db.TotalChanges() != before {
			t.noteUnknown(s) // the rows before the one that was refused
		}
		return err
	}
	if n != int64(len(rows)) {
		return errIgnored(s)
	}
	first := c.db.LastInsertRowID() - n + 1
	changed := make([]driver.RowChange, n)
	for i, row := range rows {
		row[0] = store.Int(first + int64(i))
		changed[i].After = row
	}
	t.changes.note(s, changed, false)
	return nil
}

func (t *tx) Update(s *store.Schema, row []store.Value) error {
	c, err := t.changeable()
	if err != nil {
		return err
	}
	old := t.cachedRow(s, row[0].Int())
	if old == nil {
		old = make([]store.Value, len(s.Columns))
		if err := t.get(s.All(), row[0].Int(), old); err != nil {
			return err
		}
	}
	if slices.Equal(old, row) {
		return nil
	}
	return t.replace(c, s, old, slices.Clone(row))
}

// Replace implements [store.Replacer].
func (t *tx) Replace(s *store.Schema, before, rows [][]store.Value) error {
	c, err := t.changeable()
	for i := 0; err == nil && i < len(rows); i++ {
		if !slices.Equal(before[i], rows[i]) {
			err = t.replace(c, s, before[i], rows[i])
		}
	}
	return err
}

// replace writes a row in the place of old, now or later. It keeps both.
func (t *tx) replace(c *conn, s *store.Schema, old, row []store.Value) error {
	if t.changeLater(s, old, row) {
		return nil
	}
	if err := t.flush(s.All(), nil, nil); err != nil {
		return err
	}
	return t.replaceNow(c, s, old, row)
}

// replaceNow writes a row in the place of old. It keeps both.
func (t *tx) replaceNow(c *conn, s *store.Schema, old, row []store.Value) error {
	c.text, c.values = sqltext.SQLite.AppendUpdate(c.text[:0], c.values[:0], s, old, row)
	st, err := c.bind(updateRow, s.All(), c.text, c.values)
	if err != nil {
		return translate(t.ctx, err)
	}
	queued, err := t.queuesUpdate(s, old, row)
	if err != nil {
		c.release(st)
		return err
	}
	n, err := t.step(s, st, queued)
	if err != nil {
		return err
	}
	if n == 0 {
		return errIgnored(s)
	}
	if !t.records(s) {
		t.noteUnknown(s)
		return nil
	}
	t.changes.note(s, []driver.RowChange{{Before: old, After: row}}, false)
	t.cache.changed(s, row[0].Int(), row)
	return nil
}

// noteUnknown notes that rows of a table have changed that are not recorded.
func (t *tx) noteUnknown(s *store.Schema) {
	t.changes.note(s, nil, true)
	t.cache.drop(s.Name)
}

func (t *tx) Delete(s *store.Schema, where []store.Cond) (int64, error) {
	c, err := t.changeable()
	if err != nil {
		return 0, err
	}
	if err := t.flush(s.All(), where, nil); err != nil {
		return 0, err
	}
	rows, recorded := t.before(s, where)
	st, err := c.query(deleteRows, s, where, noHint)
	if err != nil {
		return 0, translate(t.ctx, err)
	}
	queued, err := t.queues(s)
	if err != nil {
		c.release(st)
		return 0, err
	}
	n, err := t.step(s, st, queued)
	if n > 0 && recorded && int64(len(rows)) == n {
		t.changes.note(s, rows, false)
		for i := range rows {
			t.cache.remove(s, rows[i].Before[0].Int())
		}
	} else if n > 0 {
		t.noteUnknown(s)
	}
	return n, err
}

func (t *tx) ReplacePrefixes(s *store.Schema, prefixes []store.Prefix) (int64, error) {
	c, err := t.changeable()
	if err != nil {
		return 0, err
	}
	if err := t.flush(s.All(), nil, nil); err != nil {
		return 0, err
	}
	c.builder.Reset()
	if err := c.builder.ReplacePrefixes(s, prefixes); err != nil {
		return 0, err
	}
	st, err := c.bindBuilt(replacePrefixes, s.All())
	if err != nil {
		return 0, translate(t.ctx, err)
	}
	n, err := t.step(s, st, false) // searched columns are refused by takesPrefix
	if n > 0 {
		t.noteUnknown(s)
	}
	return n, err
}

// Set implements [store.Setter].
func (t *tx) Set(s *store.Schema, column string, v store.Value, where []store.Cond) error {
	c, err := t.changeable()
	if err != nil {
		return err
	}
	if err := t.flush(s.All(), where, nil); err != nil {
		return err
	}
	c.builder.Reset()
	if err := c.builder.Set(s, column, v, where); err != nil {
		return err
	}
	st, err := c.bindBuilt(setColumn, s.All())
	if err != nil {
		return translate(t.ctx, err)
	}
	n, err := t.step(s, st, false) // no number is searched
	if n > 0 {
		t.noteUnknown(s)
	}
	return err
}

// errIgnored is the error of a row that was not written, though nothing was wrong with
// it: a trigger says RAISE(IGNORE).
func errIgnored(s *store.Schema) error {
	return fmt.Errorf("sqlite: a trigger on %s has ignored the change of a row", s.Name)
}

// queues reports whether the rows of a table are queued for its search index when they
// change. It does not ask the database again once an earlier member of the batch has queued rows:
// only SQL of the host changes the schema of the database in its transaction.
func (t *tx) queues(s *store.Schema) (bool, error) {
	if e := t.earlier.tables[s.Name]; e != nil && e.schema == s && e.queued > 0 && t.cachesRows() {
		return true, nil
	}
	queued, err := t.conn.searches(s)
	return queued, translate(t.ctx, err)
}

// queuesUpdate is queues for a row in the place of another.
func (t *tx) queuesUpdate(s *store.Schema, old, row []store.Value) (bool, error) {
	for i := range s.Columns {
		if s.Columns[i].Search && !old[i].Equal(row[i]) {
			return t.queues(s)
		}
	}
	return false, nil
}

// step runs a statement that writes rows, each of which may be queued by a trigger of the
// store's own.
func (t *tx) step(s *store.Schema, st *statement, queued bool) (int64, error) {
	db := t.conn.db
	before := db.TotalChanges()
	_, err := st.Step()
	t.conn.release(st)
	if err != nil {
		return 0, translate(t.ctx, conflict(s, err))
	}
	n := db.Changes()
	changed := n
	if queued {
		changed += n
		t.changes.queue(s, n)
	}
	if db.TotalChanges()-before != changed {
		t.changes.all = true // a trigger of the host's changed more
	}
	return n, nil
}
