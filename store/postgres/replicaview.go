package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A replicaRead is the use of a replica by a View.
//
// The snapshot of the replica shows the tables that are read in the versions that the
// primary reported after the request began, so that the View reads what a snapshot of the
// primary shows. Where a later statement cannot be answered so, the View goes on in a
// snapshot of the primary, which has to show the tables that were read in the same
// versions.
type replicaRead struct {
	ctx      context.Context // ends with the View, and when the replica goes out of service
	cancel   func()
	told     *driver.Versions // by the primary
	shown    *driver.Versions // by the snapshot
	position uint64           // of the log that the replica has applied, or less
	tables   []string         // that were read
}

var (
	errAhead   = errors.New("postgres: the replica shows other versions than the primary told")
	errChanged = errors.New("postgres: what was read on a replica has changed on the primary")
)

// beginReplica begins the View on a replica that shows the tables as the primary does, if
// there is one.
func (t *tx) beginReplica(tables []string) bool {
	if t.writable || t.left != nil || len(tables) == 0 || !t.store.versions.on.Load() || !driver.MayUseReplicas(t.ctx) {
		return false
	}
	r, life := t.store.replicas.next()
	if r == nil {
		return false
	}
	told, err := driver.VersionsOnce(t.ctx, t.store, false)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(t.ctx, replicaWait)
	defer cancel()
	c, err := r.take(ctx)
	if err != nil {
		if ctx.Err() == nil {
			r.suspect()
		}
		return false
	}
	read := &replicaRead{told: told}
	c.open(ctx)
	err = read.await(ctx, t.store, c, tables)
	if err == nil && !c.shut() {
		err = errLost
	}
	if err != nil {
		t.rejectReplica(ctx, c, err)
		return false
	}
	read.ctx, read.cancel = readsOn(t.ctx, life)
	t.conn, t.replica = c, read
	c.open(read.ctx)
	r.views.Add(1)
	t.reads.Saw(read.told)
	return true
}

// rejectReplica gives back a connection to a replica that does not show what the View is to
// read.
func (t *tx) rejectReplica(ctx context.Context, c *conn, cause error) {
	if errors.Is(cause, errAhead) {
		t.store.rollBack(c)
		return
	}
	lost := c.pg.IsClosed()
	t.store.drop(c)
	switch {
	case t.ctx.Err() != nil:
	case errors.Is(cause, errBehind):
		c.replica.retire(errBehind)
	case ctx.Err() != nil:
		c.replica.retire(errSlow)
	case lost: // others may be good
		c.replica.suspect()
	default:
		c.replica.retire(cause)
	}
}

// rollBack ends the transaction of a View and gives the connection back.
func (s *Store) rollBack(c *conn) {
	c.send("ROLLBACK", nil, request{})
	_ = c.roundTrip() // where it fails, the pool closes the connection
	s.put(c)
}

// readsOn returns a context that also ends when the replica is out of service.
func readsOn(ctx, life context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(life, cancel)
	return ctx, func() { stop(); cancel() }
}

// await takes snapshots until one shows the tables in the versions of the primary. It
// returns errAhead where that will not happen.
func (r *replicaRead) await(ctx context.Context, s *Store, c *conn, tables []string) error {
	for attempt := 0; ; attempt++ {
		number := s.number.check(false)
		if err := r.snapshot(s, c, &number); err != nil {
			return err
		}
		if attempt == 0 && !r.shows(tables) { // it may be ahead
			told, err := driver.VersionsOnce(ctx, s, true)
			if err != nil {
				return errors.Join(errAhead, err) // the primary says the same to the View
			}
			r.told = told
		}
		switch {
		case r.shows(tables):
			if number.result(s, c) != nil {
				return errAhead
			}
			return nil
		case r.told.Position == 0 || r.position < r.told.Position:
		case r.shown.Epoch != r.told.Epoch:
			return errForeign
		default:
			return errAhead
		}
		select {
		case <-time.After(time.Millisecond << min(attempt, 4)):
		case <-ctx.Done():
			return errBehind
		}
	}
}

