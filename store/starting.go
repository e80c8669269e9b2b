package store

import "context"

// Starting returns a context for what a program does before it serves: Updates that are
// begun with it wait longer for other programs than the Updates of requests. So several
// processes may start at once on one database while one of them creates indexes, say.
//
// A SQLite store waits at least a minute for the write lock, unless its options say that
// nothing waits. The other stores wait as they always do. The end of the context ends
// every wait.
func Starting(ctx context.Context) context.Context {
	return context.WithValue(ctx, starting{}, true)
}

// IsStarting reports whether a context is from [Starting]. Stores ask.
func IsStarting(ctx context.Context) bool {
	is, _ := ctx.Value(starting{}).(bool)
	return is
}

type starting struct{}
