// Package storecopy copies the tables of a shop from one store to another, such as from
// SQLite to PostgreSQL, or back. The command cmd/shopctl calls it.
//
//	from, err := sqlite.Open(ctx, "shop.db", nil)
//	…
//	to, err := postgres.Open(ctx, "postgres://…")
//	…
//	schemas, err := shop.SchemasOf(ctx, from)
//	…
//	report, err := storecopy.Copy(ctx, to, from, schemas, nil)
//
// Nothing may write to either store meanwhile: stop the shop first. Rows keep their ids,
// and each table continues with the next id of the first store, so that ids of deleted
// objects are not assigned again.
//
// An interrupted copy continues where it stopped when it is started again. A store that has
// other rows in any of the tables is refused before anything is written to it. At the end, both
// stores are read again and compared by counts and checksums.
package storecopy
