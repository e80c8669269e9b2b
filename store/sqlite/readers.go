package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
)

// readers is the pool of connections for Views. They are opened when needed;
// the one used last is used first, as its page cache is the warmest.
type readers struct {
	path     string
	patience time.Duration
	slots    chan struct{} // one for each connection in use

	mu   sync.Mutex
	idle []*conn
}

func (r *readers) init(path string, o *Options) {
	r.path, r.patience = path, o.busyTimeout()
	r.slots = make(chan struct{}, o.readers())
}

// take returns a connection that nobody uses. It must be put back.
func (r *readers) take(ctx context.Context) (*conn, error) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := r.pop(); c != nil {
		return c, nil
	}
	c, err := open(r.path, "BEGIN", r.patience, append(pragmas(), "query_only=1")...)
	if err != nil {
		<-r.slots
		return nil, translate(ctx, err)
	}
	return c, nil
}

func (r *readers) pop() *conn {
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

// put takes a connection back, and closes it if its transaction did not end.
func (r *readers) put(c *conn) {
	if c.db.InTransaction() {
		_ = c.close()
	} else {
		r.mu.Lock()
		r.idle = append(r.idle, c)
		r.mu.Unlock()
	}
	<-r.slots
}

func (r *readers) close() error {
	var errs []error
	for c := r.pop(); c != nil; c = r.pop() {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// view runs fn in a transaction that reads.
func (c *conn) view(ctx context.Context, s *Store, fn func(context.Context, store.Tx) error) error {
	if err := run(c.begin); err != nil {
		return translate(ctx, err)
	}
	c.db.Watch(ctx)
	t := &tx{conn: c, ctx: ctx}
	defer func() { // also when fn panics
		t.end()
		c.db.Unwatch()
		if run(c.commit) != nil {
			_ = c.abandon()
		}
	}()
	ctx, _ = store.NewSession(ctx, s, t, false)
	return fn(ctx, t)
}
