package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

var _ driver.CommittedTx = (*tx)(nil)

// A tx is the [store.Tx] of one View or Update. It takes a connection, and
// begins the transaction in the round trip of the first statement.
type tx struct {
	store    *Store
	ctx      context.Context
	writable bool
	short    bool            // takes a reserved connection if no other one is free
	first    string          // a statement that comes before all others
	reads    *driver.ReadSet // of a View whose tables have versions

	conn     *conn // nil until the first statement
	over     bool
	reading  int   // functions that are being given rows
	failed   error // of a statement: the transaction cannot be committed
	wrote    bool
	given    []givenKey
	changes  txChanges
	deferred deferred
	ahead    ahead
	turns    []*rowTurn   // that the transaction has
	host     *hostUse     // nil until the host runs SQL of its own
	member                // of a group
	tables   []string     // of the next statement, where there are replicas
	replica  *replicaRead // nil while conn is to the primary
	left     *replicaRead // nil for a View that has not left a replica
}

const (
	beginView   = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
	beginUpdate = "BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE"
)

// round runs the statements that send queues, in one round trip. It may call
// send again, on another connection, when the first was lost before anything was
// read or written on it.
func (t *tx) round(send func(*conn)) error {
	if t.failed != nil {
		return translate(t.ctx, t.failed)
	}
	if t.ahead.hand != nil {
		return t.handOver(send)
	}
	if len(t.ahead.waiting) > 0 {
		return t.roundWithWaiting(send)
	}
	err := t.roundTrip(send)
	if err != nil {
		t.failed = err
		return translate(t.ctx, err)
	}
	return nil
}

// roundTrip is round for statements whose errors do not end the transaction.
func (t *tx) roundTrip(send func(*conn)) error {
	if t.group != nil {
		return t.group.roundTrip(t, send)
	}
	if t.replica != nil || t.conn == nil && len(t.store.replicas.all) > 0 && t.beginReplica(t.tables) {
		if t.readReplica(send) {
			return nil
		}
	}
	if t.conn != nil {
		if t.host != nil {
			t.conn.open(t.ctx)
			defer t.conn.shut()
		}
		t.changes.sendEnd(t.conn)
		t.deferred.send(t.conn)
		send(t.conn)
		return t.deferred.done(t.conn.roundTrip())
	}
	for attempt := 0; ; attempt++ {
		c, err := t.store.take(t.ctx, t.short)
		if err != nil {
			return err
		}
		t.conn = c // also when send panics
		c.open(t.ctx)
		if c.pg.TxStatus() != idleStatus {
			c.send("COMMIT", nil, request{}) // of the View that had it before
		}
		if t.writable {
			c.send(beginUpdate, nil, request{})
		} else {
			c.send(beginView, nil, request{})
		}
		if t.first != "" {
			c.send(t.first, nil, request{})
		}
		number := t.store.number.check(t.writable)
		t.sendSettings(c, &number)
		number.send(t.store, c)
		var versions answer
		if t.reads != nil || t.left != nil {
			versions.send(t.store, c)
		}
		send(c)
		c.learnSession()
		var standby bool
		if t.store.primary && !t.writable { // writes fail there by themselves
			c.learnStandby(&standby)
		}
		err = c.roundTrip()
		if err == nil && standby {
			err = errStandby
		}
		if err == nil {
			if err = number.result(t.store, c); errors.Is(err, store.ErrNewerSchema) {
				return err
			}
		}
		if err == nil || !isLost(err) || t.ctx.Err() != nil {
			if t.reads != nil {
				versions.saw(t.store, t.reads)
			}
			if err == nil {
				err = t.left.proceeds(t.ctx, &versions)
			}
			return err
		}
		t.conn = nil
		t.store.drop(c)
		if attempt > t.store.size { // all that were idle, and a new one
			return unavailable(err)
		}
	}
}

// IsCommitted implements [driver.CommittedTx]. Triggers may change any table.
func (t *tx) IsCommitted(schemas []*store.Schema) bool {
	if t.group != nil {
		return !t.over && !t.saved && t.group.reads.unchanged(schemas) &&
			!slices.ContainsFunc(t.ops, func(w memberWrite) bool { return slices.Contains(schemas, w.schema) })
	}
	return t.writable && !t.over && t.unchanged()
}

// again returns the error that asks for another run of the transaction, nil when
// none would help.
func (t *tx) again() error {
	if t.failed == nil || t.ctx.Err() != nil || errors.Is(t.failed, store.ErrUnavailable) {
		return nil
	}
	switch conflict := isConflict(t.failed); {
	case conflict || t.deferred.failed:
		return &again{cause: t.failed, atOnce: !conflict}
	case isLost(t.failed):
		return &again{cause: t.failed}
	}
	return nil
}

// end makes later uses of the Tx fail, and rolls back uncommitted changes.
func (t *tx) end() {
	if t.group != nil {
		t.group.abandon(t)
		return
	}
	if t.lone {
		t.lone = false
		defer t.store.grouping.endedAlone(t.store)
	}
	t.over = true
	defer t.leaveTurns() // after the rollback
	c := t.conn
	if c == nil {
		return
	}
	t.conn = nil
	if t.replica != nil {
		defer t.replica.cancel()
	}
	if t.ctx.Err() != nil || c.pg.IsClosed() || c.pg.TxStatus() == idleStatus || t.host != nil && c.pg.IsBusy() {
		t.store.put(c) // the pool closes it where the transaction goes on
		return
	}
	if t.host != nil {
		c.open(t.ctx)
	}
	lingers := c.session == sessionOwn && time.Since(c.taken) < rotation // a pooler's would be missing elsewhere
	if lingers && !t.writable && t.failed == nil && t.host == nil && c.shut() {
		t.store.putIdle(c)
		return
	}
	c.send("ROLLBACK", nil, request{})
	_ = c.roundTrip() // where it fails, or a write that waited for it, the pool closes the connection
	t.store.put(c)
}

