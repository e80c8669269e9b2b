package postgres

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A memberWrite is a write of a member of a group: the change of a row that it has read, or a new
// row. The key of a new row is null where nobody waits for it.
type memberWrite struct {
	schema        *store.Schema
	before, after []store.Value
}

// groupWrites are writes that wait, by table.
type groupWrites struct{ tables []*tableWrites }

type tableWrites struct {
	schema   *store.Schema
	keyed    [][]store.Value // new rows with keys
	appended [][]store.Value // new rows without
	changed  []memberWrite   // one for each row
	at       map[int64]int   // key to index in changed
}

func (w *groupWrites) empty() bool { return len(w.tables) == 0 }

// addAll adds writes. The last one of a row replaces those before.
func (w *groupWrites) addAll(list []memberWrite) {
	for _, m := range list {
		t := w.table(m.schema)
		switch {
		case m.before == nil && m.after[0].IsNull():
			t.appended = append(t.appended, m.after)
		case m.before == nil:
			t.keyed = append(t.keyed, m.after)
		default:
			key := m.after[0].Int()
			if i, ok := t.at[key]; ok {
				t.changed[i].after = m.after
				continue
			}
			if t.at == nil {
				t.at = make(map[int64]int)
			}
			t.at[key] = len(t.changed)
			t.changed = append(t.changed, m)
		}
	}
}

func (w *groupWrites) table(s *store.Schema) *tableWrites {
	i := slices.IndexFunc(w.tables, func(t *tableWrites) bool { return t.schema == s })
	if i < 0 {
		i, w.tables = len(w.tables), append(w.tables, &tableWrites{schema: s})
	}
	return w.tables[i]
}

// send queues the statements, and notes them.
func (w *groupWrites) send(t *tx, c *conn, changes *txChanges) {
	for _, table := range w.tables {
		s := table.schema
		for _, part := range insertParts(s, table.keyed) {
			rows := make([]driver.RowChange, len(part))
			for i, row := range part {
				rows[i] = driver.RowChange{After: row}
			}
			changes.note(s, rows...)
			c.send(t.store.texts.insertAll(insertKeyRow, s, len(part)), c.keyedRowsParams(s, part), request{})
		}
		for _, part := range insertParts(s, table.appended) {
			keys := changes.appended(s, part)
			c.send(t.store.texts.insertAll(insertRow, s, len(part)), c.rowsParams(s, part), request{row: keys})
		}
		t.sendChanged(c, s, table.changed, changes)
	}
}

// sendChanged queues the UPDATE of rows: one statement where only whole numbers change.
func (t *tx) sendChanged(c *conn, s *store.Schema, list []memberWrite, changes *txChanges) {
	rows := make([]driver.RowChange, 0, len(list))
	var columns []int
	numbers := true
	for _, m := range list {
		changed := changedColumns(m.before, m.after)
		if len(changed) == 0 {
			continue // changed back
		}
		rows = append(rows, driver.RowChange{Before: m.before, After: m.after})
		for _, column := range changed {
			numbers = numbers && s.Columns[column].Kind == store.Integer && !m.after[column].IsNull()
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	if len(rows) > 1 && numbers {
		changes.note(s, rows...)
		t.sendNumbers(c, s, columns, rows)
		return
	}
	for i := range rows {
		changes.note(s, rows[i])
		t.sendUpdate(c, s, rows[i].Before, rows[i].After, t.deferred.expect(1))
	}
}
