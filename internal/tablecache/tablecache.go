// Package tablecache caches values that are read from tables that seldom change.
package tablecache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi/internal/cache"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A Cache has values that were read from the tables of a store, by keys. A value is used
// until one of the rows changes that it was read from, whoever changes them. In an Update
// that changes the table, and over a store that does not know its versions, it is read
// anew, or once for the Update. Callers must not alter the values. It may be used by
// several goroutines at once.
//
// It is an interface, since the compiler would compile the generic methods of a struct again for
// each package that imports an entity with a cache.
type Cache[K comparable, V any] interface {
	// Get returns the value of a key, which load reads in the transaction of ctx, or in a View
	// of its own. It adds what the value was read from to the read set of ctx.
	Get(ctx context.Context, key K, load func(store.Tx) (V, error)) (V, error)

	// InUpdate returns the value of a key as the transaction tx of ctx sees it, which load
	// reads. In a View it is always read.
	InUpdate(ctx context.Context, tx store.Tx, key K, load func(store.Tx) (V, error)) (V, error)

	// AllInUpdate is InUpdate for many keys: load reads the values that are not cached, together.
	AllInUpdate(ctx context.Context, tx store.Tx, keys []K, load func(tx store.Tx, keys []K) (map[K]V, error)) (map[K]V, error)

	// Changed is called when this process has changed a value.
	Changed()
}

// New returns a cache of at most so many bytes for values that are read from some tables
// of st. Size returns the size of a value with its key, in bytes.
func New[K comparable, V any](st store.Store, bytes int64, size func(V) int64, tables ...*store.Schema) Cache[K, V] {
	return NewAging[K](st, 0, bytes, size, tables...)
}

// NewAging is New, except that over a store that cannot detect changes a value is used for maxAge,
// unless this process changes one before: see Changed. New does not cache such a value.
func NewAging[K comparable, V any](st store.Store, maxAge time.Duration, bytes int64, size func(V) int64, tables ...*store.Schema) Cache[K, V] {
	return &tableCache[K, V]{maxAge: maxAge, st: st, size: size, tables: tables, cached: cache.New[K, *entry[V]](bytes)}
}

// tableCache implements [Cache].
type tableCache[K comparable, V any] struct {
	maxAge  time.Duration
	st      store.Store
	size    func(V) int64
	tables  []*store.Schema
	cached  *cache.Cache[K, *entry[V]]
	changes atomic.Uint64 // by this process
}

// entry is a value with its read set.
type entry[V any] struct {
	value V
	reads *driver.ReadSet

	// If the read set is not complete, the value is used until then unless the counter
	// changes.
	until   time.Time
	changes uint64
	counter *atomic.Uint64
}

// Valid implements [cache.Value].
func (e *entry[V]) Valid(ctx context.Context) bool {
	return e.reads.Valid(ctx) || e.changes == e.counter.Load() && time.Now().Before(e.until)
}

// keptKey is the key of a value in an Update.
type keptKey[K comparable, V any] struct {
	cache *tableCache[K, V]
	key   K
}

func (c *tableCache[K, V]) Changed() { c.changes.Add(1) }

func (c *tableCache[K, V]) InUpdate(ctx context.Context, tx store.Tx, key K, load func(store.Tx) (V, error)) (V, error) {
	if !driver.InUpdate(ctx, c.st) {
		return load(tx)
	}
	return c.Get(ctx, key, load)
}

func (c *tableCache[K, V]) AllInUpdate(ctx context.Context, tx store.Tx, keys []K, load func(tx store.Tx, keys []K) (map[K]V, error)) (map[K]V, error) {
	if !driver.InUpdate(ctx, c.st) || !driver.MayUseCached(ctx, c.st) {
		return load(tx, keys)
	}
	values := make(map[K]V, len(keys))
	var missing []K
	for _, key := range keys {
		if e, ok := c.cached.Get(ctx, key); ok {
			driver.ReadSetOf(ctx).Merge(e.reads)
			values[key] = e.value
		} else {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return values, nil
	}
	var read map[K]V
	reads := new(driver.ReadSet)
	_, err := reads.JoinInto(ctx, c.st, func(_ context.Context, tx store.Tx) (err error) {
		read, err = load(tx, missing)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, key := range missing {
		values[key] = read[key]
		if reads.Complete() {
			c.put(key, &entry[V]{value: read[key], reads: reads, counter: &c.changes})
		}
	}
	return values, nil
}

func (c *tableCache[K, V]) Get(ctx context.Context, key K, load func(store.Tx) (V, error)) (V, error) {
	if driver.MayUseCached(ctx, c.st) {
		if e, ok := c.cached.Get(ctx, key); ok {
			driver.ReadSetOf(ctx).Merge(e.reads)
			return e.value, nil
		}
	}
	inUpdate := keptKey[K, V]{c, key}
	if v, ok := driver.Kept(ctx, c.st, inUpdate); ok {
		return v.(V), nil
	}
	e := &entry[V]{reads: new(driver.ReadSet), counter: &c.changes, changes: c.changes.Load()}
	read := func(_ context.Context, tx store.Tx) (err error) {
		e.value, err = load(tx)
		return err
	}
	joined, err := e.reads.JoinInto(ctx, c.st, read)
	if !joined {
		return c.view(ctx, key, e, read)
	}
	switch {
	case err != nil:
	case e.reads.Complete():
		c.put(key, e)
	default:
		driver.Keep(ctx, c.st, inUpdate, e.value, c.tables...)
	}
	return e.value, err
}

// view reads a value in a View of its own.
func (c *tableCache[K, V]) view(ctx context.Context, key K, e *entry[V], read func(context.Context, store.Tx) error) (V, error) {
	began := time.Now()
	if err := store.ShortView(driver.WithReadSet(ctx, e.reads), c.st, read); err != nil {
		return e.value, err
	}
	if !e.reads.Began() { // it joined a transaction through a store that wraps the store of that transaction
		return e.value, nil
	}
	driver.ReadSetOf(ctx).Merge(e.reads)
	if e.reads.Complete() {
		c.put(key, e)
	} else if c.maxAge > 0 {
		e.until = began.Add(c.maxAge)
		c.put(key, e)
	}
	return e.value, nil
}

func (c *tableCache[K, V]) put(key K, e *entry[V]) {
	c.cached.Put(key, e, c.size(e.value)+int64(e.reads.Size()))
}
