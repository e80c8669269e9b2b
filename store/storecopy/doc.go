// Package storecopy copies the tables of a shop from one store to another, such
// as from the SQLite file that it began with to PostgreSQL, or back. The command
// cmd/shopctl does that from a terminal.
//
//	from, err := sqlite.Open(ctx, "shop.db", nil)
//	…
//	to, err := postgres.Open(ctx, "postgres://…")
//	…
//	report, err := storecopy.Copy(ctx, to, from, shop.Schemas(), nil)
//
// No write to either store may come meanwhile: stop the shop first. Rows keep
// their ids, and the next id of a table will be the one that the first store would
// have given, so that the id of an object that was removed does not return.
//
// A copy that was stopped, or killed, goes on where it was when it is started
// again. When all rows are there, both stores are read again and compared by
// counts and checksums.
package storecopy
