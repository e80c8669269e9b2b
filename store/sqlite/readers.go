package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// View implements [store.Store].
func (s *Store) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s, false, fn); joined {
		return err
	}
	v, err := s.begin(ctx, false)
	if err != nil {
		return err
	}
	defer v.end()
	return fn(v.ctx, v.session.Tx())
}

// ShortView implements [store.ShortViewer].
func (s *Store) ShortView(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s, false, fn); joined {
		return err
	}
	v, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer v.end()
	return fn(v.ctx, v.session.Tx())
}

// A view is a View that has begun.
type view struct {
	tx      *tx
	reader  *reader
	ctx     context.Context // in which its function runs
	session *driver.Session
}

// begin begins a View, which must be ended: it takes a connection, and a snapshot on it.
func (s *Store) begin(ctx context.Context, short bool) (view, error) {
	if err := s.enter(ctx); err != nil {
		return view{}, err
	}
	r, err := s.readers.take(ctx, short, s.files.check)
	if err != nil {
		s.inFlight.end()
		return view{}, err
	}
	v := view{tx: &tx{store: s, conn: r.conn, ctx: ctx}, reader: r}
	v.ctx, v.session = driver.NewSession(ctx, s, v.tx, false)
	r.db.InterruptOn(ctx)
	if err = r.take(v.tx); err == nil {
		err = s.number.check(r.conn, v.tx.state)
	}
	if err != nil {
		v.end()
		return view{}, translate(ctx, err)
	}
	return v, nil
}

func (v *view) end() {
	v.reader.snapshot.Reset()
	v.reader.db.NoInterrupt()
	v.tx.end()
	s := v.tx.store
	s.readers.put(v.reader)
	s.inFlight.end()
}

// readers is the pool of connections for Views. They are opened when needed;
// the one used last is used first, as its page cache is the warmest.
type readers struct {
	file        file
	busyTimeout time.Duration
	slots       *fair.Lanes // one for each connection in use, and reserved ones for ShortViews

	mu   sync.Mutex
	idle []*reader
}

func (r *readers) init(path string, o *Options) {
	r.file, r.busyTimeout = file{path, o.pageCacheBytes()}, o.busyTimeout()
	r.slots = fair.NewLanes(o.readers(), reservedReaders)
}

// reservedReaders is how many ShortViews run beside as many Views as may.
const reservedReaders = 2

// take returns an idle connection, or a new one where check allows it. It must be put
// back.
func (r *readers) take(ctx context.Context, short bool, check func() error) (*reader, error) {
	slot, err := r.slots.Take(ctx, driver.ClientOf(ctx), short)
	if err != nil {
		return nil, err
	}
	c := r.pop()
	if c == nil {
		if c, err = r.open(ctx, check); err != nil {
			slot.Release()
			return nil, err
		}
	}
	c.slot = slot
	return c, nil
}

// open opens another connection. The path may lead to other files by now, so open checks
// that afterwards.
func (r *readers) open(ctx context.Context, check func() error) (*reader, error) {
	c, err := openReader(r.file, r.busyTimeout)
	if err != nil {
		return nil, translate(ctx, err)
	}
	if err := check(); err != nil {
		return nil, errors.Join(err, c.close(true))
	}
	return c, nil
}

func (r *readers) pop() *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.idle)
	if n == 0 {
		return nil
	}
	c := r.idle[n-1]
	r.idle = r.idle[:n-1]
	return c
}

// put takes a connection back.
func (r *readers) put(c *reader) {
	slot := c.slot
	r.mu.Lock()
	r.idle = append(r.idle, c)
	r.mu.Unlock()
	slot.Release()
}

func (r *readers) close(keep bool) error {
	var errs []error
	for c := r.pop(); c != nil; c = r.pop() {
		errs = append(errs, c.close(keep))
	}
	return errors.Join(errs...)
}

// A reader is a connection that only reads.
type reader struct {
	*conn
	snapshot *engine.Stmt
	slot     fair.Slot // of the View that uses it
}

// openReader opens a reader. Its snapshot is held by a statement that has begun
// and has not ended: a read transaction is open that long, which
// costs less than BEGIN and COMMIT, and begins at once where BEGIN would wait
// for the first read.
func openReader(f file, busyTimeout time.Duration) (*reader, error) {
	c, err := f.open(busyTimeout, "query_only=1")
	if err != nil {
		return nil, err
	}
	r := &reader{conn: c}
	if r.snapshot, err = c.db.Prepare("PRAGMA schema_version"); err != nil {
		_ = c.close()
		return nil, err
	}
	return r, nil
}

// close closes the connection. Keep leaves the files as they are.
func (r *reader) close(keep bool) error {
	r.snapshot.Finalize()
	var err error
	if keep {
		err = r.db.NoCheckpointOnClose()
	}
	return errors.Join(err, r.conn.close())
}

// snapshotTries is how often a snapshot is taken again when another commit came
// meanwhile: the cache only serves a View whose version is known.
const snapshotTries = 4

// take takes the snapshot of a transaction.
func (r *reader) take(t *tx) error {
	for tries := 1; ; tries++ {
		before := t.store.versions.current()
		if _, err := r.snapshot.Step(); err != nil {
			return err
		}
		if before != nil && t.store.versions.is(before) {
			t.state = before // so it was in between, when the snapshot was taken
			return nil
		}
		if before == nil || tries == snapshotTries {
			return nil
		}
		r.snapshot.Reset()
	}
}
