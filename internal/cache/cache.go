// Package cache is a least-recently-used cache that is bounded by bytes and whose
// values say themselves whether they are still valid.
package cache

import (
	"context"
	"sync"
)

// A Value is a value in a [Cache]. Several goroutines may call its methods at once.
type Value interface {
	// Valid reports whether the value may still be used. Invalid values are evicted,
	// unless the context has ended.
	Valid(ctx context.Context) bool
}

// A Cache maps keys to values. It may be used by several goroutines at once.
type Cache[K comparable, V Value] struct {
	capacity, largest int64
	displaced         func(K, V) // nil for nothing

	mu      sync.Mutex
	bytes   int64
	entries map[K]*entry[K, V]
	ring    entry[K, V] // its next is the entry used last, its previous the one to evict
}

// An entry is in the ring of all entries.
type entry[K comparable, V Value] struct {
	next, previous *entry[K, V]
	key            K
	value          V
	size           int64
}

// overhead is the size of an entry without its key and value, in bytes, with its slot in the
// map.
const overhead = 112

// New returns a cache of at most so many bytes. With 0 or less it holds nothing. A value of
// more than an eighth of the cache is not stored, so that no value can evict all others.
func New[K comparable, V Value](capacity int64) *Cache[K, V] {
	return NewTier[K, V](capacity, capacity/8, nil)
}

// NewTier returns a cache of at most so many bytes that stores no larger value than largest,
// and calls displaced with each value that others have displaced. A value that is replaced or
// no longer valid is not displaced.
func NewTier[K comparable, V Value](capacity, largest int64, displaced func(K, V)) *Cache[K, V] {
	c := &Cache[K, V]{capacity: capacity, largest: largest, displaced: displaced, entries: map[K]*entry[K, V]{}}
	c.ring.next, c.ring.previous = &c.ring, &c.ring
	return c
}

// Get returns the value of a key, if there is one, and whether it is valid.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (value V, ok bool) {
	c.mu.Lock()
	e, ok := c.entries[key]
	if ok {
		e.unlink()
		c.link(e)
	}
	c.mu.Unlock()
	if !ok {
		return value, false
	}
	if e.value.Valid(ctx) { // outside the lock: it may take a while
		return e.value, true
	}
	if ctx.Err() != nil {
		return value, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(e)
	return e.value, false
}

// Len returns the number of values.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

// Put stores or replaces the value of the key. Size is the size of the key and the value,
// in bytes.
func (c *Cache[K, V]) Put(key K, value V, size int64) {
	size += overhead
	if size > c.largest {
		return
	}
	displaced := c.put(&entry[K, V]{key: key, value: value, size: size})
	if c.displaced == nil {
		return
	}
	for _, e := range displaced { // outside the lock: it may take a while
		c.displaced(e.key, e.value)
	}
}

func (c *Cache[K, V]) put(e *entry[K, V]) (displaced []*entry[K, V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[e.key]; ok {
		c.evict(old)
	}
	c.entries[e.key] = e
	c.link(e)
	for c.bytes += e.size; c.bytes > c.capacity; {
		last := c.ring.previous
		c.evict(last)
		if c.displaced != nil {
			displaced = append(displaced, last)
		}
	}
	return displaced
}

// evict drops an entry, unless that was done meanwhile.
func (c *Cache[K, V]) evict(e *entry[K, V]) {
	if c.entries[e.key] != e {
		return
	}
	delete(c.entries, e.key)
	e.unlink()
	c.bytes -= e.size
}

// link makes an entry the last that was used.
func (c *Cache[K, V]) link(e *entry[K, V]) {
	e.next, e.previous = c.ring.next, &c.ring
	e.next.previous, e.previous.next = e, e
}

func (e *entry[K, V]) unlink() { e.next.previous, e.previous.next = e.previous, e.next }
