// Package postgres stores the rows of a shop in PostgreSQL, for shops that run in
// more than one process or on more than one machine. Any number of them may share
// one database; a shop in one process needs no more than package sqlite.
//
//	st, err := postgres.Open(ctx, "postgres://shop@db1,db2/shop?target_session_attrs=read-write")
//	…
//	defer st.Close()
//
// # The database
//
// PostgreSQL 12 or later, encoded in UTF-8. [Store.Migrate] makes the tables with types
// of their own: bigint, boolean, numeric, and text compared by its bytes (COLLATE "C").
// Documents are text too, not jsonb, so that they are returned byte for byte; a document
// that another program made invalid reads as empty, and [log/slog.Default] reports its
// row once. Keys are identity columns. A column marked fold has a second column, its name
// with _fold, that contains [store.Fold] of the value. A column marked search has a
// trigram index if the extension pg_trgm is installed or can be; without it, searches
// scan.
//
// CockroachDB and YugabyteDB speak the protocol, and the SQL is what both document: no
// advisory locks, no gapless keys. Neither has been tried yet. There, insert rows with
// given keys, as a copy does, only while nothing else inserts: tables cannot be locked
// while the next key is moved.
//
// An index takes texts of up to about 2,500 bytes. Longer ones are refused with a
// [*store.TextError].
//
// # Transactions
//
// An Update is SERIALIZABLE. When the server reports a conflict with another transaction,
// or the connection is lost before COMMIT was sent, its function runs again, until its
// context ends or fifty runs have failed. A View is REPEATABLE READ, READ ONLY; its first
// read takes the snapshot in the same round trip, and a page and its total take one. The
// next transaction on the connection ends a View, or a timer does some milliseconds
// later.
//
// Updates that call [store.TakeTurnsTogether] and wait for each other in one process may be carried out
// one after another in one transaction, with one COMMIT. If that fails, each of them runs again by itself.
//
// Rows are collected before the function of Each is called, so that it may read more:
// limit queries of large tables.
//
// [TxOf] runs the host's SQL, with pgx, inside a transaction of the store, so that
// both are committed together.
//
// # Caching
//
// The store is a [github.com/shopapi/shopapi/store/driver.RowAsked]: triggers note which
// tables each transaction changes, and one question to the database says whether
// something cached is valid. [Store.Changed] is for changes that fire no trigger,
// [Options.NoCache] switches caching off. A store has one more connection than its pool.
//
// With [Options.Replicas], responses that may be cached are read on standbys. A View of a
// request reads there if its snapshot shows the tables in the versions that the primary reported
// after the request began; else it reads on the primary.
//
// # Faults
//
// A lost server returns [store.ErrUnavailable] at once; a hanging server, the context's
// error when it ends. A COMMIT whose response is lost is [store.ErrOutcomeUnknown], and
// is not tried again. Lost connections are replaced without an error if nothing had been
// done on them. With several hosts in the DSN and target_session_attrs=read-write,
// service goes on when a standby is promoted; with synchronous replication, no
// acknowledged change is lost.
//
// # Poolers
//
// Behind PgBouncer in transaction mode, or a pooler like it, a transaction runs in any
// session of the server. A connection detects a pooler in its first round trip, and then
// prepares nothing and ends each View at once. [Open] makes pgx prepare nothing either,
// for the host's SQL; in a pool given to [New], the host sets that (pgx's
// DefaultQueryExecMode). A DSN may set default_query_exec_mode.
//
// # Benchmarks
//
//	go test -run '^$' -bench 'Beside|Handler' ./store/postgres
//	go test -run '^$' -bench Processes -benchtime 1x ./store/postgres
//
// The first compares the store, and the API over it, with hand-written pgx for the same
// queries; the second compares one process with two.
package postgres
