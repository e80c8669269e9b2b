package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/dialect"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// mix is a realistic mix of requests: of ten entities, nine reads for each write, some objects
// and pages far more often than others. It runs after the others' creates are counted.
var mix = operation{Name: "mix of reads and writes", Connections: readers, whole: true, requests: func(p *peer.Process, s scale) [][]byte {
	all := mixed(s)
	requests := make([][]byte, len(all))
	for i, r := range all {
		requests[i] = load.Request(r.method, r.target, p.Authorization, r.body)
	}
	return requests
}}

// A mixRequest is a request of the mix.
type mixRequest struct{ method, target, body string }

// kinds are the requests of the mix, with the percentage of each.
var kinds = []struct {
	percent int
	make    func(m *mixer) mixRequest
}{
	{15, func(m *mixer) mixRequest { return get("/api/2.0/products/%d", m.product()) }},
	{10, func(m *mixer) mixRequest {
		return get("/api/2.0/products?status=A&items_per_page=10&page=%d", m.zipf(m.products/10))
	}},
	{10, func(m *mixer) mixRequest { return get("%s", m.shop.Category(m.zipf(m.rows))) }},
	{5, func(m *mixer) mixRequest {
		return get("/api/2.0/categories?parent_id=%d&items_per_page=10", m.zipf(100))
	}},
	{10, func(m *mixer) mixRequest { return get("/api/2.0/orders/%d", m.zipf(m.rows)) }},
	{10, func(m *mixer) mixRequest {
		lists := hotOrders(10)
		return get("%s", m.shop.Orders(lists[m.zipf(len(lists))-1]))
	}},
	{5, func(m *mixer) mixRequest { return get("/api/2.0/users/%d", m.user()) }},
	{5, func(m *mixer) mixRequest {
		return get("/api/2.0/users?user_type=C&items_per_page=10&page=%d", m.zipf(data.Users/10))
	}},
	{3, func(m *mixer) mixRequest { return get("%s", m.shop.Review(m.zipf(m.rows))) }},
	{5, func(m *mixer) mixRequest {
		lists := hotLists(m.scale, 10)
		return get("%s", m.shop.List(lists[m.zipf(len(lists))-1]))
	}},
	{3, func(m *mixer) mixRequest { return get("/api/2.0/pages/%d", m.zipf(data.Pages)) }},
	{2, func(m *mixer) mixRequest {
		return get("/api/2.0/pages?items_per_page=10&page=%d", m.zipf(data.Pages/10))
	}},
	{2, func(*mixer) mixRequest { return get("/api/2.0/statuses") }},
	{2, func(*mixer) mixRequest { return get("/api/2.0/payments") }},
	{2, func(*mixer) mixRequest { return get("/api/2.0/shippings") }},
	{1, func(*mixer) mixRequest { return get("/api/2.0/languages") }},

	{3, func(m *mixer) mixRequest {
		return mixRequest{"PUT", fmt.Sprintf("/api/2.0/products/%d", m.product()), fmt.Sprintf(`{"amount": "%d"}`, data.Stock-m.IntN(1000))}
	}},
	{2, func(m *mixer) mixRequest {
		return mixRequest{"PUT", fmt.Sprintf("/api/2.0/orders/%d", m.zipf(m.rows)), fmt.Sprintf(`{"details": %q}`, data.Message(m.Int()))}
	}},
	{2, func(m *mixer) mixRequest {
		return mixRequest{"POST", "/api/2.0/orders", fmt.Sprintf(`{"user_id": "%d", "payment_id": "%d", "shipping_id": "%d", "products": {"%d": {"amount": "1"}}}`,
			m.user(), data.Payment, data.Shipping, m.product())}
	}},
	{1, func(m *mixer) mixRequest {
		return mixRequest{"PUT", m.shop.Review(m.zipf(m.rows)), fmt.Sprintf(`{"message": %q}`, data.Message(m.Int()))}
	}},
	{1, func(m *mixer) mixRequest {
		return mixRequest{"POST", "/api/2.0/discussions", fmt.Sprintf(`{"object_type": "P", "object_id": "%d", "name": "Bench", "message": %q, "rating_value": "5"}`,
			m.product(), data.Message(m.Int()))}
	}},
	{1, func(m *mixer) mixRequest {
		return mixRequest{"PUT", fmt.Sprintf("/api/2.0/users/%d", m.user()), fmt.Sprintf(`{"fax": "%d"}`, m.IntN(1_000_000))}
	}},
}

func get(format string, args ...any) mixRequest {
	return mixRequest{"GET", fmt.Sprintf(format, args...), ""}
}

// A mixer chooses requests: always the same ones.
type mixer struct {
	*rand.Rand
	scale
	products int
	shop     dialect.Dialect
	zipfs    map[int]*rand.Zipf // by their range
}

// zipf returns a number from 1 to n: few of them often, spread over the whole range.
func (m *mixer) zipf(n int) int {
	n = max(1, n)
	z := m.zipfs[n]
	if z == nil {
		z = rand.NewZipf(m.Rand, 1.1, 1, uint64(n-1))
		m.zipfs[n] = z
	}
	const prime = 7919
	return 1 + int(z.Uint64())*prime%n
}

func (m *mixer) product() int { return m.zipf(m.products) }

// user returns the id of a customer. User 1 sends the requests.
func (m *mixer) user() int { return 1 + m.zipf(data.Users) }

// mixed returns the requests of the mix to the library.
func mixed(s scale) []mixRequest {
	m := &mixer{rand.New(rand.NewPCG(7, 7)), s, data.Products(s.rows), dialect.Of(peer.Shop), map[int]*rand.Zipf{}}
	var all []mixRequest
	for _, kind := range kinds {
		for range kind.percent * 200 {
			all = append(all, kind.make(m))
		}
	}
	return all
}

// mixTargets returns the addresses of the mix's reads.
func mixTargets(s scale) []string {
	var targets []string
	for _, r := range mixed(s) {
		if r.method == "GET" {
			targets = append(targets, r.target)
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}
