package respcache

import (
	"context"

	"github.com/shopapi/shopapi/internal/cache"
	"github.com/shopapi/shopapi/store/driver"
)

// responses are the cached responses. The ones that were used last are in the first tier as
// they are sent. The others are packed: a packed response takes a fraction of the memory,
// and some microseconds to unpack, which is less than to make it anew.
type responses[R any] struct {
	ready  *cache.Cache[responseKey, response[R]]
	packed *cache.Cache[responseKey, packed[R]]
}

type response[R any] struct {
	value R
	reads *driver.ReadSet
	size  int64 // of the value
}

// Valid reports whether nothing that the response was read from has changed.
func (r response[R]) Valid(ctx context.Context) bool { return r.reads.Valid(ctx) }

// A Packed is a packed response.
type Packed[R any] interface {
	// Unpack returns the response. Ok is false if that fails.
	Unpack() (value R, ok bool)
	// Size is the size of the packed response in bytes.
	Size() int64
}

type packed[R any] struct {
	Packed[R]
	reads *driver.ReadSet
	size  int64 // of the value, unpacked
}

// Valid reports whether nothing that the response was read from has changed.
func (p packed[R]) Valid(ctx context.Context) bool { return p.reads.Valid(ctx) }

// newResponses returns a cache of so many bytes, a quarter of which is the first tier.
func newResponses[R any](bytes int64, pack func(R) Packed[R]) *responses[R] {
	first, largest := bytes/4, bytes/8
	c := &responses[R]{packed: cache.NewTier[responseKey, packed[R]](bytes-first, largest, nil)}
	c.ready = cache.NewTier(first, largest, func(key responseKey, r response[R]) {
		if p, ok := c.packed.Peek(key); ok && p.reads == r.reads {
			return
		}
		p := pack(r.value)
		c.packed.Put(key, packed[R]{p, r.reads, r.size}, p.Size()+int64(r.reads.Size()))
	})
	return c
}

// get returns the response of a key if it is valid. Invalid is true where there was a response that is
// not.
func (c *responses[R]) get(ctx context.Context, key responseKey) (value R, ok, invalid bool) {
	r, ok := c.ready.Get(ctx, key)
	if ok {
		return r.value, true, false
	}
	if r.reads != nil {
		return value, false, true
	}
	p, ok := c.packed.Get(ctx, key)
	if !ok {
		return value, false, p.reads != nil
	}
	if value, ok = p.Unpack(); ok {
		c.put(key, response[R]{value, p.reads, p.size})
	}
	return value, ok, false
}

// put caches a response in the first tier.
func (c *responses[R]) put(key responseKey, r response[R]) {
	c.ready.Put(key, r, r.size+int64(r.reads.Size()))
}
