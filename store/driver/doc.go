// Package driver is for authors of stores: what an implementation of
// [store.Store] needs and its callers do not. Programs that only use a store
// open one of the implementations; entities import package store.
//
// # Transactions
//
// A store begins View and Update with [Join], which runs the function in the transaction
// that the context belongs to, if there is one. Otherwise it opens a transaction of its
// own, makes a [Session] for it with [NewSession], calls the function with the returned
// context and the [Session.Tx], calls [Session.Finish], commits, and calls
// [Session.Committed].
//
//	func (s *Store) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
//		if joined, err := driver.Join(ctx, s, true, fn); joined {
//			return err
//		}
//		… begin, with a deferred rollback
//		ctx, session := driver.NewSession(ctx, s, tx, true)
//		if err := fn(ctx, session.Tx()); err != nil {
//			return err
//		}
//		if err := session.Finish(); err != nil {
//			return err
//		}
//		… commit
//		session.Committed()
//		return nil
//	}
//
// A [store.Tx] that wraps another has a method Unwrap that returns it, so that [Unwrap]
// finds the Tx of the store. A [store.Store] that wraps another, and opens no sessions itself, has
// one too, so that [Innermost] finds the store that opened the sessions in the context. Without the
// method the change log misses changes.
//
//	func (s *wrapper) Unwrap() store.Store { return s.Store }
//
// # Versions and read sets
//
// A store that knows which tables have changed is a [Versioned]. A [ReadSet] in the
// context of a View records its reads, so that the result can be cached while the read
// set is valid: until one of the tables changes or, where the store is a [RowVersioned],
// until a row changes that affects a [Read]. A store only has to create its sessions as
// above.
//
// # Packages below
//
// Package sqltext writes the SQL of a [store.Query] for a dialect, and package
// eval evaluates its conditions and orders in Go. Package storetest, beside this
// one, is the conformance suite of stores.
package driver
