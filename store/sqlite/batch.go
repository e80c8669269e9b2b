package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A batch is the Updates of one transaction. Only the member whose turn it is
// uses it.
type batch struct {
	writer  *writer
	members []*member
	ran     int     // how many members have had their turn
	changed changes // by members whose change is kept

	lost    error         // the engine gave up the transaction, or could not commit
	decided chan struct{} // closed when the fate is known; nil for a lone member
}

// run runs m's function in its turn, then hands the turn on. It returns an
// error when the member's change is rolled back.
func (b *batch) run(m *member, fn func(context.Context, store.Tx) error) error {
	defer b.handOver() // also when fn panics or ends its goroutine
	if b.lost != nil {
		return b.lost
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return b.transact(m, fn)
}

func (b *batch) transact(m *member, fn func(context.Context, store.Tx) error) error {
	c := b.writer.conn
	if !b.alone() {
		if err := run(b.writer.savepoint); err != nil {
			return translate(m.ctx, err)
		}
	}
	t := &tx{store: b.writer.store, conn: c, ctx: m.ctx, changes: &changes{}}
	b.writer.running = t
	c.db.Watch(m.ctx)
	defer func() {
		t.end()
		c.db.Unwatch()
		b.settle(m, t.changes)
	}()
	ctx, session := driver.NewSession(m.ctx, b.writer.store, t, true)
	if err := fn(ctx, session.Tx()); err != nil {
		return err
	}
	if err := session.Failed(); err != nil {
		return err
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	m.session = session
	return nil
}

func (b *batch) alone() bool { return len(b.members) == 1 }

// settle ends m's savepoint, keeping its change if its function succeeded. A
// lone member has none; its transaction is rolled back by decide.
func (b *batch) settle(m *member, changed *changes) {
	var err error
	if m.session != nil {
		b.changed.add(changed)
	}
	switch c := b.writer.conn; {
	case !c.db.InTransaction():
		err = errors.New("sqlite: the engine rolled the transaction back")
	case b.alone():
	case m.session != nil:
		err = run(b.writer.release)
	default:
		err = errors.Join(run(b.writer.withdraw), run(b.writer.release))
	}
	if err != nil {
		b.lost = unavailable(err)
	}
}

// handOver gives the turn to the next member. The last one decides.
func (b *batch) handOver() {
	b.ran++
	if b.ran < len(b.members) {
		b.members[b.ran].turn <- b
		return
	}
	// In this order also when a hook panics.
	defer b.writer.resign()
	defer b.writer.log.run(b.writer.conn.db)
	if b.decided != nil {
		defer close(b.decided)
	}
	b.decide()
}

// decide commits what succeeded and runs what waits for the commit.
func (b *batch) decide() {
	changed := false
	for _, m := range b.members {
		changed = changed || m.session != nil
	}
	if b.lost == nil && changed {
		b.lost = commitError(b.writer.store.versions.commit(b.writer, &b.changed))
	}
	if b.lost != nil || !changed {
		if b.writer.conn.db.InTransaction() {
			_ = run(b.writer.rollback) // where it fails, so does the next begin
		}
		return
	}
	for _, m := range b.members {
		if m.session != nil {
			m.session.Committed()
		}
	}
}

// outcome waits until the batch is committed. It is for members whose function
// succeeded.
func (b *batch) outcome() error {
	if b.decided != nil {
		<-b.decided
	}
	return b.lost
}

// commitError is the error of a commit that failed.
func commitError(err error) error {
	if err == nil {
		return nil
	}
	var e *engine.Error
	if errors.As(err, &e) && e.Primary() == engine.IOError {
		// What was written may be whole: when the process ends before the log is
		// written again, the commit is found there.
		return fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, err)
	}
	return unavailable(err)
}
