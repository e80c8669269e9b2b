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
	outer    *Session // in whose transaction this one began, of another store
	writable bool
	failed   error
	hooks    []func()
}

// sessionKey is under which a context has its innermost session.
type sessionKey struct{}

// A sessionContext is the context that carries a session. They are one piece of
// memory: a read by key takes no longer than making a few of those.
type sessionContext struct {
	context.Context
	Session
	reads readSetTx
}

func (c *sessionContext) Value(key any) any {
	if key == (sessionKey{}) {
		return &c.Session
	}
	return c.Context.Value(key)
}

// sessionOf returns the innermost session of ctx, nil when there is none.
func sessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}

// NewSession opens a session for a transaction of st and returns the context
// under which its function runs, so that [Join] finds it. It is called before the
// snapshot of a View is taken, and hands the [ReadSet] of ctx what is read.
func NewSession(ctx context.Context, st Store, tx Tx, writable bool) (context.Context, *Session) {
	c := &sessionContext{Context: ctx, Session: Session{store: st, tx: tx, writable: writable, outer: sessionOf(ctx)}}
	if t := ReadSetOf(ctx); t != nil {
		t.begin(st)
		if writable {
			t.MarkUntracked() // what it reads may be its own change, and rolled back
		}
		c.reads = readSetTx{tx, t}
		c.tx = &c.reads
	}
	return c, &c.Session
}

// Tx is what the function of the transaction is given.
func (s *Session) Tx() Tx { return s.tx }

// Join runs fn in the transaction of st that ctx belongs to, and reports
// whether there is one. Implementations call it first in View and Update. A
// write inside a View fails with [ErrReadOnly]. A joined Update whose function
// fails or panics takes the whole transaction with it, also when the outer
// function passes over that: half of a change is never committed.
func Join(ctx context.Context, st Store, writable bool, fn func(context.Context, Tx) error) (joined bool, err error) {
	s := sessionOf(ctx)
	for s != nil && s.store != st {
		s = s.outer
	}
	if s == nil {
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
	s := sessionOf(ctx)
	for s != nil && !s.writable {
		s = s.outer
	}
	if s == nil {
		hook()
		return
	}
	s.hooks = append(s.hooks, hook)
}
