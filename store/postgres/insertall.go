package postgres

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// maxInserted is how many rows one round trip adds or replaces.
const maxInserted = 16

// InsertAll implements [store.Inserter].
func (t *tx) InsertAll(s *store.Schema, rows [][]store.Value) error {
	if err := t.changeable(); err != nil {
		return err
	}
	if hasUnique(s) {
		return driver.InsertEach(t, s, rows)
	}
	if err := t.moveSequence(s); err != nil {
		return err
	}
	for part := range slices.Chunk(rows, maxInserted) {
		if err := t.insertRows(s, part); err != nil {
			return err
		}
	}
	return nil
}

// insertSizes are how many rows one statement adds: few numbers, so that a connection prepares
// few statements. Triggers run once for a statement.
var insertSizes = []int{maxInserted, 8, 4, 3, 2, 1}

// insertRows adds rows in one round trip.
func (t *tx) insertRows(s *store.Schema, rows [][]store.Value) error {
	parts := insertParts(s, rows)
	keys := make([][]int64, len(parts))
	var bad error
	err := t.round(func(c *conn) {
		for i, part := range parts {
			keys[i] = keys[i][:0]
			c.send(t.store.texts.insertAll(insertFreeRow, s, len(part)), c.rowsParams(s, part), request{row: func(values [][]byte) {
				key, err := strconv.ParseInt(string(values[0]), 10, 64)
				keys[i], bad = append(keys[i], key), first(bad, err)
			}})
		}
	})
	if err = first(err, bad); err != nil {
		return tooLong(s, longest(rows), err)
	}
	for range parts {
		t.changes.note(s)
	}
	for i, part := range parts {
		if len(keys[i]) < len(part) {
			return t.insertAgain(s, slices.Concat(parts[i:]...), slices.Concat(keys[i:]...))
		}
		for n, row := range part {
			row[0] = store.Int(keys[i][n])
			t.changes.inserted(s, row)
		}
	}
	return nil
}

// insertParts divides rows by the statements that add them.
func insertParts(s *store.Schema, rows [][]store.Value) (parts [][][]store.Value) {
	for len(rows) > 0 {
		n := 1
		if len(s.Columns) > 1 {
			n = insertSizes[slices.IndexFunc(insertSizes, func(size int) bool { return size <= len(rows) })]
		}
		parts, rows = append(parts, rows[:n]), rows[n:]
	}
	return parts
}

// rowsParams are the parameters of a statement that adds rows without keys.
func (c *conn) rowsParams(s *store.Schema, rows [][]store.Value) (params [][]byte) {
	for _, row := range rows {
		params = append(params, c.rowParams(s, row)[1:]...)
	}
	return params
}

// keyedRowsParams are the parameters of a statement that adds rows with keys.
func (c *conn) keyedRowsParams(s *store.Schema, rows [][]store.Value) (params [][]byte) {
	for _, row := range rows {
		params = append(params, c.rowParams(s, row)...)
	}
	return params
}

// insertAgain deletes the rows with the given keys and adds all rows one by one: another
// program has taken the keys of the others.
func (t *tx) insertAgain(s *store.Schema, rows [][]store.Value, keys []int64) error {
	if len(keys) > 0 {
		if _, err := t.Delete(s, []store.Cond{store.InInts(s.Key(), keys...)}); err != nil {
			return err
		}
	}
	return driver.InsertEach(t, s, rows)
}

// longest returns the row with the longest texts.
func longest(rows [][]store.Value) []store.Value {
	return slices.MaxFunc(rows, func(a, b []store.Value) int { return cmp.Compare(textBytes(a), textBytes(b)) })
}

// textBytes is the size of the texts of a row.
func textBytes(row []store.Value) (n int) {
	for i := range row {
		n += len(row[i].Text())
	}
	return n
}
