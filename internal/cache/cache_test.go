package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

type value struct {
	n     int
	stale atomic.Bool
}

func (v *value) Valid(context.Context) bool { return !v.stale.Load() }

func TestCache_BoundedByBytes(t *testing.T) {
	c := New[string, *value](100 * (1000 + overhead))
	for i := range 1000 {
		c.Put(fmt.Sprint(i), &value{n: i}, 1000)
		if _, ok := c.Get(t.Context(), "0"); !ok {
			t.Fatal("a value in use was evicted")
		}
	}
	if len(c.entries) != 100 || ringLen(c) != 100 || c.bytes != c.capacity {
		t.Errorf("%d entries, %d bytes; want 100 entries of %d bytes in all", len(c.entries), c.bytes, c.capacity)
	}
	if v, ok := c.Get(t.Context(), "999"); !ok || v.n != 999 {
		t.Errorf("got %v, %v for the last value", v, ok)
	}
	if _, ok := c.Get(t.Context(), "1"); ok {
		t.Error("the value used least recently is still there")
	}
}

func TestCache_ReplacesTheValueOfAKey(t *testing.T) {
	c := New[string, *value](100_000)
	c.Put("a", &value{n: 1}, 5000)
	c.Put("a", &value{n: 2}, 10)
	if v, ok := c.Get(t.Context(), "a"); !ok || v.n != 2 || c.bytes != 10+overhead || len(c.entries) != 1 {
		t.Errorf("got %v, %v; %d bytes, %d entries", v, ok, c.bytes, len(c.entries))
	}
}

func TestCache_EvictsInvalidValues(t *testing.T) {
	c := New[string, *value](100_000)
	v := &value{}
	c.Put("a", v, 10)
	v.stale.Store(true)
	if _, ok := c.Get(t.Context(), "a"); ok || c.bytes != 0 || len(c.entries) != 0 {
		t.Errorf("a stale value was returned, or %d bytes and %d entries are left", c.bytes, len(c.entries))
	}
}

// A value that cannot be checked, because the request has ended, is not returned and stays.
func TestCache_EndedContext(t *testing.T) {
	c := New[string, *value](100_000)
	v := &value{}
	c.Put("a", v, 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v.stale.Store(true)
	if _, ok := c.Get(ctx, "a"); ok {
		t.Error("a value that was not checked is returned")
	}
	v.stale.Store(false)
	if _, ok := c.Get(t.Context(), "a"); !ok {
		t.Error("a value that was not checked is evicted")
	}
}

func TestCache_NoValueTakesMoreThanAnEighth(t *testing.T) {
	c := New[string, *value](80_000)
	c.Put("fits", &value{}, 10_000-overhead)
	c.Put("large", &value{}, 10_001-overhead)
	if _, ok := c.Get(t.Context(), "fits"); !ok {
		t.Error("a value of an eighth is not stored")
	}
	if _, ok := c.Get(t.Context(), "large"); ok {
		t.Error("a value of more than an eighth is stored")
	}
	for _, capacity := range []int64{0, -1} {
		c := New[string, *value](capacity)
		c.Put("a", &value{}, 0)
		if _, ok := c.Get(t.Context(), "a"); ok {
			t.Errorf("a cache of %d bytes holds a value", capacity)
		}
	}
}

func TestCache_Concurrent(t *testing.T) {
	c := New[int, *value](20 * (100 + overhead))
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 2000 {
				key := (i * (g + 1)) % 30
				if v, ok := c.Get(t.Context(), key); ok {
					if v.n != key {
						t.Errorf("key %d has the value %d", key, v.n)
					}
					v.stale.Store(i%7 == 0)
				} else {
					c.Put(key, &value{n: key}, 100)
				}
			}
		})
	}
	group.Wait()
	var bytes int64
	for e := c.ring.next; e != &c.ring; e = e.next {
		bytes += e.size
	}
	if bytes != c.bytes || bytes > c.capacity || len(c.entries) != ringLen(c) {
		t.Errorf("%d bytes in the list, %d counted, %d allowed; %d and %d entries", bytes, c.bytes, c.capacity, ringLen(c), len(c.entries))
	}
}

// A tier hands over what others have displaced, and nothing else.
func TestTier_Displaced(t *testing.T) {
	var displaced []string
	c := NewTier(3*(10+overhead), 10+overhead, func(key string, _ *value) { displaced = append(displaced, key) })
	stale := &value{}
	for _, key := range []string{"a", "b", "c"} {
		c.Put(key, &value{}, 10)
	}
	c.Put("too large", &value{}, 11)
	c.Put("c", stale, 10)
	stale.stale.Store(true)
	if _, ok := c.Get(t.Context(), "c"); ok || len(displaced) > 0 {
		t.Errorf("got a stale value: %v; displaced %v, want nothing", ok, displaced)
	}
	if n := c.Len(); n != 2 {
		t.Errorf("%d values are there, want 2", n)
	}
	c.Get(t.Context(), "a")
	for _, key := range []string{"d", "e", "f"} {
		c.Put(key, &value{}, 10)
	}
	if want := []string{"b", "a"}; !slices.Equal(displaced, want) {
		t.Errorf("displaced %v, want %v", displaced, want)
	}
	if _, ok := c.Get(t.Context(), "too large"); ok {
		t.Error("a value that is too large was stored")
	}
}

// ringLen returns the number of entries in the ring, which it follows in both directions.
func ringLen[K comparable, V Value](c *Cache[K, V]) (n int) {
	for e := c.ring.next; e != &c.ring; e = e.next {
		if e.next.previous != e {
			return -1
		}
		n++
	}
	return n
}
