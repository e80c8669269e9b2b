package postgres

import (
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

func (t *tx) Insert(s *store.Schema, row []store.Value) (int64, error) {
	if err := t.changeable(); err != nil {
		return 0, err
	}
	given := row[0].Int() != 0
	if t.group != nil && given {
		return 0, t.leaveGroup()
	}
	if t.group != nil && !hasUnique(s) {
		return t.insertLater(s, row)
	}
	if !given {
		if err := t.moveSequence(s); err != nil { // the next key must be above the given ones
			return 0, err
		}
	}
	key, err := t.insert(s, row)
	if err == nil && given {
		t.give(s, key)
	}
	if err == nil && t.changes.number != 0 {
		after := slices.Clone(row)
		after[0] = store.Int(key)
		t.changes.inserted(s, after)
	}
	return key, tooLong(s, row, err)
}

// insert adds a row. The statement does nothing if a value is taken, because an error
// would end the transaction; then it runs again inside a savepoint, to learn which value
// is taken.
func (t *tx) insert(s *store.Schema, row []store.Value) (key int64, err error) {
	free, plain := insertFreeRow, insertRow
	if row[0].Int() != 0 {
		free, plain = insertFreeKeyRow, insertKeyRow
	}
	for attempt := 0; ; attempt++ {
		key, added, err := t.tryInsert(free, s, row)
		if err != nil || added {
			return key, err
		}
		key, err = t.insertTaken(plain, s, row)
		if plain == insertKeyRow || attempt > 0 || !isOfKey(s, err) {
			return key, err
		}
		// The row did not bring the key that is taken: another program wrote rows with
		// keys of their own beside the store.
		if err := t.moveToLast(s); err != nil {
			return 0, err
		}
	}
}

// isOfKey reports whether err says that a key is taken.
func isOfKey(s *store.Schema, err error) bool {
	var conflict *store.ConflictError
	return errors.As(err, &conflict) && len(conflict.Columns) == 1 && conflict.Columns[0] == s.Key()
}

// tryInsert runs an INSERT and reports whether it added the row.
func (t *tx) tryInsert(v verb, s *store.Schema, row []store.Value) (key int64, added bool, err error) {
	var bad error
	err = t.round(func(c *conn) {
		added = false
		t.sendInsert(c, v, s, row, func(k int64, err error) { key, added, bad = k, true, err })
	})
	if err == nil && t.changes.number != 0 {
		t.changes.note(s)
	}
	return key, added, first(err, bad)
}

// sendInsert queues an INSERT.
func (t *tx) sendInsert(c *conn, v verb, s *store.Schema, row []store.Value, added func(key int64, err error)) {
	params := c.rowParams(s, row)
	if v == insertRow || v == insertFreeRow {
		params = params[1:]
	}
	c.send(t.store.texts.of(v, s.All()), params, request{row: func(values [][]byte) {
		added(strconv.ParseInt(string(values[0]), 10, 64))
	}})
}

// insertTaken adds a row with a taken value, to learn which: it returns the
// [*store.ConflictError].
func (t *tx) insertTaken(v verb, s *store.Schema, row []store.Value) (key int64, err error) {
	var bad error
	err = t.guarded(s, func(c *conn) {
		t.sendInsert(c, v, s, row, func(k int64, err error) { key, bad = k, err })
	})
	if err == nil {
		t.changes.note(s)
	}
	return key, first(err, bad)
}

// savepoint is the name of the savepoint around a statement that may fail.
const savepoint = "shopapi"

// guarded runs the statements that send queues, and rolls back only these if a unique
// value is taken.
func (t *tx) guarded(s *store.Schema, send func(*conn)) error {
	if t.group != nil {
		return t.leaveGroup()
	}
	if err := t.sendDeferred(); err != nil {
		return err
	}
	if t.failed != nil {
		return translate(t.ctx, t.failed)
	}
	err := t.roundTrip(func(c *conn) {
		c.send("SAVEPOINT "+savepoint, nil, request{})
		send(c)
		c.send("RELEASE SAVEPOINT "+savepoint, nil, request{})
	})
	if code(err) != uniqueViolation {
		t.failed = err
		return translate(t.ctx, err)
	}
	back := t.round(func(c *conn) {
		c.send("ROLLBACK TO SAVEPOINT "+savepoint, nil, request{})
		c.send("RELEASE SAVEPOINT "+savepoint, nil, request{})
	})
	return first(back, conflict(s, err))
}

func (t *tx) Update(s *store.Schema, row []store.Value) error {
	unchanged := t.unchanged() // since a row was read
	if err := t.changeable(); err != nil {
		return err
	}
	var tag pgconn.CommandTag
	change := driver.RowChange{After: slices.Clone(row)}
	records := t.changes.records(s)
	var bad error
	if records {
		change.Before = t.changes.rows[rowKey{s, row[0].Int()}]
	}
	reads := records && change.Before == nil
	var before []store.Value
	if unchanged {
		before = change.Before
	}
	if change.Before != nil && !hasUnique(s) && t.defers() {
		t.deferUpdate(s, change.Before, change.After, before)
		return nil
	}
	send := func(c *conn) {
		if reads {
			key := strconv.AppendInt(nil, row[0].Int(), 10)
			c.send(t.store.texts.of(getRow, s.All()), [][]byte{key}, request{row: func(values [][]byte) {
				change.Before = make([]store.Value, len(s.Columns))
				bad = c.readRow(s.All(), values, change.Before)
			}})
		}
		t.sendUpdate(c, s, before, row, &tag)
	}
	var err error
	if hasUnique(s) {
		err = t.guarded(s, send)
	} else {
		err = t.round(send)
	}
	switch {
	case err != nil:
		return tooLong(s, row, err)
	case tag.RowsAffected() == 0:
		t.changes.note(s)
		return store.ErrNotFound
	case records && change.Before != nil && bad == nil:
		t.changes.note(s, change)
		t.changes.remember(s, row)
	default:
		t.changes.notePartly(s)
	}
	return nil
}

func (t *tx) Delete(s *store.Schema, where []store.Cond) (int64, error) {
	if err := t.changeable(); err != nil {
		return 0, err
	}
	var tag pgconn.CommandTag
	var before rows
	one := t.changes.records(s) && isOneKey(s, where)
	err := t.query(func(c *conn) error {
		if one {
			before = rows{projection: s.All()}
			if err := before.send(t.store, c, &store.Query{Where: where}); err != nil {
				return err
			}
		}
		c.builder.Reset()
		if err := c.builder.Where(s, where); err != nil {
			return err
		}
		c.send(c.builder.Dialect.Delete(s)+string(c.builder.Text), params(c.builder.Args), request{tag: &tag})
		return nil
	})
	switch {
	case err != nil:
	case one && before.bad == nil && before.n == int(tag.RowsAffected()) && before.n <= 1:
		t.changes.deleted(s, before.values)
	default:
		t.changes.notePartly(s)
	}
	return tag.RowsAffected(), err
}

func (t *tx) ReplacePrefixes(s *store.Schema, prefixes []store.Prefix) (int64, error) {
	if err := t.changeable(); err != nil {
		return 0, err
	}
	var tag pgconn.CommandTag
	err := t.query(func(c *conn) error {
		c.builder.Reset()
		if err := c.builder.ReplacePrefixes(s, prefixes); err != nil {
			return err
		}
		c.send(string(c.builder.Text), params(c.builder.Args), request{tag: &tag})
		return nil
	})
	t.changes.notePartly(s)
	return tag.RowsAffected(), err
}

// isOneKey reports whether conditions name one row by its key.
func isOneKey(s *store.Schema, where []store.Cond) bool {
	return len(where) == 1 && where[0].Op == store.OpEqual && where[0].Column == s.Key()
}

// Set implements [store.Setter].
func (t *tx) Set(s *store.Schema, column string, v store.Value, where []store.Cond) error {
	if err := t.changeable(); err != nil {
		return err
	}
	t.changes.notePartly(s)
	return t.query(func(c *conn) error {
		c.builder.Reset()
		if err := c.builder.Set(s, column, v, where); err != nil {
			return err
		}
		c.send(string(c.builder.Text), params(c.builder.Args), request{})
		return nil
	})
}

// hasUnique reports whether a row may have a value that another one has taken,
// other than its key.
func hasUnique(s *store.Schema) bool {
	for i := range s.Indexes {
		if s.Indexes[i].Unique {
			return true
		}
	}
	return false
}
