package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
)

// deferred are the writes of a transaction that are queued for its next round trip: updates of
// rows that it has read, and rows that are appended. Where one fails, the transaction runs again and sends each write at once, so that the error
// is returned by the call that it belongs to.
type deferred struct {
	never   bool // the transaction runs again
	failed  bool
	n       int
	updates []*pgconn.CommandTag // each of one row
}

// maxDeferred limits how many writes wait in memory.
const maxDeferred = 64

var errNotUpdated = errors.New("postgres: a row that the transaction has read was not updated")

// defers reports whether the next write may wait.
func (t *tx) defers() bool {
	return t.conn != nil && t.host == nil && !t.deferred.never && t.deferred.n < maxDeferred
}

// deferUpdate queues the UPDATE of a row that the transaction has read.
func (t *tx) deferUpdate(s *store.Schema, before, row []store.Value) {
	tag := new(pgconn.CommandTag)
	t.sendUpdate(t.conn, s, before, row, tag)
	t.deferred.n++
	t.deferred.updates = append(t.deferred.updates, tag)
}

// done returns the error of a round trip with the writes that waited for it.
func (d *deferred) done(err error) error {
	if d.n == 0 {
		return err
	}
	for _, tag := range d.updates {
		if err == nil && tag.RowsAffected() == 0 {
			err = errNotUpdated
		}
	}
	d.n, d.updates = 0, d.updates[:0]
	d.failed = err != nil
	return err
}

// sendDeferred sends the writes that wait, if there are some.
func (t *tx) sendDeferred() error {
	if t.deferred.n == 0 {
		return nil
	}
	return t.round(func(*conn) {})
}

// Append implements [store.Appender].
func (t *tx) Append(s *store.Schema, rows [][]store.Value) error {
	if err := t.changeable(); err != nil {
		return err
	}
	if !t.defers() || len(rows) > maxInserted || t.gave(s) {
		return t.InsertAll(s, rows)
	}
	for _, part := range insertParts(s, rows) {
		sql, params := t.store.texts.insertAll(insertRow, s, len(part)), t.conn.rowsParams(s, part)
		t.conn.send(sql, params, request{row: t.changes.appended(s, part)})
		t.deferred.n++
	}
	return nil
}
