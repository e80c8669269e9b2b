package postgres

import (
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
)

func (t *tx) Insert(s *store.Schema, row []store.Value) (int64, error) {
	if err := t.changeable(); err != nil {
		return 0, err
	}
	given := row[0].Int() != 0
	if !given {
		if err := t.moveSequence(s); err != nil { // the next key must be above the given ones
			return 0, err
		}
	}
	key, err := t.insert(s, row)
	if err == nil && given {
		t.give(s, key)
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
	return key, first(err, bad)
}

// savepoint is the name of the savepoint around a statement that may fail.
const savepoint = "shopapi"

// guarded runs the statements that send queues, and rolls back only these if a unique
// value is taken.
func (t *tx) guarded(s *store.Schema, send func(*conn)) error {
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
	if err := t.changeable(); err != nil {
		return err
	}
	var tag pgconn.CommandTag
	send := func(c *conn) {
		params := c.rowParams(s, row)
		c.send(t.store.texts.of(updateRow, s.All()), append(params[1:], params[0]), request{tag: &tag})
	}
	var err error
	if hasUnique(s) {
		err = t.guarded(s, send)
	} else {
		err = t.round(send)
	}
	if err == nil && tag.RowsAffected() == 0 {
		return store.ErrNotFound
	}
	return tooLong(s, row, err)
}

func (t *tx) Delete(s *store.Schema, where []store.Cond) (int64, error) {
	if err := t.changeable(); err != nil {
		return 0, err
	}
	var tag pgconn.CommandTag
	err := t.query(func(c *conn) error {
		c.builder.Reset()
		if err := c.builder.Where(s, where); err != nil {
			return err
		}
		c.send(c.builder.Dialect.Delete(s)+string(c.builder.Text), params(c.builder.Args), request{tag: &tag})
		return nil
	})
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
	return tag.RowsAffected(), err
}

// Set implements [store.Setter].
func (t *tx) Set(s *store.Schema, column string, v store.Value, where []store.Cond) error {
	if err := t.changeable(); err != nil {
		return err
	}
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
