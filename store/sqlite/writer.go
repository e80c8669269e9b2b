package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// The writer serializes Updates, and commits waiting Updates together (group commit).
//
// An Update that finds no leader becomes the leader: it begins a transaction and, if others
// are queued, a batch. The members run one after another in the order of the queue, which
// gives turns to clients round robin. Then the leader commits and wakes all, and the next of the
// queue leads.
type writer struct {
	store       *Store
	conn        *conn
	busyTimeout time.Duration

	begin, commit, rollback        *engine.Stmt
	savepoint, release, rollbackTo *engine.Stmt // of one member of a batch

	// blockedSince is when another connection was first found to hold the write
	// lock; zero once the lock was acquired. Only the leader uses it.
	blockedSince time.Time

	batchTime  time.Duration
	commitTime time.Duration // of the last batch, without its hooks; only batches use it

	careful     int  // how many further batches have savepoints; only the leader uses it
	hasTurn     bool // of the store's writeTurn; only the leader uses it
	running     *tx  // of the member that runs
	inMemory    bool // the journal of savepoints is
	rows        rowCache
	queuedBytes map[string]int // by tables, written since their search queues were empty, in this process
	checkpoints checkpointer

	mu    sync.Mutex
	led   bool // there is a leader
	queue fair.Queue[*member]
}

// A member is an Update in the queue or in a batch.
type member struct {
	ctx     context.Context
	client  any
	fn      func(context.Context, store.Tx) error
	alone   bool // it commits alone, and runs in its caller's goroutine
	entered time.Time
	turn    chan *batch // the batch in which it has run; nil means to lead

	after    bool            // another member's change: it sees that before the commit
	session  *driver.Session // set once its function has succeeded
	err      error           // of its run
	waits    bool            // for the commit
	panicked any             // by its hooks
}

// maxBatch is how many Updates may commit together. More would save little, and
// delay the first ones.
const maxBatch = 512

// carefulBatches is how many batches have a savepoint for each member after a member failed that
// had written. A savepoint takes about a twelfth of the time of an order, because the engine
// copies each page that is changed under it. Few Updates fail after their first write.
const carefulBatches = 256

const (
	// batchTime is how long a batch takes further members. It is four times as long as the last
	// commit took, where that is longer: on a slow disk. Go's scheduler interrupts a goroutine that
	// runs for 10 ms, and has it wait behind all that can run.
	batchTime = 7 * time.Millisecond

	// maxSharedBatch is how long a batch of several clients takes further members: a client
	// with a quick change does not wait long for the changes of others.
	maxSharedBatch = 10 * time.Millisecond
)

// maxRuns is how often an Update runs that is rolled back because of another one.
const maxRuns = 10

// Update implements [store.Store]. It runs fn once, and once more where the disk was
// full, after a checkpoint has made room for it in the WAL. It also runs fn again if an
// Update that was to commit together with it rolled the transaction back, because it failed
// after its first write, or its context ended while it wrote; and if fn panicked, or ended its
// goroutine, beside other Updates.
func (s *Store) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s, true, fn); joined {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.inFlight.end()
	alone := false
	for run := 1; ; run++ {
		m := &member{ctx: ctx, client: driver.ClientOf(ctx), fn: fn, alone: alone, entered: time.Now()}
		err := s.writer.update(m)
		if again := isFull(err) && run == 1 || errors.Is(err, errUndone) && run < maxRuns; !again {
			return err
		}
		alone = m.alone
	}
}

// update runs m in a batch, and returns the error of its change.
func (w *writer) update(m *member) error {
	w.mu.Lock()
	waits := w.led
	w.led = true
	if waits {
		m.turn = make(chan *batch, 1)
		w.queue.Push(m.client, m)
	}
	w.mu.Unlock()

	var b *batch // in which m has run; nil where m has to lead
	if waits {
		select {
		case b = <-m.turn:
		case <-m.ctx.Done():
			if w.leaveQueue(m) {
				return m.ctx.Err()
			}
			b = <-m.turn
		}
	}
	if b == nil {
		var err error
		if b, err = w.lead(m); err != nil {
			return err
		}
	}
	return b.outcome(m)
}

