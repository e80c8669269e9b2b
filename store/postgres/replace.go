package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

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
	tags := make([]pgconn.CommandTag, len(rows))
	round := t.round
	if hasUnique(s) {
		round = func(send func(*conn)) error { return t.guarded(s, send) }
	}
	err := round(func(c *conn) {
		for i := range rows {
			t.sendUpdate(c, s, rows[i], &tags[i])
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
		if !t.changes.records(s) {
			t.changes.notePartly(s)
			continue
		}
		t.changes.note(s, driver.RowChange{Before: before[i], After: slices.Clone(row)})
		t.changes.remember(s, row)
	}
	return nil
}

// sendUpdate queues the UPDATE of a row.
func (t *tx) sendUpdate(c *conn, s *store.Schema, row []store.Value, tag *pgconn.CommandTag) {
	params := c.rowParams(s, row)
	c.send(t.store.texts.of(updateRow, s.All()), append(params[1:], params[0]), request{tag: tag})
}
