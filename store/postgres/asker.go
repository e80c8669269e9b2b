package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/store/driver"
)

// An asker asks the database for the versions of the tables, on a connection of its own.
// One question is under way at a time. It answers all calls that came before it was sent;
// the calls that come later share the next one.
type asker struct {
	store *Store
	life  context.Context // until the store is closed
	end   context.CancelFunc
	work  sync.WaitGroup

	mu    sync.Mutex
	pool  *pgxpool.Pool // of one connection, nil before the first question
	busy  bool          // a question is under way
	next  *sharedAnswer // of the question after that, nil while nobody waits for it
	folds folding

	snapshots snapshots // of the goroutine that asks
}

// A sharedAnswer is the answer to one question.
type sharedAnswer struct {
	done     chan struct{} // closed when the rest is there
	versions *driver.Versions
	err      error
}

// questionTimeout is how long one question may take. Calls wait no longer than their
// contexts.
const questionTimeout = 10 * time.Second

func (a *asker) init(s *Store) {
	a.store = s
	a.life, a.end = context.WithCancel(context.Background())
}

// ask returns the answer to a question that is sent after the call.
func (a *asker) ask(ctx context.Context) (*driver.Versions, error) {
	a.mu.Lock()
	if a.next == nil {
		a.next = &sharedAnswer{done: make(chan struct{})}
	}
	mine := a.next
	if !a.busy {
		a.busy = true
		a.work.Go(a.run)
	}
	a.mu.Unlock()
	select {
	case <-mine.done:
		return mine.versions, mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// askAside asks, with nobody waiting for the answer.
func (a *asker) askAside() {
	a.work.Go(func() { _, _ = a.ask(a.life) })
}

// run asks as long as calls wait. Before each question it lets the goroutines run that can: requests
// that have come already share this question in place of the next one.
func (a *asker) run() {
	for {
		runtime.Gosched()
		a.mu.Lock()
		current := a.next
		a.next = nil
		a.busy = current != nil
		a.mu.Unlock()
		if current == nil {
			return
		}
		current.versions, current.err = a.question()
		close(current.done)
	}
}

// question asks whether the last answer still holds. If not, it asks for a new one: once, again
// after it has written a missing epoch, and again on a new connection if the old one is lost.
func (a *asker) question() (*driver.Versions, error) {
	ctx, cancel := context.WithTimeout(a.life, questionTimeout)
	defer cancel()
	var known *knownVersions
	var err error
	for range 3 {
		if known := a.unchanged(ctx); known != nil {
			return known.versions, nil
		}
		var rows int
		known, rows, err = a.try(ctx)
		if err == nil {
			a.store.versions.last.Store(known)
			a.folds.asked(a, rows-len(known.versions.Tables))
			return known.versions, nil
		}
		if ctx.Err() != nil || !isLost(err) && !errors.Is(err, errNoEpoch) {
			break
		}
	}
	return nil, translate(ctx, err)
}

// try asks on the connection.
func (a *asker) try(ctx context.Context) (known *knownVersions, rows int, err error) {
	pool, err := a.connect(ctx)
	if err != nil {
		return nil, 0, err
	}
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return nil, 0, unavailable(err)
	}
	c := connOf(pooled, a.store.mode)
	defer c.release()
	c.open(ctx)
	defer c.shut()
	var got answer
	var isolation string
	if c.session != sessionOwn {
		c.send("BEGIN ISOLATION LEVEL READ COMMITTED", nil, request{})
		c.send("SELECT current_setting('default_transaction_isolation')", nil, request{row: func(values [][]byte) { isolation = string(values[0]) }})
	}
	got.send(a.store, c)
	if c.session != sessionOwn {
		c.send("COMMIT", nil, request{})
	}
	c.learnSession()
	err = c.roundTrip()
	if err == nil && isolation == "serializable" && c.session == sessionOwn {
		// The question would be in the way of writers, whose rows it reads.
		c.send("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED", nil, request{})
		err = c.roundTrip()
	}
	if err == nil {
		known, err = got.known()
	}
	if err == nil {
		a.snapshots.saw(c, got.snapshot, known)
	}
	switch {
	case errors.Is(err, errNoEpoch):
		c.send(newEpochSQL, nil, request{})
		err = first(c.roundTrip(), err)
	case errors.Is(err, errStandby):
		_ = c.pooled.Conn().Close(ctx) // the next connection may find the primary
	}
	return known, got.rows, err
}

// connect returns the pool of the connection. It is made as the store's pool is.
func (a *asker) connect(ctx context.Context) (*pgxpool.Pool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pool != nil {
		return a.pool, nil
	}
	config := a.store.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 1, 0, 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, unavailable(err)
	}
	a.pool = pool
	return pool, nil
}

// close ends the questions, and waits for that.
func (a *asker) close() {
	a.end()
	a.work.Wait()
	if a.pool != nil {
		a.pool.Close()
	}
}