// lead begins a transaction, runs a batch with m as its first member, and ends it. Others follow
// if some wait already.
func (w *writer) lead(m *member) (*batch, error) {
	w.setJournal(driver.IsBulk(m.ctx))
	if err := w.lock(m); err != nil {
		w.passLead()
		return nil, err
	}
	b := &batch{writer: w, members: []*member{m}, begun: time.Now()}
	w.mu.Lock()
	together := w.queue.Len() > 0 && !m.alone
	w.mu.Unlock()
	defer b.end() // also when the function of a lone member panics or ends the goroutine
	if !together {
		m.err = b.run(m)
		return b, nil
	}
	b.ran = make(chan struct{})
	b.careful = w.careful > 0
	w.careful = max(0, w.careful-1)
	go b.runAll(m)
	<-b.ran
	return b, nil
}

// setJournal has the pages that a savepoint or a statement may have to put back stay in memory
// where the next transaction will be a batch, or makes many small changes. They would go to a
// temporary file, and all later ones of the transaction too, once 31 pages have changed. A lone
// Update, one of whose statements may change many more, has no savepoint.
func (w *writer) setJournal(bulk bool) {
	w.mu.Lock()
	inMemory := bulk || w.queue.Len() > 0
	w.mu.Unlock()
	if inMemory == w.inMemory {
		return
	}
	place := "DEFAULT"
	if inMemory {
		place = "MEMORY"
	}
	if w.conn.db.Exec("PRAGMA temp_store="+place) == nil { // where it fails, savepoints are as right and slower
		w.inMemory = inMemory
	}
}

// follow moves the next member from the queue to a batch and returns it. It returns nil if
// the batch ends.
func (w *writer) follow(b *batch) *member {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b.alone() || b.failed != nil || len(b.members) == maxBatch || w.queue.Len() == 0 {
		return nil
	}
	next := w.queue.Next()
	if next.alone {
		return nil
	}
	b.shared = b.shared || next.client != b.members[0].client
	longest := max(w.batchTime, 4*w.commitTime)
	if b.shared {
		longest = min(longest, maxSharedBatch)
	}
	if time.Since(b.begun) > longest {
		return nil
	}
	m := w.queue.Pop()
	b.members = append(b.members, m)
	return m
}

// lock takes the write lock of the file. The busy timeout counts from the arrival of m,
// or from the time at which the lock was found taken: queued Updates do not each wait for
// the whole timeout.
func (w *writer) lock(m *member) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	busyTimeout := w.busyTimeout
	if store.IsStarting(m.ctx) {
		busyTimeout = startTimeout(busyTimeout)
	}
	now := time.Now()
	since := now
	if !w.blockedSince.IsZero() {
		since = w.blockedSince
		if m.entered.After(since) {
			since = m.entered
		}
	}
	left, held := w.store.turn.take(m.ctx, w, max(0, busyTimeout-now.Sub(since)))
	w.hasTurn = held
	db := w.conn.db
	db.SetBusyTimeout(left)
	db.InterruptOn(m.ctx)
	err := run(w.begin)
	db.NoInterrupt()
	if err == nil {
		bad := w.store.files.check()
		if bad == nil {
			now := w.store.versions.current()
			w.store.versions.began(now)
			w.rows.begin(now, db.TotalChanges())
			bad = translate(m.ctx, w.store.number.check(w.conn, now))
		}
		if bad != nil {
			return errors.Join(bad, w.store.versions.rollback(w))
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

// passLead gives back the turn, and makes the next of the queue the leader.
func (w *writer) passLead() {
	if w.hasTurn {
		w.hasTurn = false
		w.store.turn.give(w)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue.Len() == 0 {
		w.led = false
		return
	}
	w.queue.Pop().turn <- nil
}

// leaveQueue removes m from the queue, and reports whether it was still there.
func (w *writer) leaveQueue(m *member) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queue.Remove(m.client, m)
}
