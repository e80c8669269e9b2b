package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/driver/documents"
)

// A Store is a [store.Store] in a SQLite file.
type Store struct {
	inFlight inFlight
	readers  readers
	writer   writer
	versions versions
	counts   counts
	log      changeLog
	files    fileWatch
	number   numberWatch
	frequent frequentTrigrams
	docs     documents.Checker
	turn     writeTurn
	pool     hostPool
	migrated migrated
}

var (
	_ driver.RowVersioned = (*Store)(nil)
	_ store.ShortViewer   = (*Store)(nil)
)

// Options are the options of [Open]. nil and the zero Options are valid.
type Options struct {
	// BusyTimeout is how long an Update waits while another connection, of this
	// process or another, holds the write lock. 0 means 5 seconds, less than 0
	// not to wait. What a program does at its start waits at least a minute: Open,
	// Migrate, and Updates with the context of [store.Starting].
	BusyTimeout time.Duration

	// Readers is the number of Views that run at once; others wait. 0 means one for each
	// processor that Go uses, at least 4: reads are bound by the processor, and a few
	// more let short reads pass a long one. Two ShortViews may run in addition, so that a
	// sign-in, or the read of one object, never waits for searches.
	Readers int

	// CacheBytes is how much memory the cache of counts and anchors takes at most, with
	// the log of changed rows, in bytes. 0 means 8 MiB, which with the default of the
	// API's Limits.CacheBytes, 56 MiB, makes 64 MiB in all; less than 0 means no cache.
	// Nothing is cached for conditions of more than 1 KiB.
	CacheBytes int64

	// PageCacheBytes is how many bytes of pages each connection keeps at most: each reader,
	// the writer, and the connections of [Store.DB]. Sorting takes as much again. 0 means
	// 16 MiB: scans of a shop's tables take half the time that they take with SQLite's 2 MiB.
	PageCacheBytes int64

	// Logger gets what other programs have done to the file that they should not. The
	// default is [slog.Default].
	Logger *slog.Logger
}

func (o *Options) cacheBytes() int64 {
	if o == nil || o.CacheBytes == 0 {
		return 8 << 20
	}
	return o.CacheBytes
}

func (o *Options) pageCacheBytes() int64 {
	if o == nil || o.PageCacheBytes <= 0 {
		return 16 << 20
	}
	return o.PageCacheBytes
}

func (o *Options) logger() *slog.Logger {
	if o == nil || o.Logger == nil {
		return slog.Default()
	}
	return o.Logger
}

func (o *Options) busyTimeout() time.Duration {
	switch {
	case o == nil || o.BusyTimeout == 0:
		return 5 * time.Second
	case o.BusyTimeout < 0:
		return 0
	}
	return o.BusyTimeout
}

func (o *Options) readers() int {
	if o == nil || o.Readers <= 0 {
		return max(4, runtime.GOMAXPROCS(0))
	}
	return o.Readers
}

// Open opens the file at path, creating it when it is missing. The path is
// taken as it is: no character has a meaning. Beside it the engine creates two
// more, path-wal and path-shm.
//
// Open returns [store.ErrUnavailable] when the file cannot be opened or is
// locked for too long, and the context's error when it ends first.
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("sqlite: the path names no file; package store/memory holds rows in memory")
	}
	// Connections are opened later, too, when the directory may be another.
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	s := &Store{turn: newWriteTurn()}
	s.docs.Log = o.logger()
	s.log.capacity = int(max(0, o.cacheBytes()/8))
	s.counts.Cache = countcache.New(o.cacheBytes() - int64(s.log.capacity))
	s.readers.init(path, o)
	if err := s.writer.init(ctx, s, o); err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, translate(ctx, err))
	}
	s.versions.init(s.writer.conn.db, &s.files)
	if err := s.files.init(s.writer.conn.db, o.logger()); err != nil {
		return nil, errors.Join(fmt.Errorf("sqlite: %w", err), s.Close())
	}
	return s, nil
}

func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.files.err(); err != nil {
		return err
	}
	if !s.inFlight.begin() {
		return errClosed
	}
	return nil
}

// Close implements [store.Store]. It checkpoints the WAL, so that the file can be
// copied alone, unless others have it open or it lost its name.
// Called from inside a transaction it never returns.
func (s *Store) Close() error {
	if !s.inFlight.close() {
		return nil
	}
	s.versions.close()
	keep := s.files.check() != nil // what another program may have put there
	return errors.Join(s.pool.close(), s.readers.close(keep), s.writer.close(keep))
}
