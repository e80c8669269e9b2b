package store

import (
	"context"
	"errors"
)

// A Session is one open transaction as its context carries it. Only
// implementations of [Store] make sessions.
type Session struct {
	store    Store
	tx       Tx
	writable bool
	failed   error
	hooks    []func()
}

type sessionKey struct{ store Store }

// NewSession opens a session for a transaction of st and returns the context
// under which its function runs, so that [Join] finds it. It is called before the
// snapshot of a View is taken, and hands the [Trace] of ctx what is read.
func NewSession(ctx context.Context, st Store, tx Tx, writable bool) (context.Context, *Session) {
	s := &Session{store: st, tx: tx, writable: writable}
	if t := TraceOf(ctx); t != nil {
		t.begin(st)
		s.tx = tracedTx{tx, t}
	}
	ctx = context.WithValue(ctx, sessionKey{st}, s)
	if writable {
		ctx = context.WithValue(ctx, currentKey{}, s)
	}
	return ctx, s
}

// Tx is what the function of the transaction is given.
func (s *Session) Tx() Tx { return s.tx }

type currentKey struct{}

// Join runs fn in the transaction of st that ctx belongs to, and reports
// whether there is one. Implementations call it first in View and Update. A
// write inside a View fails with [ErrReadOnly]. A joined Update whose function
// fails or panics takes the whole transaction with it, also when the outer
// function passes over that: half of a change is never committed.
func Join(ctx context.Context, st Store, writable bool, fn func(context.Context, Tx) error) (joined bool, err error) {
	s, ok := ctx.Value(sessionKey{st}).(*Session)
	if !ok {
		return false, nil
	}
	if writable && !s.writable {
		return true, ErrReadOnly
	}
	if !writable {
		return true, fn(ctx, s.tx)
	}
	err = errPanicked
	defer func() {
		if s.failed == nil {
			s.failed = err
		}
	}()
	err = fn(ctx, s.tx)
	return true, err
}

// errPanicked is what becomes of a transaction whose outer function recovers
// from the panic of a joined Update.
var errPanicked = errors.New("store: a joined update panicked")

// Failed returns the error of a joined Update that failed, if any. A store asks
// before it commits, and rolls back with that error.
func (s *Session) Failed() error { return s.failed }

// Committed runs the functions given to [AfterCommit], in their order. A store
// calls it once, after the commit and in the order of commits, before Update
// returns.
func (s *Session) Committed() {
	for _, hook := range s.hooks {
		hook()
	}
}

// AfterCommit has hook run once the innermost transaction of ctx that may write
// has been committed, and never if it is rolled back or run again. Hooks run in
// the order of the commits and must be quick: others wait behind them. Outside
// such a transaction hook runs at once.
func AfterCommit(ctx context.Context, hook func()) {
	if s, ok := ctx.Value(currentKey{}).(*Session); ok {
		s.hooks = append(s.hooks, hook)
		return
	}
	hook()
}
