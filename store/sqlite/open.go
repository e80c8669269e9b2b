package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// pageSize is the size of the pages of a new file, in bytes. An order changes more than twenty pages, most of
// them by one entry of an index, and a commit writes whole pages: with the engine's 4 KiB twice as much.
const pageSize = 2048

// A file is the database file that connections are opened to.
type file struct {
	path      string
	pageCache int64 // of each connection, in bytes
}

// open opens a connection with the pragmas that all connections have, and with others.
func (f file) open(busyTimeout time.Duration, others ...string) (*conn, error) {
	return open(f.path, busyTimeout, append([]string{
		"page_size=" + strconv.Itoa(pageSize), // of a new file
		"journal_mode=WAL",
		"synchronous=FULL",
		"journal_size_limit=33554432", // bytes of the WAL file that are left for reuse
		"cache_size=-" + strconv.FormatInt(max(1, f.pageCache>>10), 10), // in KiB
		"trusted_schema=0",
	}, others...)...)
}

func (w *writer) init(ctx context.Context, s *Store, o *Options) (err error) {
	w.store, w.busyTimeout, w.batchTime = s, o.busyTimeout(), batchTime
	if w.conn, err = openFirst(ctx, s.readers.file, startTimeout(w.busyTimeout)); err != nil {
		return err
	}
	w.conn.db.SetBusyTimeout(w.busyTimeout)
	w.conn.db.JoinFrames()
	for _, s := range []struct {
		stmt **engine.Stmt
		sql  string
	}{
		{&w.begin, "BEGIN IMMEDIATE"}, {&w.commit, "COMMIT"}, {&w.rollback, "ROLLBACK"},
		{&w.savepoint, "SAVEPOINT member"}, {&w.release, "RELEASE member"}, {&w.rollbackTo, "ROLLBACK TO member"},
	} {
		if *s.stmt, err = w.conn.db.Prepare(s.sql); err != nil {
			return err
		}
	}
	return nil
}

// startTimeout is how long a program that starts waits for a lock, where requests wait for
// busyTimeout. Other processes may create indexes meanwhile, or fill the tables.
func startTimeout(busyTimeout time.Duration) time.Duration {
	if busyTimeout == 0 {
		return 0
	}
	return max(busyTimeout, time.Minute)
}

// openFirst opens the connection that puts the file into WAL mode. When several
// processes do that to a new file at once, the engine reports SQLITE_BUSY to all
// but one without waiting, to avoid a deadlock.
func openFirst(ctx context.Context, f file, busyTimeout time.Duration) (*conn, error) {
	until := time.Now().Add(busyTimeout)
	for {
		c, err := f.open(busyTimeout)
		if err == nil {
			return c, checkMode(c)
		}
		if !isBusy(err) || !time.Now().Before(until) {
			return nil, err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// checkMode closes a connection that is not in WAL mode: where the file system
// has no shared memory, the engine stays in another mode and reports no error.
func checkMode(c *conn) error {
	mode := ""
	err := c.db.Query("PRAGMA journal_mode", nil, func(row []store.Value) error {
		mode = row[0].Text()
		return nil
	})
	if err == nil && mode != "wal" {
		err = fmt.Errorf("sqlite: the file's journal mode is %s and cannot be made WAL; is the file system a local one?", mode)
	}
	if err != nil {
		_ = c.close()
	}
	return err
}

// close checkpoints the WAL, unless the files are to be left as they are, and closes
// the connection. No Update runs any more.
func (w *writer) close(keep bool) (err error) {
	if keep {
		err = w.conn.db.NoCheckpointOnClose()
	} else {
		err = w.checkpoint()
	}
	for _, s := range []*engine.Stmt{w.begin, w.commit, w.rollback, w.savepoint, w.release, w.rollbackTo} {
		s.Finalize()
	}
	return errors.Join(err, w.conn.close())
}

// checkpoint checkpoints the WAL before it is closed. While others read, not all of it
// can be: they will.
func (w *writer) checkpoint() error {
	w.conn.db.SetBusyTimeout(min(w.busyTimeout, time.Second))
	err := w.conn.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	if err == nil || isBusy(err) {
		return nil
	}
	return fmt.Errorf("sqlite: checkpoint: %w", err)
}
