package respcache

import (
	"context"

	"github.com/shopapi/shopapi/internal/cache"
	"github.com/shopapi/shopapi/store/driver"
)

// responses are the cached responses. The ones that were used last are in the first tier as
// they are sent. The others are packed: a packed response takes a fraction of the memory,
// and some microseconds to unpack, which is less than to make it anew. A packed response that is
// asked for again soon comes into the first tier.
type responses[R any] struct {
	ready  *cache.Cache[responseKey, response[R]]
	packed packedTier[R]
}

type response[R any] struct {
	value R
	reads *driver.ReadSet
	size  int32  // of the value
	from  uint32 // the id of the packed response, 0 where the response was not packed yet
}

// Valid reports whether nothing that the response was read from has changed.
func (r response[R]) Valid(ctx context.Context) bool { return r.reads.Valid(ctx) }

// newResponses returns a cache of so many bytes in each of the tiers.
func newResponses[R any](ready, packed int64, packer Packer[R]) *responses[R] {
	largest := ready / 2
	c := &responses[R]{packed: packedTier[R]{packer: packer, largest: largest, log: newLog(packed)}}
	c.ready = cache.NewTier(ready, largest, c.packed.put)
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
	// As many as the first tier has would have displaced the response there.
	r, promote, ok, invalid := c.packed.get(ctx, key, uint32(c.ready.Len()))
	if promote {
		c.put(key, r)
	}
	return r.value, ok, invalid
}

// put caches a response in the first tier.
func (c *responses[R]) put(key responseKey, r response[R]) {
	c.ready.Put(key, r, int64(r.size)+int64(r.reads.Size()))
}
