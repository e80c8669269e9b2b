package engine

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/shopapi/shopapi/store"
)

// A Conn is a connection to one database file.
type Conn struct {
	tls *libc.TLS
	db  uintptr // *sqlite3

	ctx           context.Context // of the current transaction; nil when it cannot end
	interruptible bool            // the statement that runs may be stopped half-way
	stopsWrites   bool            // also if it writes
	busyTimeout   time.Duration
	busySince     time.Time
	searched      int // bytes since the context was checked
	walPages      int
	walCommits    int
	frames        frameJoiner

	authorize func(*Action) bool // nil allows everything
}

// Open opens the file, creating it when it is missing. The path is taken as it
// is, never as a URI. busyTimeout is how long a statement waits for a lock
// that another connection holds.
func Open(path string, busyTimeout time.Duration) (*Conn, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, fmt.Errorf("sqlite: the path %q holds a NUL", path)
	}
	c := &Conn{tls: libc.NewTLS(), busyTimeout: busyTimeout}
	if err := c.open(path); err != nil {
		c.tls.Close()
		return nil, err
	}
	self := uintptr(unsafe.Pointer(c))
	sqlite3.Xsqlite3_busy_handler(c.tls, c.db, functionPointer(onBusy), self)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.db, progressSteps, functionPointer(onProgress), self)
	sqlite3.Xsqlite3_wal_hook(c.tls, c.db, functionPointer(onCommit), self)
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.db, functionPointer(onAuthorize), self)
	err := c.configure()
	if err == nil {
		err = c.createSearch(self)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Conn) open(path string) error {
	name, err := libc.CString(path)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	handle := c.alloc(int(unsafe.Sizeof(uintptr(0))))
	defer libc.Xfree(c.tls, handle)

	// Without a mutex: a Conn is used by one goroutine at a time.
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE |
		sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_EXRESCODE
	rc := sqlite3.Xsqlite3_open_v2(c.tls, name, handle, flags, 0)
	c.db = *at[uintptr](handle) // set also on most failures
	if rc != sqlite3.SQLITE_OK {
		err := c.failure(rc)
		sqlite3.Xsqlite3_close_v2(c.tls, c.db)
		return err
	}
	return nil
}

// configure has the engine use one plan for a statement whatever is bound to it.
// Otherwise each new LIMIT, say, would plan the statement again.
func (c *Conn) configure() error { return c.set(sqlite3.SQLITE_DBCONFIG_ENABLE_QPSG) }

// Close closes the connection. All its statements must be finalized.
func (c *Conn) Close() error {
	if rc := sqlite3.Xsqlite3_close(c.tls, c.db); rc != sqlite3.SQLITE_OK {
		return c.failure(rc)
	}
	libc.Xfree(c.tls, c.frames.memory)
	c.tls.Close()
	return nil
}

// InTransaction reports whether a transaction is open. Some errors, such as a
// full disk, end it.
func (c *Conn) InTransaction() bool {
	return sqlite3.Xsqlite3_get_autocommit(c.tls, c.db) == 0
}

// Changes is the number of rows that the last INSERT, UPDATE or DELETE
// changed.
func (c *Conn) Changes() int64 { return sqlite3.Xsqlite3_changes64(c.tls, c.db) }

// TotalChanges is the number of rows that the connection ever changed, also
// through triggers.
func (c *Conn) TotalChanges() int64 { return sqlite3.Xsqlite3_total_changes64(c.tls, c.db) }

// LastInsertRowID is the key of the row that the last INSERT added.
func (c *Conn) LastInsertRowID() int64 { return sqlite3.Xsqlite3_last_insert_rowid(c.tls, c.db) }

// WALPages is how many pages the WAL had after the last commit of this connection,
// which does not checkpoint it by itself.
func (c *Conn) WALPages() int { return c.walPages }

// WALCommits is how many transactions this connection has written to the WAL.
func (c *Conn) WALCommits() int { return c.walCommits }

// onCommit is called by the engine after a commit.
func onCommit(_ *libc.TLS, conn, _, _ uintptr, pages int32) int32 {
	c := at[Conn](conn)
	c.walPages = int(pages)
	c.walCommits++
	return sqlite3.SQLITE_OK
}

// Exec runs one statement and skips the rows that it returns.
func (c *Conn) Exec(sql string, args ...store.Value) error {
	return c.Query(sql, args, nil)
}

// Query runs one statement and calls each, if not nil, for every row.
func (c *Conn) Query(sql string, args []store.Value, each func(row []store.Value) error) error {
	s, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	defer s.Finalize()
	if err := s.Bind(args); err != nil {
		return err
	}
	row := make([]store.Value, s.Columns())
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
		if each == nil {
			continue
		}
		s.Row(row)
		if err := each(row); err != nil {
			return err
		}
	}
}
