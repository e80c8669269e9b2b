// Package cache is a least-recently-used cache that is bounded by bytes and whose
// values say themselves whether they are still valid.
package cache

import (
	"container/list"
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
	capacity int64

	mu      sync.Mutex
	bytes   int64
	entries map[K]*list.Element
	recent  *list.List // of *entry[K, V], the last used first
}

type entry[K comparable, V Value] struct {
	key   K
	value V
	size  int64
}

// overhead is the size of an entry without its key and value, in bytes: its slot in the
// map, the element of the list and the entry itself.
const overhead = 256

// New returns a cache of at most so many bytes. With 0 or less it holds nothing.
func New[K comparable, V Value](capacity int64) *Cache[K, V] {
	return &Cache[K, V]{capacity: capacity, entries: map[K]*list.Element{}, recent: list.New()}
}

// Get returns the value of a key, if there is one, and whether it is valid.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (value V, ok bool) {
	c.mu.Lock()
	element, ok := c.entries[key]
	if ok {
		c.recent.MoveToFront(element)
	}
	c.mu.Unlock()
	if !ok {
		return value, false
	}
	e := element.Value.(*entry[K, V])
	if e.value.Valid(ctx) { // outside the lock: it may take a while
		return e.value, true
	}
	if ctx.Err() != nil {
		return value, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(element)
	return e.value, false
}

// Put stores or replaces the value of the key. Size is the size of the key and the value,
// in bytes. A value of more than an eighth of the cache is not stored, so that no value
// can evict all others.
func (c *Cache[K, V]) Put(key K, value V, size int64) {
	size += overhead
	if size > c.capacity/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[key]; ok {
		c.evict(element)
	}
	c.entries[key] = c.recent.PushFront(&entry[K, V]{key, value, size})
	for c.bytes += size; c.bytes > c.capacity; {
		c.evict(c.recent.Back())
	}
}

// evict drops an element, unless that was done meanwhile.
func (c *Cache[K, V]) evict(element *list.Element) {
	e := element.Value.(*entry[K, V])
	if c.entries[e.key] != element {
		return
	}
	delete(c.entries, e.key)
	c.recent.Remove(element)
	c.bytes -= e.size
}
