package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// TxOf returns the transaction of a View or Update as pgx knows it, in which the host
// runs SQL of its own: its writes are committed or rolled back with the rest, and its
// reads see the transaction's state.
//
//	err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
//		own, err := postgres.TxOf(tx)
//		if err != nil {
//			return err
//		}
//		_, err = own.Exec(ctx, "INSERT INTO audit (note_id) VALUES ($1)", id)
//		return err
//	})
//
// It is good until the function returns, in the goroutine of the function. It
// returns an error when tx is not of a [Store] or is over,
// [store.ErrUnavailable] when no server can be reached, and the context's error
// when it ends first.
//
// The transaction belongs to the store: Commit and Rollback are refused, and so are texts
// with a statement that begins or ends a transaction. Begin sets a savepoint, whose
// Commit and Rollback release it or roll back to it. If a statement fails outside of a
// savepoint, the server aborts the transaction: nothing more can be done in it, and
// Update fails, whatever its function returns. Return errors of pgx as they are or
// wrapped: the store recognizes the ones after which another run may succeed. Rows must
// be closed before the store is used again, and before the function returns.
//
// Its reads are not recorded in the read set of a View.
func TxOf(tx store.Tx) (pgx.Tx, error) {
	t, err := txOf(tx)
	if err != nil {
		return nil, err
	}
	if err := t.readable(); err != nil {
		return nil, err
	}
	if t.host == nil {
		if err := t.beginHost(); err != nil {
			return nil, err
		}
	}
	return &hostTx{Tx: t.host.pgx, tx: t}, nil
}

// txOf returns the store's own Tx, which others may have wrapped.
func txOf(wrapped store.Tx) (*tx, error) {
	t, ok := driver.Unwrap(wrapped).(*tx)
	if !ok {
		return nil, fmt.Errorf("postgres: a %T is not a transaction of a PostgreSQL store", wrapped)
	}
	return t, nil
}

var (
	errHostTransaction = errors.New("postgres: the transaction belongs to the store, which begins and ends it")
	errHostRows        = errors.New("postgres: rows that the host has queried are not closed")
	errHostEnded       = errors.New("postgres: the host has ended the transaction of the store")
	errHostFailed      = errors.New("postgres: a statement of the host has failed")
)

// A hostUse is the use that the host makes of a transaction. From then on the
// store's pipeline is only open while the store itself uses the connection.
type hostUse struct {
	pgx pgx.Tx
	err error // of the last statement that failed
}

// beginHost begins the transaction, if it has not begun, and lets the host in.
func (t *tx) beginHost() error {
	if t.group != nil {
		return t.leaveGroup()
	}
	if t.replica != nil { // no versions are known of the host's tables
		t.leaveReplica(nil)
	}
	t.tables = nil
	t.changes.end()
	if t.conn == nil {
		t.changes.ended = 0 // nothing was begun
	}
	if err := t.round((*conn).sendDefaultPlans); err != nil {
		return err
	}
	if !t.conn.shut() {
		t.failed = errLost
		return translate(t.ctx, errLost)
	}
	// The transaction is there: pgx is given a query that does nothing.
	own, err := t.conn.pooled.Conn().BeginTx(t.ctx, pgx.TxOptions{BeginQuery: ";"})
	if err != nil {
		t.failed = err
		return translate(t.ctx, err)
	}
	t.host = &hostUse{pgx: own}
	return nil
}

// state returns why the store cannot use the transaction after the host has.
func (h *hostUse) state(t *tx) error {
	if h == nil || t.conn == nil {
		return nil
	}
	switch pg := t.conn.pg; {
	case pg.IsClosed():
		t.failed = errLost
		return translate(t.ctx, errLost)
	case pg.IsBusy():
		return errHostRows
	case pg.TxStatus() == idleStatus:
		return errHostEnded
	case pg.TxStatus() == failedStatus:
		if isConflict(h.err) {
			t.failed = h.err
		}
		return fmt.Errorf("%w: %w", errHostFailed, first(h.err, errRolledBack))
	}
	return nil
}

// note notes the error of a statement.
func (h *hostUse) note(err error) {
	if _, ok := errors.AsType[*pgconn.PgError](err); ok {
		h.err = err
	}
}

// A hostTx is the transaction, or a savepoint in it, as the host sees it.
type hostTx struct {
	pgx.Tx
	tx        *tx
	savepoint bool
}

// check refuses statements that are not the host's to run.
func (h *hostTx) check(sql string) error {
	if h.tx.over {
		return errOver
	}
	if word := transactionControl(sql); word != "" {
		return fmt.Errorf("%w: %s is refused", errHostTransaction, word)
	}
	return nil
}

func (h *hostTx) Begin(ctx context.Context) (pgx.Tx, error) {
	if err := h.check(""); err != nil {
		return nil, err
	}
	inner, err := h.Tx.Begin(ctx)
	if err != nil {
		h.tx.host.note(err)
		return nil, err
	}
	return &hostTx{Tx: inner, tx: h.tx, savepoint: true}, nil
}

func (h *hostTx) Commit(ctx context.Context) error { return h.end(ctx, h.Tx.Commit) }

func (h *hostTx) Rollback(ctx context.Context) error { return h.end(ctx, h.Tx.Rollback) }

func (h *hostTx) end(ctx context.Context, end func(context.Context) error) error {
	if h.tx.over {
		return errOver
	}
	if !h.savepoint {
		return errHostTransaction
	}
	err := end(ctx)
	h.tx.host.note(err)
	return err
}

func (h *hostTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := h.check(sql); err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := h.Tx.Exec(ctx, sql, args...)
	h.tx.host.note(err)
	return tag, err
}

func (h *hostTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := h.check(sql); err != nil {
		return refusedRows{err: err}, err
	}
	rows, err := h.Tx.Query(ctx, sql, args...)
	h.tx.host.note(err)
	return &hostRows{rows, h.tx.host}, err
}

func (h *hostTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := h.check(sql); err != nil {
		return refusedRows{err: err}
	}
	return hostRow{h.Tx.QueryRow(ctx, sql, args...), h.tx.host}
}

func (h *hostTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		if err := h.check(q.SQL); err != nil {
			return pgx.FailedBatchResults(b, err)
		}
	}
	return hostBatch{h.Tx.SendBatch(ctx, b), h.tx.host}
}

func (h *hostTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	if err := h.check(""); err != nil {
		return 0, err
	}
	n, err := h.Tx.CopyFrom(ctx, table, columns, src)
	h.tx.host.note(err)
	return n, err
}

func (h *hostTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := h.check(sql); err != nil {
		return nil, err
	}
	s, err := h.Tx.Prepare(ctx, name, sql)
	h.tx.host.note(err)
	return s, err
}
