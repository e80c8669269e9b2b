// Package sqlite stores the rows of a shop in one SQLite file. It is the store
// to start with: nothing to install, nothing to configure.
//
//	st, err := sqlite.Open(ctx, "shop.db", nil)
//	…
//	defer st.Close()
//
// # What is promised
//
// A change that [Store.Update] reports as done survives a power cut: the file
// is in WAL mode with synchronous=FULL. Changes that wait for the disk together
// are committed together, each in a savepoint of its own, so that one that
// fails takes none of the others with it; a lone one does not wait.
//
// A [Store.View] reads one snapshot, taken when it begins, and never waits
// for a writer.
//
// Joined reads and writes, errors and cancellation are as [store.Store] says.
// A context that ends stops a wait for a lock at once and a long read soon, but
// not a statement that writes: that one ends before the change is rolled back.
//
// # The file belongs to the host
//
// Other connections, of this process through database/sql or of another one,
// may read and write the file at any time. What they commit is seen by the next
// View. Where they hold the write lock for longer than
// [Options.BusyTimeout], an Update fails with [store.ErrUnavailable].
//
// [Store.DB] is a pool of such connections for the host's code, and [ConnOf] runs
// the host's SQL inside a transaction of the store, so that both are committed
// together. Of other libraries one may open the file in the same process:
// modernc.org/sqlite, and what is built on it. It is the engine of the store and knows
// all connections of the process. A second engine, as in mattn/go-sqlite3 or
// ncruces/go-sqlite3, must not: when it closes the file it drops the locks of the
// store, takes itself for the last one and deletes the WAL. Another process may use
// any library.
//
// A store whose WAL was deleted, or whose file was replaced by another one, notices
// that before it acknowledges a change, on unix systems: from then on every transaction
// fails with [store.ErrUnavailable], until the file is opened again. Copying over the
// file in place cannot be noticed. To restore a backup, close the store first.
//
// A column marked fold has a second one beside it, its name with _fold, that
// holds [store.Fold] of the value. A program that writes such a column
// beside the store fills both.
//
// # Searches
//
// A table with columns marked search has a full-text index of their trigrams (FTS5), its
// name with .search, and a queue of the rows that have changed since they were indexed.
// Triggers fill the queue, so other programs write to the table as before, with any
// build of the library. The store indexes the rows that wait, 256 or more at once, with
// one of its own commits, and looks at the others one by one. A search for a part of
// three characters and more reads at most 4,000 rows that the index finds; where more may
// match, it scans the table.
//
// # What is cached
//
// The store is a [github.com/shopapi/shopapi/store/driver.Versioned]: it tells at
// once which tables have changed, also by other connections, from the WAL-index
// header that the engine updates with each commit. In memory it caches counts, and
// anchors in orders from which late pages are read (keyset pagination). Its own
// commits update both; those of others, and Migrate, invalidate them. A View is only
// given what belongs to its snapshot. It is a
// [github.com/shopapi/shopapi/store/driver.RowVersioned] too, and remembers the rows that
// its own last commits changed, so that an answer is read again only where one of them
// matters to it. Nothing is cached of tables that the host made
// otherwise than Migrate does, or has given triggers.
//
// # Locks
//
// Within the process, the file must not be opened and closed by yet other means,
// such as [os.ReadFile], while the store is open: on most systems closing it
// drops the locks that exclude other processes.
package sqlite
