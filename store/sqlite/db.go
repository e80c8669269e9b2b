package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// DB returns a pool of connections to the file for the host's own code. It uses the
// engine of the store, so that both share their locks; values are converted as by
// [ConnOf]. DB always returns the same pool, which is closed with the store.
//
// Its connections are in WAL mode with synchronous=FULL and wait for the write
// lock as long as [Options.BusyTimeout] says. A transaction takes that lock when
// it begins (BEGIN IMMEDIATE), unless it is read-only. The pool and the Updates of the
// store take that lock in turns, so that neither keeps the other from writing. Exec runs
// all statements of its text, each of which takes as many arguments as it has parameters.
//
// The next View sees its commits, which invalidate all caches of the store. Inside an
// Update it would wait for that Update: use [ConnOf] there.
func (s *Store) DB() *sql.DB {
	return s.pool.open(&poolConnector{s.readers.file, s.writer.busyTimeout, s.turn, &s.pool})
}

// A hostPool is the pool of [Store.DB].
type hostPool struct {
	mu     sync.Mutex
	db     *sql.DB
	closed bool
}

func (p *hostPool) open(c *poolConnector) *sql.DB {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.db == nil {
		p.db = sql.OpenDB(c)
		if p.closed {
			_ = p.db.Close()
		}
	}
	return p.db
}

func (p *hostPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.db == nil {
		return nil
	}
	return p.db.Close()
}

type poolConnector struct {
	file        file
	busyTimeout time.Duration
	turn        writeTurn
	pool        *hostPool // whose turn it is
}

func (c *poolConnector) Driver() driver.Driver { return noDriver{} }

func (c *poolConnector) Connect(ctx context.Context) (driver.Conn, error) {
	// These connections use SQLite's automatic checkpoints, because the writer makes none
	// while only the host writes.
	conn, err := c.file.open(c.busyTimeout, "wal_autocheckpoint=1000")
	if err != nil {
		return nil, err
	}
	return &poolConn{conn: conn, from: c}, nil
}

// A poolConn is a connection of a hostPool.
type poolConn struct {
	conn     *conn
	from     *poolConnector
	readOnly bool // its transaction is
	hasTurn  bool // of the store's writeTurn
}

func (c *poolConn) Close() error {
	err := c.conn.close()
	c.giveTurn()
	return err
}

// takeTurn waits for the turn of a statement that writes. The connection keeps it until its
// transaction ends. A read-only transaction needs none: the engine refuses its writes.
func (c *poolConn) takeTurn(ctx context.Context, s *engine.Stmt) {
	if s.ReadOnly() || c.readOnly || c.hasTurn {
		return
	}
	left, held := c.from.turn.take(ctx, c.from.pool, c.from.busyTimeout)
	c.hasTurn = held
	c.conn.db.SetBusyTimeout(left)
}

// endTurn gives the turn back once no transaction is open.
func (c *poolConn) endTurn() {
	if !c.conn.db.InTransaction() {
		c.giveTurn()
	}
}

func (c *poolConn) giveTurn() {
	c.conn.db.SetBusyTimeout(c.from.busyTimeout)
	if c.hasTurn {
		c.hasTurn = false
		c.from.turn.give(c.from.pool)
	}
}

// IsValid implements [driver.Validator]. A transaction that was begun by a statement and
// never ended ends with its connection, as soon as that is back in the pool.
func (c *poolConn) IsValid() bool { return !c.conn.db.InTransaction() }

func (c *poolConn) Prepare(query string) (driver.Stmt, error) {
	s, err := c.conn.take(hostSQL, nil, []byte(query))
	if err != nil {
		return nil, err
	}
	c.conn.release(s)
	return textStmt{c, query}, nil
}

