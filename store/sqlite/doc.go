// Package sqlite stores the rows of a shop in one SQLite file. It is the store
// to start with: nothing to install, nothing to configure.
//
//	st, err := sqlite.Open(ctx, "shop.db", nil)
//	…
//	defer st.Close()
//
// # Guarantees
//
// A change that [Store.Update] reports as done survives a power cut: the file is in WAL
// mode with synchronous=FULL. Changes that wait at the same time are committed together. A
// change that fails does not affect the others: where it has written, all of them are rolled
// back and the others run again, each in a savepoint for a while. A single change does not
// wait.
//
// A [Store.View] reads one snapshot, taken when it begins, and never waits
// for a writer.
//
// Joined reads and writes, errors and cancellation follow [store.Store]. The end of a
// context stops a wait for a lock at once and a long read soon, but not a write
// statement: it ends before the change is rolled back.
//
// # The file belongs to the host
//
// Other connections, of this process through database/sql or of another one, may read and
// write the file at any time. The next View sees their commits. If another connection
// holds the write lock for longer than [Options.BusyTimeout], an Update fails with
// [store.ErrUnavailable].
//
// [Store.DB] is a pool of such connections for the host's code, and [ConnOf] runs the
// host's SQL inside a transaction of the store, so that both are committed together. In
// the same process, only modernc.org/sqlite and libraries built on it may open the file:
// it is the engine of the store and knows all connections of the process. A second
// engine, as in mattn/go-sqlite3 or ncruces/go-sqlite3, must not: when it closes the
// file, it drops the locks of the store, assumes to be the last connection and deletes
// the WAL. Another process may use any library.
//
// A store whose WAL was deleted, or whose file was replaced by another one, notices
// that before it acknowledges a change, on unix systems: from then on every transaction
// fails with [store.ErrUnavailable], until the file is opened again. Copying over the
// file in place cannot be noticed. To restore a backup, close the store first.
//
// A column marked fold has a second column, its name with _fold, that contains
// [store.Fold] of the value. Other programs that write such a column must write both.
//
// # Searches
//
// A table with columns marked search has a full-text index of their trigrams (FTS5),
// named like the table with .search, and a queue of the rows that changed since they were
// indexed. Triggers fill the queue, so other programs write to the table as before, with
// any build of the library. Once 640 rows wait, or 256 long ones, the store indexes them
// with one of its own commits; a search checks waiting rows one by one. A search for three
// or more characters reads at most 4,000 rows that the index finds; if more may match, it
// scans the table.
//
// # Caches
//
// The store is a [github.com/shopapi/shopapi/store/driver.Versioned]: it knows at once
// which tables have changed, also by other connections, from the WAL-index header that
// the engine updates with each commit. In memory it caches counts, and anchors in orders
// from which late pages are read (keyset pagination). Its own commits update both;
// commits of other connections, and Migrate, invalidate them. A View only gets entries of
// its snapshot. It is a [github.com/shopapi/shopapi/store/driver.RowVersioned] too, and
// logs the rows that its own last commits changed, so that a cached response is
// invalidated only by rows that affect it. Tables that the host created differently from
// Migrate, or that have the host's triggers, are not cached.
//
// # Locks
//
// Within the process, nothing else may open and close the file, such as [os.ReadFile],
// while the store is open: on most systems closing it drops the locks that exclude other
// processes.
package sqlite
