// Package commithook is what store.AfterCommit, which entities call, shares with
// the sessions of package driver, which stores make: neither imports the other
// for it.
package commithook

import "context"

// Key is the key under which the context of a transaction has its [Session].
type Key struct{}

// A Session is an open transaction, or a View inside one.
type Session interface {
	// AfterCommit runs hook after the commit of the innermost transaction that may
	// write, at once when there is none.
	AfterCommit(hook func())
}

// From returns the innermost session of ctx, nil when there is none.
func From(ctx context.Context) Session {
	s, _ := ctx.Value(Key{}).(Session)
	return s
}
