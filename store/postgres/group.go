package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A group is Updates that are carried out one after another in one transaction. First each
// runs until it reads ahead, and all that they read ahead is read in one round trip. Then each runs
// to its end. Their writes wait in memory for the end of the group, and are sent together: so a
// member that fails has changed nothing.
//
// Where a statement or the commit fails, the members run again, each by itself.
type group struct {
	store   *Store
	tx      *tx // has the connection, the turns of all members and the changes
	cancel  context.CancelFunc
	members []*tx
	yielded chan *tx // members that have paused or ended

	gathering bool // the members run until they read ahead
	sends     []func(*conn)
	reads     groupReads
	writes    groupWrites
	keys      map[*store.Schema][]int64 // for new rows
	used      []*store.Schema           // that keys were wanted for
	release   bool                      // the next statements release the savepoint of a member

	first    *driver.Session   // of the member that ran first
	sessions []*driver.Session // of the members that succeeded
	alone    int               // members that have to run by themselves
	failed   error             // of a statement
	triggers bool
	panics   map[*driver.Session]any // of functions that ran after the commit
	outcome  error                   // of the commit
	done     chan struct{}           // closed when outcome is there
}

// cancelAfter is how long the statement of a member may go on after the context of the member has ended.
// Then the group is cancelled, and the other members run again.
const cancelAfter = time.Second

var (
	errHostTriggers = errors.New("postgres: the database has triggers of the host")
	errAlone        = errors.New("postgres: the Update cannot be carried out in a group")
)

