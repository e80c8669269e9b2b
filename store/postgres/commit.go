package postgres

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// commit commits and calls a function that runs what waits for that.
func (t *tx) commit(committed func()) error {
	if t.deferred.updating {
		if err := t.sendDeferred(); err != nil {
			return first(t.again(), err)
		}
	}
	place := t.store.commits.enter()
	if t.conn != nil {
		if err := t.advance(); err != nil {
			place.leave()
			return first(t.again(), err)
		}
		t.changes.log(t.store)
		var tag pgconn.CommandTag
		err := t.roundTrip(func(c *conn) {
			if t.changes.number != 0 && t.wrote {
				sendWrites(c, t.changes.number)
			}
			c.send("COMMIT", nil, request{tag: &tag})
		})
		switch {
		case isConflict(err):
			place.leave()
			return &again{cause: err}
		case err != nil && t.conn.pg.TxStatus() == failedStatus: // a write failed, and COMMIT was not run
			place.leave()
			t.failed = err
			return first(t.again(), translate(t.ctx, err))
		case err != nil:
			place.leave()
			return commitError(err)
		case tag.String() != "COMMIT": // a failed transaction is rolled back without an error
			place.leave()
			return unavailable(errRolledBack)
		}
	}
	if t.conn != nil {
		t.store.asker.folds.committed(&t.store.asker)
	}
	t.end() // functions that wait for the commit may need the connection
	place.await(t.ctx)
	defer place.leave() // also when one of them panics
	committed()
	return nil
}

// commits puts the functions that run after commits into the order of these. A
// transaction that read what another wrote began after the other's COMMIT was
// sent: so the order in which COMMITs are sent is right, and no COMMIT has to
// wait for another.
type commits struct {
	mu   sync.Mutex
	last chan struct{} // closed when all that entered have left
}

// A place is that of one commit in the order.
type place struct{ before, after chan struct{} }

func (c *commits) enter() place {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := place{before: c.last, after: make(chan struct{})}
	c.last = p.after
	return p
}

// await waits until those before have left. It does not wait longer than ctx,
// which belongs to a transaction that is committed: another one may hang.
func (p place) await(ctx context.Context) {
	if p.before == nil {
		return
	}
	select {
	case <-p.before:
	case <-ctx.Done():
	}
}

// leave lets those behind go on, once those before have left.
func (p place) leave() {
	if p.before == nil {
		close(p.after)
		return
	}
	select {
	case <-p.before:
		close(p.after)
	default:
		go func() {
			<-p.before
			close(p.after)
		}()
	}
}
