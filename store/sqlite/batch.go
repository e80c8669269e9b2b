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

// A batch is the Updates of one transaction: a commit group. The goroutine that runs the
// members uses it, then the leader's, and once it has ended all members'.
type batch struct {
	writer    *writer
	members   []*member // the finished ones and the running one; the first leads
	begun     time.Time
	careful   bool    // each member has a savepoint
	shared    bool    // by several clients
	changed   changes // by members that succeeded
	waiting   waiting // their changes that are not written yet
	own       waiting // changes of the running member
	succeeded bool    // a member

	full   bool          // the disk is
	failed error         // the engine rolled the transaction back, or could not commit
	ran    chan struct{} // closed once all members have run; nil for a lone member
}

// runAll runs m and the members after it in one goroutine. To wake one goroutine after another
// would take as long as small changes do.
func (b *batch) runAll(m *member) {
	defer func() {
		if m != nil { // its function has ended the goroutine
			go b.runAll(b.writer.follow(b))
			return
		}
		close(b.ran)
	}()
	for ; m != nil; m = b.writer.follow(b) {
		b.runForCaller(m)
	}
}

// runForCaller runs m in another goroutine than its caller's. If the function panics or ends the
// goroutine, m runs again alone: then its caller's goroutine panics or ends.
func (b *batch) runForCaller(m *member) {
	returned := false
	defer func() {
		if !returned {
			recover()
			m.err, m.after, m.alone = errUndone, false, true
		}
		m.waits = m.err == nil || m.after && m.ctx.Err() == nil
		if !m.waits && m != b.members[0] {
			m.turn <- b
		}
	}()
	m.err = b.run(m)
	returned = true
}

// run runs m's function. It returns an error when the member's change is rolled back.
func (b *batch) run(m *member) (err error) {
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
	if !b.alone() && !b.careful {
		b.own.clear()
		t.own = &b.own
	}
	before := c.db.TotalChanges()
	c.db.InterruptWritesOn(m.ctx)
	defer func() {
		if t.host != nil {
			t.cache.clear()
		}
		written := t.host != nil || t.joined || t.changes.all || c.db.TotalChanges() != before+t.written
		t.end()
		c.db.NoInterrupt()
		b.endMember(m, t, written)
		if isFull(err) {
			b.full = true
			if b.failed != nil {
				b.failed = err // for the other members, which may run again too
			}
		}
	}()
	ctx, session := driver.NewSession(m.ctx, b.writer.store, t, true)
	if err := m.fn(ctx, session.Tx()); err != nil {
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

// begin returns the Tx of the member that runs, or of the end of the batch.
func (b *batch) begin(ctx context.Context) *tx {
	w := b.writer
	w.running = &tx{store: w.store, conn: w.conn, ctx: ctx, changes: &changes{}, earlier: &b.changed, cache: &w.rows, shared: &b.waiting}
	return w.running
}

// alone reports whether the batch began with an empty queue, or has to have one member. That
// needs no savepoint.
func (b *batch) alone() bool { return b.ran == nil }

// endMember keeps what m changed if its function succeeded, and else undoes it. Without a
// savepoint that needs the transaction to be rolled back, if m has written at all: the members
// before it run again.
func (b *batch) endMember(m *member, t *tx, written bool) {
	var err error
	if m.session != nil {
		b.succeeded = true
		b.changed.add(t.changes)
		b.waiting.join(&b.own)
	}
	if t.changes.all || m.session == nil && written {
		b.writer.rows.clear()
	}
	switch c := b.writer.conn; {
	case !c.db.InTransaction() && m.ctx.Err() != nil:
		err = errUndone
	case !c.db.InTransaction():
		err = errGone
	case b.waiting.failed != nil:
		err = b.undoWaiting()
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

// end commits, and wakes the members that wait for that. It passes the lead on.
func (b *batch) end() {
	// In this order also when a hook panics.
	defer b.writer.passLead()
	defer b.checkpoint()
	defer func() {
		for _, m := range b.members[1:] {
			if m.waits {
				m.turn <- b
			}
		}
	}()
	b.commit()
}

// commit commits if a member succeeded, and runs the hooks of the members that did.
func (b *batch) commit() {
	var group *driver.Session
	if b.failed == nil && b.succeeded {
		b.write(b.writeWaiting)
	}
	begun := time.Now()
	if b.failed == nil && b.succeeded && !b.alone() {
		b.write(func() (err error) {
			group, err = b.endGroup()
			return err
		})
	}
	if b.failed == nil && b.succeeded {
		b.write(b.indexQueued)
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
	if !b.alone() {
		b.writer.commitTime = time.Since(begun)
	}
	for _, m := range b.members {
		if m.session != nil {
			b.runHooks(m)
		}
	}
	if group != nil {
		group.Committed()
	}
}

// runHooks runs the hooks of m. A panic is for m's caller: the others' hooks run too.
func (b *batch) runHooks(m *member) {
	if !b.alone() {
		defer func() { m.panicked = recover() }()
	}
	m.session.Committed()
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

// outcome returns the error of m's Update. Where the error of its function may follow from changes
// of members before it, m has waited for the commit: if that fails, m gets the commit's error. A
// panic of m's hooks goes on.
func (b *batch) outcome(m *member) error {
	if m.panicked != nil {
		panic(m.panicked)
	}
	if m.err != nil && !m.waits {
		return m.err
	}
	return cmp.Or(b.failed, m.err)
}

// commitError is the error of a commit that failed.
func commitError(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Primary() == engine.IOError {
		// The commit may be whole in the WAL, and be found there when the process ends
		// before the WAL is written again.
		return fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, err)
	}
	return unavailable(err)
}

// errEndPanicked is the error that the members of a batch get when its end panics.
var errEndPanicked = errors.New("sqlite: the end of a group of transactions panicked")

// write runs a part of the end of the batch. If it fails or panics, nothing is committed.
func (b *batch) write(part func() error) {
	b.failed = errEndPanicked
	defer func() {
		if b.failed == errEndPanicked {
			_ = b.writer.store.versions.rollback(b.writer)
		}
	}()
	err := part()
	b.failed = nil
	if err != nil {
		b.failed = unavailable(err)
	}
}

// writeWaiting writes the waiting changes of all members.
func (b *batch) writeWaiting() error {
	t := b.begin(context.Background())
	defer t.end()
	if t.flushAll() != nil {
		return b.undoWaiting()
	}
	return nil
}

// undoWaiting has the members run again, because a change that waited could not be written. They
// have savepoints then, and no change waits, so that only the member fails that made the change.
func (b *batch) undoWaiting() error {
	b.writer.careful = carefulBatches
	b.full = b.full || isFull(b.waiting.failed)
	return errUndone
}

// endGroup stores what the members that succeeded have left to the end of the batch, and returns
// the session that it did it in.
func (b *batch) endGroup() (session *driver.Session, err error) {
	var sessions []*driver.Session
	for _, m := range b.members {
		if m.session != nil {
			sessions = append(sessions, m.session)
		}
	}
	t := b.begin(context.Background())
	defer t.end()
	ctx, session := driver.NewSession(t.ctx, b.writer.store, t, true)
	if err = driver.EndGroup(ctx, sessions); err == nil {
		err = session.Finish()
	}
	b.changed.add(t.changes)
	return session, err
}
