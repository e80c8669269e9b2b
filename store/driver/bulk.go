package driver

import "context"

// Bulk returns a context for Updates that make many small changes. A store may prepare their
// transactions for that: SQLite keeps the pages that a statement may have to put back in
// memory, although the statements of a transaction without savepoints of its own may each
// change any number of pages.
func Bulk(ctx context.Context) context.Context { return context.WithValue(ctx, bulk{}, true) }

// IsBulk reports whether a context is from [Bulk].
func IsBulk(ctx context.Context) bool {
	is, _ := ctx.Value(bulk{}).(bool)
	return is
}

type bulk struct{}
