package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// SelectKept implements [store.RowKeeper]. The rows of each Select are its own.
func (t *tx) SelectKept(s *store.Schema, where []store.Cond, each func(row []store.Value) error) error {
	return t.Select(s.All(), &store.Query{Where: where}, each)
}

// Replace implements [store.Replacer]. The rows of one round trip take one statement each.
func (t *tx) Replace(s *store.Schema, before, rows [][]store.Value) error {
	if err := t.changeable(); err != nil {
		return err
	}
	for len(rows) > 0 {
		n := min(len(rows), maxInserted)
		if err := t.replaceRows(s, before[:n], rows[:n]); err != nil {
			return err
		}
		before, rows = before[n:], rows[n:]
	}
	return nil
}

func (t *tx) replaceRows(s *store.Schema, before, rows [][]store.Value) error {
	if !hasUnique(s) && t.defers() {
		t.deferUpdates(s, before, rows)
		return nil
	}
	tags := make([]pgconn.CommandTag, len(rows))
	round := t.round
	if hasUnique(s) {
		round = func(send func(*conn)) error { return t.guarded(s, send) }
	}
	err := round(func(c *conn) {
		for i := range rows {
			t.sendUpdate(c, s, before[i], rows[i], &tags[i])
		}
	})
	if err != nil {
		return tooLong(s, longest(rows), err)
	}
	for i, row := range rows {
		if tags[i].RowsAffected() == 0 {
			t.changes.note(s)
			return store.ErrNotFound
		}
		t.replaced(s, before[i:i+1], slices.Clone(row))
	}
	return nil
}

// replaced notes a statement that replaced rows. The rows must not change.
func (t *tx) replaced(s *store.Schema, before [][]store.Value, rows ...[]store.Value) {
	if !t.changes.records(s) {
		t.changes.notePartly(s)
		return
	}
	changes := make([]driver.RowChange, len(rows))
	for i, row := range rows {
		changes[i] = driver.RowChange{Before: before[i], After: row}
	}
	t.changes.note(s, changes...)
	for _, row := range rows {
		t.changes.remember(s, row)
	}
}

// maxNamed is how many columns the UPDATE of a row names that it changes. Statements that
// change more name all columns, so that a connection prepares few of them.
const maxNamed = 8

// sendUpdate queues the UPDATE of a row. before is nil, or what the table has: the columns in which
// the row does not differ from it are left alone.
func (t *tx) sendUpdate(c *conn, s *store.Schema, before, row []store.Value, tag *pgconn.CommandTag) {
	if changed := changedColumns(before, row); len(changed) > 0 && len(changed) <= maxNamed {
		c.text, c.values = sqltext.PostgreSQL.AppendUpdate(c.text[:0], c.values[:0], s, before, row)
		c.send(string(c.text), changeParams(s, changed, row), request{tag: tag})
		return
	}
	params := c.rowParams(s, row)
	c.send(t.store.texts.of(updateRow, s.All()), append(params[1:], params[0]), request{tag: tag})
}

// changedColumns returns the indexes of the columns in which a row differs from before, none
// where that is not known.
func changedColumns(before, row []store.Value) (changed []int) {
	for i := 1; i < len(before); i++ {
		if !row[i].Equal(before[i]) {
			changed = append(changed, i)
		}
	}
	return changed
}

// changeParams are the parameters of [sqltext.Dialect.AppendUpdate].
func changeParams(s *store.Schema, changed []int, row []store.Value) [][]byte {
	params := make([][]byte, 0, 2*len(changed)+1)
	for _, i := range changed {
		c := &s.Columns[i]
		params = append(params, param(c, row[i]))
		if c.Fold {
			params = append(params, param(nil, sqltext.Fold(row[i])))
		}
	}
	return append(params, param(nil, row[0]))
}