// newGroup returns the group of transactions that wait.
func newGroup(s *Store, members []*tx) *group {
	g := &group{store: s, members: members, yielded: make(chan *tx), done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	var left atomic.Int64
	left.Store(int64(len(members)))
	for _, t := range members {
		t.group = g
		context.AfterFunc(t.ctx, func() {
			switch {
			case left.Add(-1) == 0 && t.waits.Load(): // nobody waits for the commit any more
				cancel()
			case !t.gone.Load():
				time.AfterFunc(cancelAfter, func() {
					if !t.gone.Load() {
						cancel()
					}
				})
			}
		})
	}
	g.tx = &tx{store: s, ctx: ctx, writable: true}
	g.tx.changes.begin()
	g.tx.changes.most = maxTxRows * len(members)
	for _, t := range members {
		t.changes.number = g.tx.changes.number
	}
	return g
}

// begin begins the group. Its members wait. Close waits for the group also where they have left.
func (g *group) begin() {
	g.store.running.Go(g.run)
}

// run carries out the group. The next one reads ahead while this one is committed.
func (g *group) run() {
	defer g.cancel()
	defer func() {
		g.tx.end()
		close(g.done)
	}()
	g.gathering = true
	g.turn(func(*tx) bool { return true })
	g.gathering = false
	if len(g.sends) > 0 && g.failed == nil {
		g.fail(g.begun(g.sendAhead))
	}
	began := time.Now()
	g.turn(func(t *tx) bool { return !t.over })
	g.store.grouping.executed(g.store, time.Since(began) > slow*time.Duration(len(g.members)))
	g.outcome = g.commit()
	g.store.grouping.ended(g.outcome != nil || 2*g.alone > len(g.members), g.triggers)
}

// sendAhead queues what the members read ahead. A panic is one of a member, which panics again when it
// runs by itself.
func (g *group) sendAhead(c *conn) {
	defer func() {
		if recover() != nil {
			g.failed = errAlone
		}
	}()
	sends(g.sends).send(c)
}

// turn lets members run until they pause or end, one after another.
func (g *group) turn(runs func(*tx) bool) {
	for _, t := range g.members {
		if runs(t) {
			_ = g.fail(g.tx.ctx.Err()) // then the member ends at once
			t.resume <- struct{}{}
			<-g.yielded
		}
	}
}

// turns returns the rows that the members change.
func (g *group) turns() (rows []rowKey) {
	for _, t := range g.members {
		rows = append(rows, t.turnRows...)
	}
	slices.SortFunc(rows, func(a, b rowKey) int {
		return cmp.Or(cmp.Compare(a.schema.Name, b.schema.Name), cmp.Compare(a.key, b.key))
	})
	return slices.Compact(rows)
}

// enter is called when the turn of a member comes for the first time.
func (g *group) enter(t *tx) {
	if g.first == nil {
		g.first = t.session
		return
	}
	t.session.ShareKept(g.first)
}

// fail notes the error of a round trip. The members run again.
func (g *group) fail(err error) error {
	if err != nil && g.failed == nil {
		g.failed = err
	}
	return g.failed
}

// hostTriggersSQL asks whether statements may change other rows than the ones they name: by triggers, rules,
// or foreign keys of a table of the store that do more than refuse.
const hostTriggersSQL = `SELECT EXISTS (SELECT FROM pg_trigger WHERE NOT tgisinternal AND tgname NOT IN ('` + statementTrigger + `', '` + rowTrigger + `'))
	OR EXISTS (SELECT FROM pg_rewrite WHERE ev_type <> '1' AND ev_class >= 16384)
	OR EXISTS (SELECT FROM pg_constraint JOIN pg_trigger ON tgrelid = conrelid AND tgname = '` + statementTrigger + `'
		WHERE contype = 'f' AND (confdeltype NOT IN ('a', 'r') OR confupdtype NOT IN ('a', 'r')))`

// begun makes a round trip, and begins the transaction with it if no member has begun it.
func (g *group) begun(send func(*conn)) error {
	if g.tx.conn != nil {
		return g.tx.roundTrip(send)
	}
	if err := g.tx.takeTurns(g.turns()); err != nil {
		return err
	}
	err := g.tx.roundTrip(func(c *conn) {
		c.send(hostTriggersSQL, nil, request{row: func(values [][]byte) { g.triggers = string(values[0]) == "t" }})
		for _, s := range g.store.keys.ofGroups() {
			g.sendKeys(c, s)
		}
		send(c)
	})
	if err == nil && g.triggers {
		err = errHostTriggers
	}
	return err
}

// beginTx begins the transaction, if no member has begun it.
func (g *group) beginTx() error {
	if g.tx.conn != nil {
		return nil
	}
	return g.fail(g.begun(func(*conn) {}))
}

// flush sends the writes of the members before.
func (g *group) flush() error {
	if g.writes.empty() && !g.release {
		return nil
	}
	g.tx.wrote = true
	writes, release := g.writes, g.release
	g.writes, g.release = groupWrites{}, false
	g.tx.deferred.add(func(c *conn) {
		if release {
			c.send("RELEASE SAVEPOINT "+memberSavepoint, nil, request{})
		}
		writes.send(g.tx, c, &g.tx.changes)
	})
	return g.tx.sendDeferred()
}

// commit commits the members that succeeded.
func (g *group) commit() error {
	if g.failed != nil {
		return &again{cause: g.failed, ungrouped: true}
	}
	if len(g.sessions) == 0 {
		return nil
	}
	ctx, own := driver.NewSession(g.tx.ctx, g.store, g.tx, true)
	err := g.finish(ctx, own)
	if err == nil {
		err = g.tx.commit(func() { g.committed(own) })
	}
	var retry *again
	if err != nil && (g.tx.failed != nil || errors.As(err, &retry) || !errors.Is(err, store.ErrOutcomeUnknown)) {
		return &again{cause: err, ungrouped: true}
	}
	return err
}

// finish sends the writes that wait, and runs what members have left to the end of the group. If that
// panics, nothing is committed: it panics again where the member runs by itself.
func (g *group) finish(ctx context.Context, own *driver.Session) (err error) {
	defer func() {
		if recover() != nil {
			err = errAlone
		}
	}()
	used := g.used // which does not hold on to the group
	g.store.keys.last.Store(&used)
	if err = g.beginTx(); err == nil {
		err = g.flush()
	}
	if err == nil {
		err = driver.EndGroup(ctx, g.sessions)
	}
	if err == nil {
		err = own.Finish()
	}
	return cmp.Or(err, g.tx.failed)
}

// committed runs what waits for the commit, in the order of the members. A panic is a member's.
func (g *group) committed(own *driver.Session) {
	for _, session := range append(g.sessions, own) {
		func() {
			defer func() {
				if r := recover(); r != nil {
					if g.panics == nil {
						g.panics = make(map[*driver.Session]any)
					}
					g.panics[session] = r
				}
			}()
			session.Committed()
		}()
	}
}
