package postgres

import (
	"cmp"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// maxInserted is how many rows one round trip adds or replaces.
const maxInserted = 16

// InsertAll implements [store.Inserter]. The rows of one round trip take one statement each.
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
	keys := make([]int64, len(rows))
	var bad error
	err := t.round(func(c *conn) {
		clear(keys)
		for i := range rows {
			t.sendInsert(c, insertFreeRow, s, rows[i], func(key int64, err error) {
				keys[i], bad = key, first(bad, err)
			})
		}
	})
	if err = first(err, bad); err != nil {
		return tooLong(s, longest(rows), err)
	}
	for i, row := range rows {
		if t.changes.number != 0 {
			t.changes.note(s)
		}
		if keys[i] == 0 { // another program has taken the key
			if err := driver.InsertEach(t, s, rows[i:i+1]); err != nil {
				return err
			}
			continue
		}
		row[0] = store.Int(keys[i])
		t.changes.inserted(s, row)
	}
	return nil
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
