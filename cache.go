package shopapi

import (
	"context"

	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store/driver"
)

// cached returns the response of the cache to the request, if its user is known
// and there is one.
func (a *API) cached(p *pipeline) (*response.Response, bool) {
	if p.user == nil || p.uncodable {
		return nil, false
	}
	c, ok, renewal := a.cache.Get(p.outer(), p.req, p.key, response.Variant(p.coding))
	if !ok {
		p.renewal = renewal
		return nil, false
	}
	p.done.Route, p.done.Cached = c.route, true
	return c.Response, true
}

// keep puts a response in the cache, with what it was read from.
func (a *API) keep(p *pipeline, r *response.Response, reads *driver.ReadSet) {
	c := &cachedResponse{r, p.done.Route}
	a.cache.Put(p.req, p.key, response.Variant(p.coding), c, reads, c.size())
}

// A cachedResponse is a response in the response cache.
type cachedResponse struct {
	*response.Response
	route Route
}

// size is the number of bytes that the response takes in the cache.
func (c *cachedResponse) size() int64 {
	const perName = 16
	return c.Size() + int64(perName*len(c.route.Parents))
}

// track returns a context that records reads, and a nil read set where nothing is cached.
func (a *API) track(ctx context.Context) (context.Context, *driver.ReadSet) {
	if !a.cache.Enabled() {
		return ctx, nil
	}
	reads := &driver.ReadSet{}
	return driver.WithReadSet(ctx, reads), reads
}

// cacheable reports whether the response of a target may be cached.
func (t *target) cacheable() bool {
	if t.op != OpGet && t.op != OpList || !t.entry.Cacheable {
		return false
	}
	for _, step := range t.parents {
		if !step.entry.Cacheable {
			return false
		}
	}
	return true
}
