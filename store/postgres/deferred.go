package postgres

import (
	"errors"

	"github.com/shopapi/shopapi/store"
)

// deferred are the writes of a transaction that wait for its next round trip: updates of rows
// that it has read, and rows that are appended. Where one fails, the transaction runs again and
// sends each write at once, so that the error is returned by the call that it belongs to.
type deferred struct {
	never   bool // the transaction runs again
	failed  bool
	waiting []func(c *conn)
	sent    bool          // in this round trip
	updates []*sentUpdate // in this round trip

	// updating says that an update waits. It may have to wait for the lock of a row, and is
	// not sent with COMMIT: other transactions wait for the ones that have sent theirs.
	updating bool
}

// maxDeferred limits how many writes wait in memory.
const maxDeferred = 64

var errNotUpdated = errors.New("postgres: a row that the transaction has read was not updated")

// defers reports whether the next write may wait.
func (t *tx) defers() bool {
	return t.group != nil || t.conn != nil && t.host == nil && !t.deferred.never && len(t.deferred.waiting) < maxDeferred
}

// add adds a function that queues the statements of a write.
func (d *deferred) add(write func(c *conn)) { d.waiting = append(d.waiting, write) }

// send queues the statements of the writes that wait.
func (d *deferred) send(c *conn) {
	d.sent = len(d.waiting) > 0
	for _, write := range d.waiting {
		write(c)
	}
	d.waiting, d.updating = nil, false
}

// done returns the error of a round trip with the writes that waited for it.
func (d *deferred) done(err error) error {
	if !d.sent {
		return err
	}
	for _, u := range d.updates {
		if err == nil && u.tag.RowsAffected() != int64(u.rows) {
			err = errNotUpdated
		}
	}
	d.updates = nil
	d.failed = err != nil
	return err
}

// sendDeferred sends the writes that wait, if there are some.
func (t *tx) sendDeferred() error {
	if len(t.deferred.waiting) == 0 && len(t.ops) == 0 {
		return nil
	}
	return t.round(func(*conn) {})
}

// Append implements [store.Appender].
func (t *tx) Append(s *store.Schema, rows [][]store.Value) error {
	if err := t.changeable(); err != nil {
		return err
	}
	if !t.defers() || len(rows) > maxInserted && t.group == nil || t.gave(s) {
		return t.InsertAll(s, rows)
	}
	if t.group != nil {
		for _, row := range rows {
			row[0] = store.Null
			t.ops = append(t.ops, memberWrite{schema: s, after: row})
		}
		return nil
	}
	for _, part := range insertParts(s, rows) {
		keys := t.changes.appended(s, part)
		t.deferred.add(func(c *conn) {
			c.send(t.store.texts.insertAll(insertRow, s, len(part)), c.rowsParams(s, part), request{row: keys})
		})
	}
	return nil
}
