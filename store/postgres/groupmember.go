package postgres

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A member is what a transaction is in a group, or while it waits for one.
type member struct {
	group     *group        // nil for a transaction by itself
	resume    chan struct{} // gets a value when a turn of the transaction begins
	turnRows  []rowKey      // that it changes
	lone      bool          // it is one of the Updates that run alone
	session   *driver.Session
	ungrouped bool        // it must not become a member
	gone      atomic.Bool // it has had its last turn
	waits     atomic.Bool // for the commit

	gathers bool          // it reads ahead with the others
	direct  bool          // its last round trip was its own
	saved   bool          // it has a savepoint
	ops     []memberWrite // that have not been sent
}

// roundTrip is [tx.roundTrip] for a member. Its own writes come after a savepoint.
func (g *group) roundTrip(t *tx, send func(*conn)) error {
	switch {
	case g.failed != nil:
		return g.failed
	case g.gathering && t.gathers:
		g.sends = append(g.sends, send)
		g.pause(t)
		t.gathers, t.direct, t.conn = false, false, g.tx.conn
		return cmp.Or(g.failed, t.ctx.Err())
	}
	if err := g.beginTx(); err != nil {
		return err
	}
	t.conn = g.tx.conn
	if err := g.fail(g.flush()); err != nil {
		return err
	}
	if t.wrote {
		var own groupWrites
		own.addAll(t.ops)
		first := !t.saved
		t.ops, t.saved = nil, true
		g.tx.deferred.add(func(c *conn) {
			if first {
				c.send("SAVEPOINT "+memberSavepoint, nil, request{})
			}
			own.send(g.tx, c, &t.changes)
		})
	}
	t.direct = true
	return g.fail(g.tx.roundTrip(send))
}

// memberSavepoint is the savepoint before the writes of a member that reads after them.
const memberSavepoint = "shopapi_member"

// pause passes the turn on until the next one.
func (g *group) pause(t *tx) {
	g.yielded <- t
	<-t.resume
}

// end ends a member after its function has returned, and returns the error of its Update. An error that
// may follow from changes of earlier members is returned once these are committed.
func (g *group) end(t *tx, session *driver.Session, err error) error {
	if err == nil {
		err = session.FinishInGroup()
	}
	if err == nil {
		err = cmp.Or(t.failed, t.ctx.Err())
	}
	follows := len(g.sessions) > 0
	alone := t.failed == errAlone
	if g.failed == nil {
		err = g.keepOrUndo(t, session, err)
	}
	failed := g.failed
	t.waits.Store(failed == nil && !alone && (err == nil || follows))
	g.yield(t)
	switch {
	case failed != nil:
		return &again{cause: failed, ungrouped: true}
	case alone:
		return &again{cause: errAlone, ungrouped: true}
	case !t.waits.Load():
		return err
	}
	select {
	case <-g.done:
		if r := g.panics[session]; r != nil {
			panic(r)
		}
	case <-t.ctx.Done():
		if err != nil {
			return err
		}
		return commitError(t.ctx.Err())
	}
	if err != nil && g.outcome != nil { // whatever that is, the member has changed nothing
		return &again{cause: g.outcome, ungrouped: true}
	}
	return cmp.Or(g.outcome, err)
}

// keepOrUndo keeps the changes of a member that succeeded, or undoes them.
func (g *group) keepOrUndo(t *tx, session *driver.Session, err error) error {
	if err == nil {
		g.sessions = append(g.sessions, session)
		g.reads.changed(t)
		g.writes.addAll(t.ops)
		if t.saved {
			g.release = true
			g.tx.changes.merge(&t.changes)
			g.tx.wrote = true
		}
		return nil
	}
	if t.saved {
		_ = g.fail(g.tx.roundTrip(func(c *conn) {
			c.send("ROLLBACK TO SAVEPOINT "+memberSavepoint, nil, request{})
			c.send("RELEASE SAVEPOINT "+memberSavepoint, nil, request{})
		}))
	}
	return err
}

// yield passes the turn on at the end of a member.
func (g *group) yield(t *tx) {
	if !t.over {
		t.over, t.conn = true, nil
		t.gone.Store(true)
		g.yielded <- t
	}
}

// isStale reports whether what was read ahead may have been changed by members before this one.
func (t *tx) isStale() bool {
	return t.group != nil && t.unchanged() && !t.direct && (t.group.reads.n > 0 || t.group.reads.dirty)
}

// insertLater adds a row at the end of the group.
func (t *tx) insertLater(s *store.Schema, row []store.Value) (int64, error) {
	key, err := t.group.key(s)
	if err != nil {
		t.failed = err
		return 0, translate(t.ctx, err)
	}
	after := slices.Clone(row)
	after[0] = store.Int(key)
	t.ops = append(t.ops, memberWrite{schema: s, after: after})
	t.changes.remember(s, after)
	return key, nil
}

// leaveGroup has the Update of a member run again by itself.
func (t *tx) leaveGroup() error {
	t.failed = errAlone
	t.group.alone++
	return errAlone
}

// abandon ends a member after its function has panicked or ended the goroutine.
func (g *group) abandon(t *tx) {
	if t.saved && !t.over {
		_ = g.fail(errAlone)
	}
	g.yield(t)
}

// key returns the key of a new row.
func (g *group) key(s *store.Schema) (int64, error) {
	if g.failed != nil {
		return 0, g.failed
	}
	if !slices.Contains(g.used, s) {
		g.used = append(g.used, s)
	}
	if len(g.keys[s]) == 0 {
		if err := g.beginTx(); err != nil {
			return 0, err
		}
		if seq, err := g.tx.sequence(s); err != nil || seq.name == "" {
			return 0, g.fail(cmp.Or(err, errAlone))
		}
		if err := g.fail(g.tx.roundTrip(func(c *conn) { g.sendKeys(c, s) })); err != nil {
			return 0, err
		}
	}
	keys := g.keys[s]
	if len(keys) == 0 {
		return 0, g.fail(errAlone)
	}
	g.keys[s] = keys[1:]
	return keys[0], nil
}

// sendKeys queues the query for keys, one for each member.
func (g *group) sendKeys(c *conn, s *store.Schema) {
	known, ok := g.store.keys.known.Load(s)
	if !ok {
		return
	}
	name := strings.ReplaceAll(known.(sequence).name, "'", "''")
	if g.keys == nil {
		g.keys = make(map[*store.Schema][]int64)
	}
	g.keys[s] = nil
	c.send("SELECT nextval('"+name+"') FROM generate_series(1, $1::int)", [][]byte{strconv.AppendInt(nil, int64(len(g.members)), 10)},
		request{row: func(values [][]byte) {
			if key, err := strconv.ParseInt(string(values[0]), 10, 64); err == nil {
				g.keys[s] = append(g.keys[s], key)
			}
		}})
}
