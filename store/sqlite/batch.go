package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A batch is the Updates of one transaction: a commit group. Only the member whose
// turn it is uses it.
type batch struct {
	writer    *writer
	members   []*member // that have had their turn, and the one whose turn it is
	begun     time.Time
	careful   bool    // each member has a savepoint
	shared    bool    // by several clients
	changed   changes // by members that succeeded
	succeeded bool    // a member

	full   bool          // the disk is
	failed error         // the engine rolled the transaction back, or could not commit
	done   chan struct{} // closed after the commit or rollback; nil for a lone member
}

// run runs fn in m's turn, then passes the turn on. It returns an error when the member's
// change is rolled back.
func (b *batch) run(m *member, fn func(context.Context, store.Tx) error) (err error) {
	defer b.next() // also when fn panics or ends its goroutine
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if b.careful {
		if err := run(b.writer.savepoint); err != nil {
			return translate(m.ctx, err)
		}
	}
	m.after = b.succeeded
	c, t := b.writer.conn, b.begin(m.ctx)
	before := c.db.TotalChanges()
	c.db.InterruptWritesOn(m.ctx)
	defer func() {
		if t.host != nil {
			t.cache.clear()
		}
		written := t.host != nil || t.changes.all || c.db.TotalChanges() != before
		t.end()
		c.db.NoInterrupt()
		b.endMember(m, t.changes, written)
		if isFull(err) {
			b.full = true
			if b.failed != nil {
				b.failed = err // for the other members, which may run again too
			}
		}
	}()
	ctx, session := driver.NewSession(m.ctx, b.writer.store, t, true)
	if err := fn(ctx, session.Tx()); err != nil {
		return err
	}
	finish := session.FinishInGroup
	if b.alone() {
		finish = session.Finish
	}
	if err := finish(); err != nil {
		return err
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	m.session = session
	return nil
}

// begin returns the Tx of the member that has the turn, or of the end of the batch.
func (b *batch) begin(ctx context.Context) *tx {
	w := b.writer
	w.running = &tx{store: w.store, conn: w.conn, ctx: ctx, changes: &changes{}, earlier: &b.changed, cache: &w.rows}
	return w.running
}

// alone reports whether the queue was empty when the batch began. Its only member needs no
// savepoint.
func (b *batch) alone() bool { return b.done == nil }

// endMember keeps what m changed if its function succeeded, and else undoes it. Without a
// savepoint that needs the transaction to be rolled back, if m has written at all: the members
// before it run again.
func (b *batch) endMember(m *member, changed *changes, written bool) {
	var err error
	if m.session != nil {
		b.succeeded = true
		b.changed.add(changed)
	}
	if changed.all || m.session == nil && written {
		b.writer.rows.clear()
	}
	switch c := b.writer.conn; {
	case !c.db.InTransaction() && m.ctx.Err() != nil:
		err = errUndone
	case !c.db.InTransaction():
		err = errGone
	case b.careful && m.session != nil:
		err = run(b.writer.release)
	case b.careful:
		err = errors.Join(run(b.writer.rollbackTo), run(b.writer.release))
	case m.session == nil && written && !b.alone():
		b.writer.careful = carefulBatches
		err = errUndone
	}
	if err != nil {
		b.failed = unavailable(err)
	}
}

// next passes the turn to the next member. The last one commits.
func (b *batch) next() {
	if m := b.writer.follow(b); m != nil {
		m.turn <- b
		return
	}
	// In this order also when a hook panics.
	defer b.writer.passLead()
	defer b.checkpoint()
	if b.done != nil {
		defer close(b.done)
	}
	b.commit()
}

// commit commits if a member succeeded, and runs the hooks of the members that did.
func (b *batch) commit() {
	var group *driver.Session
	if b.failed == nil && b.succeeded && !b.alone() {
		group = b.endGroup()
	}
	if b.failed == nil && b.succeeded {
		if err := b.indexQueued(); err != nil {
			b.failed = unavailable(err)
		}
	}
	if b.failed == nil && b.succeeded {
		b.failed = commitError(b.writer.store.versions.commit(b.writer, &b.changed))
		if err := b.writer.store.files.check(); b.failed == nil && err != nil {
			b.failed = fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, err)
		}
	}
	b.full = b.full || isFull(b.failed)
	if b.failed != nil || !b.succeeded {
		_ = b.writer.store.versions.rollback(b.writer) // where it fails, so does the next begin
		return
	}
	for _, m := range b.members {
		if m.session != nil {
			m.session.Committed()
		}
	}
	if group != nil {
		group.Committed()
	}
}

// checkpoint limits the WAL, unless that is another program's now.
func (b *batch) checkpoint() {
	switch {
	case b.writer.store.files.err() != nil:
	case b.full:
		b.writer.checkpoints.reuse(b.writer.conn.db)
	default:
		b.writer.checkpoints.run(b.writer.conn.db)
	}
}

// outcome returns the error of m's Update, once the batch is committed. err is the error of its
// run, which may follow from changes of members before it: it waits for the commit too, and if
// the commit fails, m gets the commit's error.
func (b *batch) outcome(m *member, err error) error {
	if err != nil && (!m.after || m.ctx.Err() != nil) {
		return err
	}
	if b.done != nil {
		<-b.done
	}
	return cmp.Or(b.failed, err)
}

// commitError is the error of a commit that failed.
func commitError(err error) error {
	if err == nil {
		return nil
	}
	var e *engine.Error
	if errors.As(err, &e) && e.Primary() == engine.IOError {
		// The commit may be whole in the WAL, and be found there when the process ends
		// before the WAL is written again.
		return fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, err)
	}
	return unavailable(err)
}
