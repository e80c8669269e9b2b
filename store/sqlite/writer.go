package sqlite

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// The writer serializes Updates, and commits waiting Updates together (group commit).
//
// An Update that finds no leader becomes the leader: it begins a transaction and makes a
// batch of itself and of all queued Updates. The members run one after another, each in
// its caller's goroutine, so that a panic stays with its caller; each passes the turn to
// the next. The last one commits and wakes all. Then the first Update that was queued
// meanwhile leads.
type writer struct {
	store       *Store
	conn        *conn
	busyTimeout time.Duration

	begin, commit, rollback        *engine.Stmt
	savepoint, release, rollbackTo *engine.Stmt // of one member of a batch

	// blockedSince is when another connection was first found to hold the write
	// lock; zero once the lock was acquired. Only the leader uses it.
	blockedSince time.Time

	running     *tx // of the member whose turn it is
	checkpoints checkpointer

	mu    sync.Mutex
	led   bool // there is a leader
	queue []*member
}

// A member is an Update in the queue or in a batch.
type member struct {
	ctx     context.Context
	entered time.Time
	turn    chan *batch // its turn in a batch; nil means to lead

	session *driver.Session // set once its function has succeeded
}

// maxBatch is how many Updates may commit together. More would save little, and
// delay the first ones.
const maxBatch = 512

// update runs fn as a member of a batch.
func (w *writer) update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	m := &member{ctx: ctx, entered: time.Now()}
	b, err := w.await(m)
	if err != nil {
		return err
	}
	if err := b.run(m, fn); err != nil {
		return err // its change is rolled back, whatever becomes of the others
	}
	return b.wait()
}

// await returns the batch once it is m's turn in it.
func (w *writer) await(m *member) (*batch, error) {
	w.mu.Lock()
	if !w.led {
		w.led = true
		w.mu.Unlock()
		return w.lead(m)
	}
	m.turn = make(chan *batch, 1)
	w.queue = append(w.queue, m)
	w.mu.Unlock()

	var b *batch
	select {
	case b = <-m.turn:
	case <-m.ctx.Done():
		if w.leaveQueue(m) {
			return nil, m.ctx.Err()
		}
		b = <-m.turn // m has to pass the turn on
	}
	if b == nil {
		return w.lead(m)
	}
	return b, nil
}

// lead begins a transaction and makes a batch of m and all that wait.
func (w *writer) lead(m *member) (*batch, error) {
	if err := w.lock(m); err != nil {
		w.passLead()
		return nil, err
	}
	b := &batch{writer: w, members: []*member{m}}
	w.mu.Lock()
	n := min(len(w.queue), maxBatch-1)
	b.members = append(b.members, w.queue[:n]...)
	w.queue = slices.Delete(w.queue, 0, n)
	w.mu.Unlock()
	if n > 0 {
		b.done = make(chan struct{})
	}
	return b, nil
}

// lock takes the write lock of the file. The busy timeout counts from the arrival of m,
// or from the time at which the lock was found taken: queued Updates do not each wait for
// the whole timeout.
func (w *writer) lock(m *member) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	now := time.Now()
	since := now
	if !w.blockedSince.IsZero() {
		since = w.blockedSince
		if m.entered.After(since) {
			since = m.entered
		}
	}
	db := w.conn.db
	db.SetBusyTimeout(max(0, w.busyTimeout-now.Sub(since)))
	db.InterruptOn(m.ctx)
	err := run(w.begin)
	db.NoInterrupt()
	if err == nil {
		bad := w.store.files.check()
		if bad == nil {
			bad = translate(m.ctx, w.store.number.check(w.conn, w.store.versions.current()))
		}
		if bad != nil {
			return errors.Join(bad, run(w.rollback))
		}
	}
	switch {
	case err == nil:
		w.blockedSince = time.Time{}
	case isBusy(err) && w.blockedSince.IsZero():
		w.blockedSince = now
	}
	return translate(m.ctx, err)
}

// passLead makes the first in the queue the leader.
func (w *writer) passLead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.led = false
		return
	}
	next := w.queue[0]
	w.queue = slices.Delete(w.queue, 0, 1)
	next.turn <- nil
}

// leaveQueue removes m from the queue, and reports whether it was still there.
func (w *writer) leaveQueue(m *member) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.queue, m)
	if i < 0 {
		return false
	}
	w.queue = slices.Delete(w.queue, i, i+1)
	return true
}
