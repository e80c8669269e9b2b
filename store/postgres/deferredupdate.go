package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
)

// A sentUpdate is an UPDATE that must change a number of rows: a trigger of the host may skip one.
type sentUpdate struct {
	rows int
	tag  pgconn.CommandTag
}

// addUpdate is add for an UPDATE.
func (d *deferred) addUpdate(update func(c *conn)) {
	d.add(update)
	d.updating = true
}

// expect returns the tag of an UPDATE of a number of rows that is being sent.
func (d *deferred) expect(rows int) *pgconn.CommandTag {
	u := &sentUpdate{rows: rows}
	d.updates = append(d.updates, u)
	return &u.tag
}

// deferUpdate defers the UPDATE of a row. The rows must not change.
func (t *tx) deferUpdate(s *store.Schema, before, row []store.Value) {
	t.deferred.addUpdate(func(c *conn) { t.sendUpdate(c, s, before, row, t.deferred.expect(1)) })
}

// deferUpdates defers the UPDATEs of rows: one statement for numbers in one column, such as the
// stock of products.
func (t *tx) deferUpdates(s *store.Schema, before, given [][]store.Value) {
	rows := make([][]store.Value, len(given))
	for i, row := range given {
		rows[i] = slices.Clone(row)
	}
	if column := changedNumber(s, before, rows); column != 0 && len(rows) > 1 {
		t.deferred.addUpdate(func(c *conn) { t.sendNumbers(c, s, column, rows) })
		t.replaced(s, before, rows...)
		return
	}
	for i, row := range rows {
		t.deferUpdate(s, before[i], row)
		t.replaced(s, before[i:i+1], row)
	}
}

// changedNumber returns the column of whole numbers in which each row differs from the one before,
// and in no other; 0 if there is none.
func changedNumber(s *store.Schema, before, rows [][]store.Value) (column int) {
	for i, row := range rows {
		changed := changedColumns(before[i], row)
		if len(changed) != 1 || i > 0 && changed[0] != column {
			return 0
		}
		column = changed[0]
		if s.Columns[column].Kind != store.Integer || row[column].IsNull() {
			return 0
		}
	}
	return column
}

// sendNumbers queues the UPDATE of a column of whole numbers.
func (t *tx) sendNumbers(c *conn, s *store.Schema, column int, rows [][]store.Value) {
	key := quote(s.Key())
	update := "UPDATE " + quote(s.Name) + " SET " + quote(s.Columns[column].Name) +
		" = ($2::bigint[])[array_position($1::bigint[], " + key + ")] WHERE " + key + " = ANY($1::bigint[])"
	keys, numbers := make([]store.Value, len(rows)), make([]store.Value, len(rows))
	for i, row := range rows {
		keys[i], numbers[i] = row[0], row[column]
	}
	c.send(update, [][]byte{array(nil, keys), array(nil, numbers)}, request{tag: t.deferred.expect(len(rows))})
}