func (c *poolConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements [driver.ConnBeginTx]. Every transaction is serializable, so
// each level of isolation will do.
func (c *poolConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	begin := "BEGIN IMMEDIATE"
	if o.ReadOnly {
		begin = "BEGIN"
		if err := c.conn.db.Exec("PRAGMA query_only=1"); err != nil {
			return nil, err
		}
	}
	c.readOnly = o.ReadOnly
	if err := c.exec(ctx, begin); err != nil {
		c.endReadOnly()
		return nil, err
	}
	return c, nil
}

// Commit implements [driver.Tx].
func (c *poolConn) Commit() error {
	err := c.exec(context.Background(), "COMMIT")
	if err != nil && c.conn.db.InTransaction() {
		err = errors.Join(err, c.exec(context.Background(), "ROLLBACK"))
	}
	c.endReadOnly()
	return err
}

// Rollback implements [driver.Tx].
func (c *poolConn) Rollback() error {
	defer c.endReadOnly()
	if !c.conn.db.InTransaction() {
		return nil // the engine rolled it back
	}
	return c.exec(context.Background(), "ROLLBACK")
}

func (c *poolConn) endReadOnly() {
	if c.readOnly {
		c.readOnly = false
		_ = c.conn.db.Exec("PRAGMA query_only=0") // where it fails, writes do
	}
}

// exec runs a statement without arguments.
func (c *poolConn) exec(ctx context.Context, query string) error {
	_, err := c.ExecContext(ctx, query, nil)
	return err
}

// ExecContext implements [driver.ExecerContext].
func (c *poolConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.conn.take(hostSQL, nil, []byte(query))
	if errors.Is(err, engine.ErrSeveral) {
		return c.script(ctx, query, args)
	}
	if err != nil {
		return nil, err
	}
	defer c.conn.release(s)
	return c.run(ctx, s.Stmt, args)
}

// script runs the statements of a text. They are not cached.
func (c *poolConn) script(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	var result driver.Result = writeResult{}
	for strings.TrimSpace(query) != "" {
		s, rest, err := c.conn.db.PrepareFirst(query)
		if err != nil {
			return nil, err
		}
		if s == nil {
			break
		}
		n := min(s.Parameters(), len(args))
		result, err = c.run(ctx, s, renumbered(args[:n]))
		s.Finalize()
		if err != nil {
			return nil, err
		}
		query, args = rest, args[n:]
	}
	return result, nil
}

// renumbered gives arguments positions from 1 on.
func renumbered(args []driver.NamedValue) []driver.NamedValue {
	list := make([]driver.NamedValue, len(args))
	for i, a := range args {
		list[i] = driver.NamedValue{Name: a.Name, Ordinal: i + 1, Value: a.Value}
	}
	return list
}

func (c *poolConn) run(ctx context.Context, s *engine.Stmt, args []driver.NamedValue) (driver.Result, error) {
	if err := bindArgs(s, args); err != nil {
		return nil, err
	}
	c.takeTurn(ctx, s)
	defer c.endTurn()
	defer s.ClearBindings()
	defer s.Reset()
	for {
		more, err := c.step(ctx, s)
		if err != nil {
			return nil, err
		}
		if !more {
			return writeResult{c.conn.db.LastInsertRowID(), c.conn.db.Changes()}, nil
		}
	}
}

// step runs a statement up to its next row, unless the context ends. Outside a transaction a statement
// that writes stops too, and changes nothing: VACUUM INTO copies a whole database.
func (c *poolConn) step(ctx context.Context, s *engine.Stmt) (row bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if c.conn.db.InTransaction() {
		c.conn.db.InterruptOn(ctx)
	} else {
		c.conn.db.InterruptWritesOn(ctx)
	}
	defer c.conn.db.NoInterrupt()
	row, err = s.Step()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return row, err
}

// QueryContext implements [driver.QueryerContext].
func (c *poolConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.conn.take(hostSQL, nil, []byte(query))
	if err != nil {
		return nil, err
	}
	if err := bindArgs(s.Stmt, args); err != nil {
		c.conn.release(s)
		return nil, err
	}
	c.takeTurn(ctx, s.Stmt)
	r := &poolRows{conn: c, ctx: ctx, stmt: s}
	r.init(s.Stmt)
	return r, nil
}

// poolRows are the rows of a statement that runs.
type poolRows struct {
	columns
	conn *poolConn
	ctx  context.Context
	stmt *statement
}

func (r *poolRows) Close() error {
	if r.stmt != nil {
		r.stmt.ClearBindings()
		r.conn.conn.release(r.stmt)
		r.stmt = nil
		r.conn.endTurn()
	}
	return nil
}

func (r *poolRows) Next(into []driver.Value) error {
	more, err := r.conn.step(r.ctx, r.stmt.Stmt)
	if err != nil {
		return err
	}
	if !more {
		return io.EOF
	}
	r.read(r.stmt.Stmt, into)
	return nil
}
