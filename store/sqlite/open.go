package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// pragmas are those of every connection.
func pragmas() []string {
	return []string{
		"journal_mode=WAL",
		"synchronous=FULL",
		"journal_size_limit=33554432", // bytes of the log's file that are kept for the next round
		"cache_size=-16384",           // KiB at most; scans of a shop's tables take half the time of the default 2 MiB
		"trusted_schema=0",
	}
}

func (w *writer) init(ctx context.Context, s *Store, path string, o *Options) (err error) {
	w.store, w.patience = s, o.busyTimeout()
	if w.conn, err = openFirst(ctx, path, w.patience); err != nil {
		return err
	}
	for _, s := range []struct {
		stmt **engine.Stmt
		sql  string
	}{
		{&w.begin, "BEGIN IMMEDIATE"}, {&w.commit, "COMMIT"}, {&w.rollback, "ROLLBACK"},
		{&w.savepoint, "SAVEPOINT member"}, {&w.release, "RELEASE member"}, {&w.withdraw, "ROLLBACK TO member"},
	} {
		if *s.stmt, err = w.conn.db.Prepare(s.sql); err != nil {
			return err
		}
	}
	return nil
}

// openFirst opens the connection that makes the file a WAL one. When several
// do that at once to a new file, the engine reports the lock at once to all but
// one, lest they wait for each other.
func openFirst(ctx context.Context, path string, patience time.Duration) (*conn, error) {
	until := time.Now().Add(patience)
	for {
		c, err := open(path, patience, pragmas()...)
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
// has no shared memory, the engine keeps another mode and reports no error.
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

// close writes the log back and closes the connection. Nobody writes any more.
func (w *writer) close() error {
	w.conn.db.SetPatience(min(w.patience, time.Second))
	// Not all of it can be written back while others read: they will.
	err := w.conn.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	if err != nil && !isBusy(err) {
		err = fmt.Errorf("sqlite: write the log back: %w", err)
	} else {
		err = nil
	}
	for _, s := range []*engine.Stmt{w.begin, w.commit, w.rollback, w.savepoint, w.release, w.withdraw} {
		s.Finalize()
	}
	if closing := w.conn.close(); err == nil {
		err = closing
	}
	return err
}
