package driver

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/internal/commithook"
)

// A Session is one open transaction as its context carries it. Only
// implementations of [store.Store] make sessions.
type Session struct {
	store    store.Store
	own      store.Tx // of the store
	tx       store.Tx // that records
	outer    *Session // the transaction of another store that this one began in
	writable bool
	failed   error
	hooks    []func()
	ends     map[any]Ending
	kept     map[any]kept
	question *question // of the context, where the session writes
}

// A sessionContext is the context that carries a session. One allocation holds
// the context, the session and the recording Tx: more would cost as much as a
// read by key.
type sessionContext struct {
	context.Context
	Session
	recorded sessionTx
}

func (c *sessionContext) Value(key any) any {
	if key == (commithook.Key{}) {
		return &c.Session
	}
	return c.Context.Value(key)
}

// sessionOf returns the innermost session of ctx, nil when there is none.
func sessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(commithook.Key{}).(*Session)
	return s
}

// NewSession opens a session for a transaction of st. It returns the context for the
// transaction's function, in which [Join] finds the session. Call it before the snapshot
// of a View is taken. It records the reads made through [Session.Tx] in the [ReadSet] of
// ctx. The rows that a View reads count against the memory budget of the request.
func NewSession(ctx context.Context, st store.Store, tx store.Tx, writable bool) (context.Context, *Session) {
	c := &sessionContext{Context: ctx, Session: Session{store: st, own: tx, tx: tx, writable: writable, outer: sessionOf(ctx)}}
	if writable {
		c.question = questionOf(ctx)
	}
	recorded := sessionTx{Tx: tx, reads: ReadSetOf(ctx)}
	if !writable {
		recorded.share = budget.From(ctx)
	}
	if r := recorded.reads; r != nil {
		r.begin(st)
		if writable {
			r.MarkUntracked() // what it reads may be its own change, and rolled back
		}
	}
	if recorded.reads == nil && recorded.share == nil {
		return c, &c.Session
	}
	c.recorded = recorded
	c.tx = &c.recorded
	if own, ok := tx.(store.ReaderAhead); ok && !writable {
		c.tx = &aheadTx{&c.recorded, own}
	}
	return c, &c.Session
}

// ShareKept makes s use the cached values of another session of the same group. The transactions of both
// run one after another, and see the same rows.
func (s *Session) ShareKept(with *Session) {
	if with.kept == nil {
		with.kept = map[any]kept{}
	}
	s.kept = with.kept
}

// Tx is the Tx to call the function of the transaction with.
func (s *Session) Tx() store.Tx { return s.tx }

// Join runs fn in the transaction of st that ctx belongs to, and reports
// whether there is one. Implementations call it first in View and Update. A
// write inside a View fails with [store.ErrReadOnly]. A joined Update whose
// function fails or panics fails the whole transaction, also when the outer
// function ignores that: half of a change is never committed. An error of [Unwritten] does
// not fail it.
func Join(ctx context.Context, st store.Store, writable bool, fn func(context.Context, store.Tx) error) (joined bool, err error) {
	s := sessionIn(ctx, st)
	if s == nil {
		return false, nil
	}
	if writable && !s.writable {
		return true, store.ErrReadOnly
	}
	if !writable {
		return true, fn(ctx, s.tx)
	}
	err = errPanicked
	defer func() {
		if s.failed == nil && !IsUnwritten(err) {
			s.failed = err
		}
	}()
	err = fn(ctx, s.tx)
	return true, err
}

// Joined returns the transaction of st that ctx belongs to, to read in it. ok is false where there
// is none.
func Joined(ctx context.Context, st store.Store) (tx store.Tx, ok bool) {
	s := sessionIn(ctx, st)
	if s == nil {
		return nil, false
	}
	return s.tx, true
}

// sessionIn returns the session of st in ctx, nil when there is none.
func sessionIn(ctx context.Context, st store.Store) *Session {
	s := sessionOf(ctx)
	for s != nil && s.store != st {
		s = s.outer
	}
	return s
}

// Unwritten returns the error of a joined Update that has written nothing: the transaction may
// go on after it.
func Unwritten(err error) error { return &unwritten{err} }

// IsUnwritten reports whether err is of [Unwritten].
func IsUnwritten(err error) bool {
	var u *unwritten
	return errors.As(err, &u)
}

type unwritten struct{ error }

func (u *unwritten) Unwrap() error { return u.error }

// errPanicked fails a transaction whose outer function recovers from the panic
// of a joined Update.
var errPanicked = errors.New("store: a joined update panicked")

// Finish returns the error of the first joined Update that failed. Without one it
// runs the [Ending]s of the transaction and returns the first error of these. A store
// calls it once, after the function of the transaction and before the commit, and
// rolls back with its error.
func (s *Session) Finish() error { return s.finish(Ending.End) }

func (s *Session) finish(end func(Ending) error) error {
	if s.failed != nil {
		return s.failed
	}
	for _, e := range s.ends {
		if err := end(e); err != nil {
			return err
		}
	}
	return s.failed
}

// Committed runs the functions given to [store.AfterCommit], in their order. A
// store calls it once, after the commit and in the order of commits, before
// Update returns.
func (s *Session) Committed() {
	s.question.forget()
	for _, hook := range s.hooks {
		hook()
	}
}

// AfterCommit is [store.AfterCommit] for the context of s.
func (s *Session) AfterCommit(hook func()) {
	for s != nil && !s.writable {
		s = s.outer
	}
	if s == nil {
		hook()
		return
	}
	s.hooks = append(s.hooks, hook)
}
