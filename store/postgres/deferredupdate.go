package postgres

import (
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
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

// deferUpdate defers the UPDATE of a row, which the transaction has read. named is nil where the
// UPDATE names all columns. The rows must not change.
func (t *tx) deferUpdate(s *store.Schema, before, row, named []store.Value) {
	if t.group != nil {
		t.ops = append(t.ops, memberWrite{s, before, row})
		t.changes.remember(s, row)
		return
	}
	t.deferred.addUpdate(func(c *conn) { t.sendUpdate(c, s, named, row, t.deferred.expect(1)) })
	t.replaced(s, [][]store.Value{before}, row)
}

// deferUpdates defers the UPDATEs of rows: one statement for numbers in one column, such as the
// stock of products.
func (t *tx) deferUpdates(s *store.Schema, before, given [][]store.Value) {
	rows := make([][]store.Value, len(given))
	for i, row := range given {
		rows[i] = slices.Clone(row)
	}
	if column := changedNumber(s, before, rows); t.group == nil && column != 0 && len(rows) > 1 {
		changes := make([]driver.RowChange, len(rows))
		for i, row := range rows {
			changes[i] = driver.RowChange{After: row}
		}
		t.deferred.addUpdate(func(c *conn) { t.sendNumbers(c, s, []int{column}, changes) })
		t.replaced(s, before, rows...)
		return
	}
	for i, row := range rows {
		t.deferUpdate(s, before[i], row, before[i])
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

// sendNumbers queues the UPDATE of columns of whole numbers.
func (t *tx) sendNumbers(c *conn, s *store.Schema, columns []int, rows []driver.RowChange) {
	key := quote(s.Key())
	update := "UPDATE " + quote(s.Name) + " SET "
	list := make([]store.Value, len(rows))
	values := func(column int) []byte {
		for i := range rows {
			list[i] = rows[i].After[column]
		}
		return array(nil, list)
	}
	params := [][]byte{values(0)}
	for i, column := range columns {
		if i > 0 {
			update += ", "
		}
		update += quote(s.Columns[column].Name) + " = ($" + strconv.Itoa(i+2) + "::bigint[])[array_position($1::bigint[], " + key + ")]"
		params = append(params, values(column))
	}
	c.send(update+" WHERE "+key+" = ANY($1::bigint[])", params, request{tag: t.deferred.expect(len(rows))})
}
