package sqlite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// The writer lets Updates write, one at a time, and commits together those
// that wait together.
//
// The first Update that finds nobody writing leads: it begins a transaction and
// makes a batch of itself and all who have queued up. The members run one after
// another, each in its caller's goroutine, so that a panic stays with its
// caller; each hands the turn to the next. The last one commits and answers
// all. Then the first who has queued up meanwhile leads.
type writer struct {
	store    *Store
	conn     *conn
	patience time.Duration

	begin, commit, rollback      *engine.Stmt
	savepoint, release, withdraw *engine.Stmt // of one member of a batch

	// blockedSince is when another connection was first found to hold the write
	// lock; zero after the lock was got. Only the leader uses it.
	blockedSince time.Time

	mu    sync.Mutex
	led   bool // somebody leads
	queue []*member
}

// A member is an Update on its way through the writer.
type member struct {
	ctx     context.Context
	entered time.Time
	turn    chan *batch // its turn in a batch; nil means to lead

	session *store.Session // set once its function has succeeded
}

// maxBatch is the most Updates that commit together. More would not save much,
// but have the first ones wait longer.
const maxBatch = 512

// pragmas are those of every connection.
func pragmas() []string {
	return []string{
		"journal_mode=WAL",
		"synchronous=FULL",
		"journal_size_limit=67108864", // bytes that the log keeps once it was written back
		"trusted_schema=0",
	}
}

func (w *writer) init(ctx context.Context, s *Store, path string, o *Options) (err error) {
	w.store, w.patience = s, o.busyTimeout()
	if w.conn, err = openFirst(ctx, path, w.patience); err != nil {
		return err
	}
	for _, s := range []struct {
		stmt **engine.Stmt
		sql  string
	}{
		{&w.begin, "BEGIN IMMEDIATE"}, {&w.commit, "COMMIT"}, {&w.rollback, "ROLLBACK"},
		{&w.savepoint, "SAVEPOINT member"}, {&w.release, "RELEASE member"}, {&w.withdraw, "ROLLBACK TO member"},
	} {
		if *s.stmt, err = w.conn.db.Prepare(s.sql); err != nil {
			return err
		}
	}
	return nil
}

// openFirst opens the connection that makes the file a WAL one. When several
// do that at once to a new file, the engine reports the lock at once to all but
// one, lest they wait for each other.
func openFirst(ctx context.Context, path string, patience time.Duration) (*conn, error) {
	until := time.Now().Add(patience)
	for {
		c, err := open(path, patience, pragmas()...)
		if err == nil || !isBusy(err) || !time.Now().Before(until) {
			return c, err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

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
	return b.outcome()
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
		b = <-m.turn // others count on m to hand the turn on
	}
	if b == nil {
		return w.lead(m)
	}
	return b, nil
}

// lead begins a transaction and makes a batch of m and all who wait.
func (w *writer) lead(m *member) (*batch, error) {
	if err := w.lock(m); err != nil {
		w.resign()
		return nil, err
	}
	b := &batch{writer: w, members: []*member{m}}
	w.mu.Lock()
	n := min(len(w.queue), maxBatch-1)
	b.members = append(b.members, w.queue[:n]...)
	w.queue = slices.Delete(w.queue, 0, n)
	w.mu.Unlock()
	if n > 0 {
		b.decided = make(chan struct{})
	}
	return b, nil
}

// lock takes the write lock of the file. Patience counts from when m came,
// or from when the lock was found taken: Updates that queue behind one that
// waits for it do not each wait as long again.
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
	db.SetPatience(max(0, w.patience-now.Sub(since)))
	db.Watch(m.ctx)
	err := run(w.begin)
	db.Unwatch()
	switch {
	case err == nil:
		w.blockedSince = time.Time{}
	case isBusy(err) && w.blockedSince.IsZero():
		w.blockedSince = now
	}
	return translate(m.ctx, err)
}

// resign has the next one lead.
func (w *writer) resign() {
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

// leaveQueue takes m out of the queue, and reports whether it was still there.
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

// close writes the log back and closes the connection. Nobody writes any more.
func (w *writer) close() error {
	w.conn.db.SetPatience(min(w.patience, time.Second))
	// Not all of it can be written back while others read: they will.
	err := w.conn.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	if err != nil && !isBusy(err) {
		err = fmt.Errorf("sqlite: write the log back: %w", err)
	} else {
		err = nil
	}
	for _, s := range []*engine.Stmt{w.begin, w.commit, w.rollback, w.savepoint, w.release, w.withdraw} {
		s.Finalize()
	}
	if closing := w.conn.close(); err == nil {
		err = closing
	}
	return err
}
