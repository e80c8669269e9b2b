package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/documents"
)

// A Store is a [store.Store] in a PostgreSQL database.
type Store struct {
	pool    *pgxpool.Pool
	owned   bool // the pool is closed with the store
	mode    statements
	primary bool // a standby's rows are not good enough
	texts   texts
	keys    sequences
	number  numberWatch
	docs    documents.Checker
	commits commits
	idle    idle

	noCache  bool
	versions versions
	log      changeLog
	asker    asker
	watching sync.Mutex // of watcher
	watcher  watcher

	replicas replicas
	migrated migrated

	slots    *fair.Lanes     // one for each connection in use
	size     int             // how many connections there may be
	rowTurns rowTurns        // of transactions that change rows which many change
	lane     *fair.Semaphore // of size 1, of transactions that met another one
	starving starving
	grouping grouping // of transactions that many clients wait for

	mu      sync.RWMutex // transactions enter under it, so that none does after Close began to wait
	closed  bool
	running sync.WaitGroup
}

var (
	_ store.TableLocker = (*Store)(nil)
	_ driver.RowAsked   = (*Store)(nil)
)

// connectTimeout is how long one server may take to accept a connection,
// where the DSN says nothing (connect_timeout): the next of its hosts is then
// tried while a request still has time.
const connectTimeout = 5 * time.Second

// Open connects to the database that the DSN names, as libpq takes it: a URL or
// key=value pairs, with several hosts and target_session_attrs=read-write for a
// primary and its standbys, and pgxpool's own parameters, such as
// pool_max_conns.
//
// It returns [store.ErrUnavailable] when no server can be reached, and the
// context's error when it ends first.
func Open(ctx context.Context, dsn string) (*Store, error) { return OpenWith(ctx, dsn, Options{}) }

// OpenWith is [Open] with options.
func OpenWith(ctx context.Context, dsn string, o Options) (*Store, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	config, err := poolConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	if err := prepareFor(ctx, config.ConnConfig); err != nil {
		return nil, fmt.Errorf("postgres: connect: %w", translate(ctx, err))
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	s := newStore(pool, o)
	s.owned = true
	if err := s.openReplicas(o.Replicas); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// poolConfig returns the configuration of the pool of a DSN.
func poolConfig(dsn string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	return config, nil
}

// prepareFor connects once, and has pgx, which runs the SQL of the host, prepare no
// statements in sessions that a pooler shares.
func prepareFor(ctx context.Context, config *pgx.ConnConfig) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	pooled, err := isPooled(ctx, conn)
	if pooled && !namesExecMode(config) {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return err
}

// New returns a store over a host's own pool, which stays open when the store is closed.
// The search path of its connections determines the schema of the tables.
// The store has one more connection of its own, made as those of the pool are.
func New(pool *pgxpool.Pool) *Store { return NewWith(pool, Options{}) }

// NewWith is [New] with options. It panics if these are wrong, as a DSN of
// [Options.Replicas] that cannot be parsed.
func NewWith(pool *pgxpool.Pool, o Options) *Store {
	err := o.check()
	s := newStore(pool, o)
	if err == nil {
		err = s.openReplicas(o.Replicas)
	}
	if err != nil {
		panic(err)
	}
	return s
}

func newStore(pool *pgxpool.Pool, o Options) *Store {
	config := pool.Config()
	size := int(config.MaxConns)
	reserved := min(size/4, maxReserved)
	s := &Store{
		pool: pool, mode: statementsOf(config.ConnConfig), primary: wantsPrimary(config.ConnConfig),
		slots: fair.NewLanes(size-reserved, reserved), size: size, lane: fair.New(1, 1),
		noCache: o.NoCache, grouping: grouping{limit: maxMembers},
	}
	s.asker.init(s)
	return s
}

// maxReserved is how many connections at most are reserved for ShortViews. Pools of less
// than four connections reserve none.
const maxReserved = 2

// View implements [store.Store]. The snapshot is taken with the first read.
func (s *Store) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.view(ctx, false, fn)
}

// ShortView implements [store.ShortViewer].
func (s *Store) ShortView(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.view(ctx, true, fn)
}

func (s *Store) view(ctx context.Context, short bool, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s, false, fn); joined {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &tx{store: s, ctx: ctx, short: short, reads: driver.ReadSetOf(ctx)}
	defer t.end()
	if !s.versions.on.Load() {
		t.reads.MarkUntracked()
		t.reads = nil
	}
	ctx, session := driver.NewSession(ctx, s, t, false)
	return fn(ctx, session.Tx())
}

// Update implements [store.Store]. It runs fn again when the transaction met
// another one or lost its connection before the commit.
func (s *Store) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.update(ctx, "", fn)
}