// States of a connection: outside of a transaction, or in a failed transaction, which can
// only be rolled back.
const (
	idleStatus   = 'I'
	failedStatus = 'E'
)

// readable returns whether the transaction can be read from.
func (t *tx) readable() error {
	if t.over {
		return errOver
	}
	if err := t.host.state(t); err != nil {
		return err
	}
	return t.ctx.Err()
}

// changeable returns whether the transaction can be written to, which then begins.
func (t *tx) changeable() error {
	err := t.readable()
	switch {
	case err != nil:
		return err
	case !t.writable:
		return store.ErrReadOnly
	case t.reading > 0:
		return errReading
	case t.ahead.hand != nil:
		return errAheadWrites
	}
	t.wrote = true
	t.ahead = ahead{waiting: t.ahead.waiting}
	return nil
}

func (t *tx) Get(p *store.Projection, key int64, row []store.Value) error {
	if err := t.readable(); err != nil {
		return err
	}
	found, known := t.rowAhead(p, key, row)
	for !known {
		sql := t.store.texts.of(getRow, p)
		t.needs(p.Schema, p.Joined, nil, nil)
		var bad error
		err := t.round(func(c *conn) {
			found = false
			c.send(sql, [][]byte{strconv.AppendInt(nil, key, 10)}, request{row: func(values [][]byte) {
				found = true
				bad = c.readRow(p, values, row)
				t.store.docs.Check(p, key, row)
			}})
		})
		if err = first(err, bad); err != nil {
			return err
		}
		t.keepRow(p, key, row, found)
		if known = !t.isStale(); !known {
			found, known = t.rowAhead(p, key, row)
		}
	}
	if !found {
		return store.ErrNotFound
	}
	if p == p.Schema.All() {
		t.changes.remember(p.Schema, row)
	}
	return nil
}

func (t *tx) Select(p *store.Projection, q *store.Query, each func(row []store.Value) error) error {
	key := t.keyAhead(p, q)
	r, known := t.rowsAhead(p, key)
	for !known {
		r = rows{projection: p}
		t.needs(p.Schema, p.Joined, q.Where, q.Order)
		if err := t.query(func(c *conn) error { return r.send(t.store, c, q) }); err != nil {
			return err
		}
		t.keepRows(key, q, &r)
		if known = !t.isStale(); !known {
			r, known = t.rowsAhead(p, key)
		}
	}
	return t.hand(&r, each)
}

func (t *tx) Page(p *store.Projection, q *store.Query, each func(row []store.Value) error) (int64, error) {
	r, total := rows{projection: p}, count{}
	whole := q.Limit <= 0 && q.Offset <= 0
	t.needs(p.Schema, p.Joined, q.Where, q.Order)
	err := t.query(func(c *conn) error {
		if err := r.send(t.store, c, q); err != nil || whole {
			return err
		}
		return total.send(t.store, c, p.Schema, q.Where)
	})
	if err == nil {
		err = t.hand(&r, each)
	}
	switch {
	case err != nil:
		return 0, err
	case whole:
		return int64(r.n), nil
	}
	return total.n, total.bad
}

func (t *tx) Count(s *store.Schema, where []store.Cond) (int64, error) {
	total := count{}
	t.needs(s, nil, where, nil)
	err := t.query(func(c *conn) error { return total.send(t.store, c, s, where) })
	if err != nil {
		return 0, err
	}
	return total.n, total.bad
}

// query runs what send queues. An error of send is a mistake in the query: then
// nothing is run.
func (t *tx) query(send func(*conn) error) error {
	if err := t.readable(); err != nil {
		return err
	}
	var mistake error
	err := t.round(func(c *conn) { mistake = send(c) })
	return first(mistake, err)
}

// hand calls each with the rows.
func (t *tx) hand(r *rows, each func(row []store.Value) error) error {
	if r.bad != nil {
		return r.bad
	}
	t.reading++
	defer func() { t.reading-- }() // also when each panics
	width := r.projection.Width()
	for i := range r.n {
		if err := each(r.values[i*width : (i+1)*width : (i+1)*width]); err != nil {
			return err
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// rows collects the rows of a query: the connection is free again before a
// function is given them, so that it may read too.
type rows struct {
	projection *store.Projection
	n          int
	values     []store.Value
	bad        error
}

func (r *rows) send(s *Store, c *conn, q *store.Query) error {
	p := r.projection
	c.builder.Reset()
	if err := c.builder.Query(p.Schema, q); err != nil {
		return err
	}
	r.n, r.values, r.bad = 0, r.values[:0], nil
	width := p.Width()
	c.send(s.texts.of(selectRows, p)+string(c.builder.Text), params(c.builder.Args), request{row: func(values [][]byte) {
		r.n++
		from := len(r.values)
		for range width {
			r.values = append(r.values, store.Null)
		}
		r.bad = first(r.bad, c.readRow(p, values, r.values[from:]))
		s.docs.Check(p, 0, r.values[from:])
	}})
	return nil
}

// count collects the result of a count.
type count struct {
	n   int64
	bad error
}

func (n *count) send(s *Store, c *conn, schema *store.Schema, where []store.Cond) error {
	c.builder.Reset()
	if err := c.builder.Where(schema, where); err != nil {
		return err
	}
	c.send(c.builder.Dialect.Count(schema)+string(c.builder.Text), params(c.builder.Args), request{row: func(values [][]byte) {
		n.n, n.bad = strconv.ParseInt(string(values[0]), 10, 64)
	}})
	return nil
}
