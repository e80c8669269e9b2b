// Package packed packs cached responses that were not used for some time.
package packed

import (
	"sync"

	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
)

// A Response is a cached response, with the route of its request.
type Response[Route any] struct {
	*response.Response
	Route Route
}

// A Packer packs the responses of each route and format as [response.Alike]. Several goroutines
// may use it at once.
type Packer[Route any] struct {
	key  func(*Route) string
	most int // routes and formats; the responses of others are not packed

	mu      sync.Mutex
	byRoute map[string]*alike[Route]
}

// alike are the responses of a route in a format.
type alike[Route any] struct {
	route Route
	response.Alike
}

// New returns a packer for a cache of so many bytes. The first response of each route, and its
// index, take 40 KiB, so that all of them take a twelfth of the bytes at most. Equal routes have
// equal keys.
func New[Route any](bytes int64, key func(*Route) string) *Packer[Route] {
	const perRoute = 40 << 10
	return &Packer[Route]{key: key, most: int(bytes / 12 / perRoute), byRoute: map[string]*alike[Route]{}}
}

// Pack implements [respcache.Packer].
func (p *Packer[Route]) Pack(buffer []byte, r *Response[Route]) ([]byte, respcache.Unpacker[*Response[Route]], int64) {
	of := p.alike(r, nil)
	if of == nil {
		return buffer, r, r.Size()
	}
	bytes, ok := of.Pack(buffer, r.Response)
	if ok && len(bytes)-len(buffer) > len(r.Body)/2 && len(r.Body) >= 2*of.FirstLen() {
		of = p.alike(r, of)
		bytes, ok = of.Pack(buffer, r.Response)
	}
	if !ok {
		return buffer, r, r.Size()
	}
	return bytes, of, 0
}

// alike returns the responses that one resembles, nil where there are too many routes. If the
// first of them was poor, such as one of few chosen fields, r becomes the first of new ones.
func (p *Packer[Route]) alike(r *Response[Route], poor *alike[Route]) *alike[Route] {
	key := r.ContentType() + "/" + p.key(&r.Route)
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.byRoute[key]
	if of == nil && len(p.byRoute) < p.most || of != nil && of == poor {
		of = &alike[Route]{route: r.Route}
		p.byRoute[key] = of
	}
	return of
}

// Unpack implements [respcache.Unpacker] for a response that is not packed.
func (r *Response[Route]) Unpack([]byte) (*Response[Route], bool) { return r, true }

// Unpack implements [respcache.Unpacker].
func (a *alike[Route]) Unpack(packed []byte) (*Response[Route], bool) {
	r, ok := a.Alike.Unpack(packed)
	return &Response[Route]{r, a.route}, ok
}