// UpdateLocked implements [store.TableLocker]. Nobody else's change is in the way of a
// long transaction then. The snapshot is taken after the tables were locked.
func (s *Store) UpdateLocked(ctx context.Context, tables []*store.Schema, fn func(context.Context, store.Tx) error) error {
	return s.update(ctx, lockTables(tables), fn)
}

// update runs fn after a first statement, if there is one.
func (s *Store) update(ctx context.Context, first string, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s, true, fn); joined {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	how := attempt{first: first}
	return s.repeat(ctx, func() error {
		err := s.attempt(ctx, how, fn)
		var retry *again
		if errors.As(err, &retry) && retry.ungrouped {
			how.ungrouped, retry = true, nil
			err = s.attempt(ctx, how, fn)
		}
		if errors.As(err, &retry) && retry.atOnce {
			how.atOnce = true
		}
		return err
	})
}

// lockTables has readers go on, and all that write wait.
func lockTables(tables []*store.Schema) string {
	names := make([]string, len(tables))
	for i, s := range tables {
		names[i] = quote(s.Name)
	}
	return "LOCK TABLE " + strings.Join(names, ", ") + " IN EXCLUSIVE MODE"
}

// An attempt is how one transaction of an Update runs.
type attempt struct {
	first     string // a statement that comes before all others
	atOnce    bool   // without [deferred] writes
	ungrouped bool   // not in a [group]
}

// attempt runs one transaction. An error that is a [*again] asks for another.
func (s *Store) attempt(ctx context.Context, how attempt, fn func(context.Context, store.Tx) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &tx{store: s, ctx: inner, writable: true, first: how.first, deferred: deferred{never: how.atOnce}}
	t.ungrouped = how.ungrouped
	if s.versions.on.Load() {
		t.changes.begin()
	}
	defer t.end()
	inner, session := driver.NewSession(inner, s, t, true)
	t.session = session
	err := fn(inner, session.Tx())
	if t.group != nil {
		return t.group.end(t, session, err)
	}
	if err == nil {
		err = session.Finish()
	}
	left := t.host.state(t)
	switch {
	case t.again() != nil:
		return t.again() // whatever fn made of it
	case err != nil:
		return err
	case left != nil:
		return left
	case t.failed != nil:
		return translate(ctx, t.failed)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return t.commit(session.Committed)
}

func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	s.running.Add(1)
	return nil
}

// Close implements [store.Store]. A pool given to [New] stays open. Called from
// inside a transaction it never returns.
func (s *Store) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	if !first {
		return nil
	}
	s.replicas.close()
	s.asker.close()
	s.idle.close()
	if s.owned {
		s.pool.Close()
	}
	return nil
}

// take returns a connection: one left by a View, or one of the pool. There are as many
// slots as connections, so that no caller waits in the pool.
func (s *Store) take(ctx context.Context, short bool) (*conn, error) {
	slot, err := s.slots.Take(ctx, driver.ClientOf(ctx), short)
	if err != nil {
		return nil, err
	}
	if c := s.idle.pop(); c != nil {
		c.slot = slot
		return c, nil
	}
	pooled, err := s.pool.Acquire(ctx)
	if err == nil {
		c := connOf(pooled, s.mode)
		c.slot = slot
		return c, nil
	}
	slot.Release()
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	return nil, unavailable(err)
}

// aside runs the statements that send queues in a round trip of their own.
func (s *Store) aside(ctx context.Context, send func(*conn)) error {
	c, err := s.take(ctx, false)
	if err != nil {
		return err
	}
	defer s.put(c)
	c.open(ctx)
	if c.pg.TxStatus() != idleStatus {
		c.send("COMMIT", nil, request{}) // of the View that had it before
		if err := c.roundTrip(); err != nil {
			return err
		}
	}
	send(c)
	return c.roundTrip()
}

// putIdle leaves a connection whose View is over to the next transaction.
func (s *Store) putIdle(c *conn) {
	if c.replica != nil {
		c.replica.idle.push(c)
		return
	}
	slot := c.slot
	s.idle.push(c)
	slot.Release()
}

// put gives a connection back to the pool.
func (s *Store) put(c *conn) {
	c.shut()
	if c.replica != nil {
		c.release()
		return
	}
	slot := c.slot
	c.release()
	slot.Release()
}

// drop closes a connection that is of no use any more.
func (s *Store) drop(c *conn) {
	c.shut()
	_ = c.pooled.Conn().Close(context.Background())
	s.put(c)
}
