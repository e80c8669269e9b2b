package respcache

import (
	"context"
	"sync/atomic"

	"github.com/shopapi/shopapi/internal/cache"
	"github.com/shopapi/shopapi/store/driver"
)

// responses are the cached responses. The ones that were used last are in the first tier as
// they are sent. The others are packed: a packed response takes a fraction of the memory,
// and some microseconds to unpack, which is less than to make it anew.
type responses[R any] struct {
	ready  *cache.Cache[responseKey, response[R]]
	packed *cache.Cache[responseKey, packed[R]]
	forms  driver.ReadForms
	ids    atomic.Uint32
}

type response[R any] struct {
	value R
	reads *driver.ReadSet
	size  int32  // of the value
	from  uint32 // the id of the packed response, 0 where the response was not packed yet
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
	row   *driver.RowRead // the read set of one row; nil for others
	reads *driver.ReadSet // nil where row is not
	size  int32           // of the value, unpacked
	id    uint32
}

// readSet returns the read set of the response.
func (p packed[R]) readSet() *driver.ReadSet {
	if p.row != nil {
		return p.row.ReadSet()
	}
	return p.reads
}

// Valid reports whether nothing that the response was read from has changed.
func (p packed[R]) Valid(ctx context.Context) bool { return p.readSet().Valid(ctx) }

// newResponses returns a cache of so many bytes, a quarter of which is the first tier.
func newResponses[R any](bytes int64, pack func(R) Packed[R]) *responses[R] {
	first, largest := bytes/4, bytes/8
	c := &responses[R]{packed: cache.NewTier[responseKey, packed[R]](bytes-first, largest, nil)}
	c.ready = cache.NewTier(first, largest, func(key responseKey, r response[R]) { c.pack(key, r, pack) })
	return c
}

// pack caches a response that was displaced from the first tier in the second one, unless it came from
// there and is there still.
func (c *responses[R]) pack(key responseKey, r response[R], pack func(R) Packed[R]) {
	if p, ok := c.packed.Peek(key); ok && r.from != 0 && p.id == r.from {
		if p.row != nil {
			p.row.Renew(r.reads)
		}
		return
	}
	p := packed[R]{Packed: pack(r.value), size: r.size, id: c.ids.Add(1)}
	row, reads := c.forms.Row(r.reads)
	if p.row = row; row == nil {
		p.reads, reads = r.reads, int64(r.reads.Size())
	}
	c.packed.Put(key, p, p.Size()+reads)
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
		return value, false, p.Packed != nil
	}
	if value, ok = p.Unpack(); ok {
		c.put(key, response[R]{value, p.readSet(), p.size, p.id})
	}
	return value, ok, false
}

// put caches a response in the first tier.
func (c *responses[R]) put(key responseKey, r response[R]) {
	c.ready.Put(key, r, int64(r.size)+int64(r.reads.Size()))
}
