package sqlite

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

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

func (t *tx) insertRows(s *store.Schema, rows [][]store.Value) error {
	c, err := t.changeable()
	if err != nil {
		return err
	}
	// Where the host has triggers, these may add rows between the rows.
	if len(rows) == 1 || len(s.Columns) == 1 || isSearched(s) || !t.records(s) {
		return driver.InsertEach(t, s, rows)
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