// replicaEpochSQL is the epoch that a standby shows: that of its last timeline.
const replicaEpochSQL = `CASE WHEN pg_is_in_recovery() THEN coalesce((SELECT epoch::text FROM ` + epochsTable + ` ORDER BY timeline DESC LIMIT 1), '') ELSE 'primary' END`

// replicaQuestionSQL is questionSQL for a replica.
const replicaQuestionSQL = questionStart + replicaEpochSQL + `, (pg_last_wal_replay_lsn() - '0/0')::text, NULL` + questionRest

// snapshot begins a transaction whose snapshot shows some versions.
func (r *replicaRead) snapshot(s *Store, c *conn, number *numberCheck) error {
	if c.pg.TxStatus() != idleStatus {
		c.send("COMMIT", nil, request{})
	}
	c.send(beginView, nil, request{})
	c.send("SET LOCAL lock_timeout = "+replicaLockTimeout, nil, request{})
	var got answer
	got.sendTo(c, replicaQuestionSQL, s.versions.knownAs(r.told))
	number.send(s, c)
	c.learnSession()
	if err := c.roundTrip(); err != nil {
		return err
	}
	known, err := got.known()
	if err != nil {
		return err
	}
	r.shown, r.position = known.versions, got.position
	return nil
}

// replicaLockTimeout is replicaWait in milliseconds.
const replicaLockTimeout = "50"

// shows reports whether the snapshot shows the tables in the versions of the primary.
func (r *replicaRead) shows(tables []string) bool {
	return r.shown == r.told || sameVersions(r.shown, r.told, tables)
}

// sameVersions reports whether tables have the same versions.
func sameVersions(a, b *driver.Versions, tables []string) bool {
	if a.Epoch != b.Epoch {
		return false
	}
	for _, name := range tables {
		in, ok := a.Tables[name]
		if other, known := b.Tables[name]; !ok || !known || in != other {
			return false
		}
	}
	return true
}

// readReplica runs the statements that send queues on the replica. Where it returns false
// the View has left the replica.
func (t *tx) readReplica(send func(*conn)) bool {
	if !t.replica.shows(t.tables) {
		t.leaveReplica(nil)
		return false
	}
	send(t.conn)
	if err := t.conn.roundTrip(); err != nil {
		t.leaveReplica(err)
		return false
	}
	for _, name := range t.tables {
		if !slices.Contains(t.replica.tables, name) {
			t.replica.tables = append(t.replica.tables, name)
		}
	}
	return true
}

// leaveReplica has the View go on on the primary.
func (t *tx) leaveReplica(cause error) {
	c := t.conn
	t.left = t.replica
	t.conn, t.replica = nil, nil
	if cause != nil && isLost(cause) {
		if t.ctx.Err() == nil {
			c.replica.suspect()
		}
		t.store.drop(c)
	} else {
		t.store.rollBack(c)
	}
	t.left.cancel()
}

// proceeds returns an error if the snapshot of the primary shows other versions of the
// tables that the View has read on a replica.
func (r *replicaRead) proceeds(ctx context.Context, primary *answer) error {
	if r == nil || len(r.tables) == 0 {
		return nil
	}
	known, err := primary.known()
	if err == nil && !sameVersions(known.versions, r.told, r.tables) {
		err = errChanged
	}
	if err != nil {
		driver.FailReplicas(ctx)
		return unavailable(err)
	}
	return nil
}

// needs notes the tables of the next statement: of the rows, of the rows that these refer
// to, and of conditions and orders.
func (t *tx) needs(s *store.Schema, joined []store.Joined, where []store.Cond, order []store.Order) {
	if len(t.store.replicas.all) == 0 || t.writable {
		return
	}
	t.tables = append(t.tables[:0], s.Name)
	for i := range joined {
		t.tables = append(t.tables, joined[i].Schema.Name)
	}
	t.needsConds(where)
	for _, o := range order {
		if o.Via != nil {
			t.tables = append(t.tables, o.Via.Schema.Name)
		}
	}
}

func (t *tx) needsConds(conds []store.Cond) {
	for i := range conds {
		if sub := conds[i].Sub; sub != nil {
			t.tables = append(t.tables, sub.Schema.Name)
			t.needsConds(sub.Where)
		}
		t.needsConds(conds[i].Conds)
	}
}
