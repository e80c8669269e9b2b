package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi/store"
	storedriver "github.com/shopapi/shopapi/store/driver"
)

// ConnOf returns a connection on which the host runs SQL of its own inside the
// transaction of a View or Update: its writes are committed or rolled back with the rest,
// and its reads see the transaction's state.
//
//	err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
//		conn, err := sqlite.ConnOf(tx)
//		if err != nil {
//			return err
//		}
//		_, err = conn.ExecContext(ctx, "INSERT INTO audit (page_id, at) VALUES (?, ?)", id, time.Now())
//		return err
//	})
//
// It is good until the function returns, in the goroutine of the function, and
// need not be closed. It returns an error when tx is not of a [Store] or is
// over.
//
// The transaction belongs to the store: BEGIN, COMMIT, ROLLBACK, savepoints, ATTACH,
// temporary objects and statements that would roll back the whole transaction on a
// conflict are refused, as are [sql.Conn.BeginTx] and all pragmas but the ones that
// describe the schema. A statement that fails for another reason changes nothing, and the
// function may go on; its error is an [*Error], or one of package store:
// [store.ErrReadOnly] for a write in a View. A statement ends with the context of the
// transaction, not with its own, which only has to be valid when it begins. Its rows are
// in memory when QueryContext returns.
//
// Writes to tables of the store's schemas invalidate the caches that depend on these
// tables, like writes through the store. Columns marked fold have a second column, see
// the package comment. The reads of a View are not recorded in its read set, so responses
// made from them are not cached.
//
// Times are bound as text in the form "2006-01-02 15:04:05.999999999-07:00", and
// text in columns declared as DATE, DATETIME or TIMESTAMP is read as a time where
// it is one.
func ConnOf(tx store.Tx) (*sql.Conn, error) {
	t, err := txOf(tx)
	if err != nil {
		return nil, err
	}
	if t.conn == nil {
		return nil, errOver
	}
	if t.host == nil {
		if err := t.flushAll(); err != nil {
			return nil, err
		}
		if t.host, err = newHostSession(t); err != nil {
			return nil, err
		}
	}
	return t.host.open(t.ctx)
}

// txOf returns the store's own Tx, which others may have wrapped.
func txOf(wrapped store.Tx) (*tx, error) {
	t, ok := storedriver.Unwrap(wrapped).(*tx)
	if !ok {
		return nil, fmt.Errorf("sqlite: a %T is not a transaction of a SQLite store", wrapped)
	}
	return t, nil
}

// A hostSession is what the host's SQL of one transaction uses. It has a pool of
// its own, without connections that could outlive it.
type hostSession struct {
	db   *sql.DB
	conn *sql.Conn
}

func newHostSession(t *tx) (*hostSession, error) {
	if err := t.conn.host.refresh(t.conn.db); err != nil {
		return nil, translate(t.ctx, err)
	}
	return &hostSession{db: sql.OpenDB(hostConnector{t})}, nil
}

// open returns the connection, another one when it was closed.
func (h *hostSession) open(ctx context.Context) (*sql.Conn, error) {
	if h.conn != nil && h.conn.Raw(func(any) error { return nil }) == nil {
		return h.conn, nil
	}
	var err error
	h.conn, err = h.db.Conn(ctx)
	return h.conn, err
}

func (h *hostSession) close() {
	if h != nil {
		_ = h.db.Close() // there is nothing idle to close
	}
}

// A hostConnector makes the connections of a hostSession.
type hostConnector struct{ tx *tx }

func (c hostConnector) Connect(context.Context) (driver.Conn, error) { return hostConn(c), nil }
func (c hostConnector) Driver() driver.Driver                        { return noDriver{} }

// noDriver is the driver of connections that are not opened by name.
type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) {
	return nil, errors.New("sqlite: connections are opened by the store")
}

// A hostConn is the connection of a transaction as database/sql sees it.
type hostConn struct{ tx *tx }

var errHostTransaction = errors.New("sqlite: the transaction belongs to the store, which begins and ends it")

func (c hostConn) Close() error              { return nil }
func (c hostConn) Begin() (driver.Tx, error) { return nil, errHostTransaction }

func (c hostConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, errHostTransaction
}

func (c hostConn) Prepare(query string) (driver.Stmt, error) {
	if _, err := c.statement(query); err != nil {
		return nil, err
	}
	return textStmt{c, query}, nil
}

func (c hostConn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.run(query, args, nil)
}

func (c hostConn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows := &memoryRows{}
	if _, err := c.run(query, args, rows); err != nil {
		return nil, err
	}
	return rows, nil
}

// statement returns the prepared statement of a text, and refuses what the
// transaction does not allow.
func (c hostConn) statement(query string) (*hostStatement, error) {
	t := c.tx
	if _, err := t.readable(); err != nil {
		return nil, err
	}
	s, err := t.conn.host.prepare(t.conn.db, query)
	if err != nil {
		return nil, translate(t.ctx, err)
	}
	if !s.ReadOnly() {
		_, err = t.changeable()
	}
	return s, err
}

// run runs a statement and collects its rows, if it is given where.
func (c hostConn) run(query string, args []driver.NamedValue, rows *memoryRows) (driver.Result, error) {
	s, err := c.statement(query)
	if err != nil {
		return nil, err
	}
	if err := bindArgs(s.Stmt, args); err != nil {
		return nil, err
	}
	t, db := c.tx, c.tx.conn.db
	defer func() {
		s.Reset()
		s.ClearBindings()
		s.effects.addTo(t.changes) // compiled again while it ran, it may have more
		if s.effects.schema {
			t.conn.host.drop()
		}
	}()
	db.Authorize(s.effects.allow)
	defer db.Authorize(nil)
	if rows != nil {
		rows.init(s.Stmt)
	}
	for {
		more, err := s.Step()
		if err != nil {
			return nil, translate(t.ctx, s.effects.explain(err))
		}
		if !more {
			return writeResult{db.LastInsertRowID(), db.Changes()}, nil
		}
		if rows != nil {
			rows.add(s.Stmt)
		}
	}
}
