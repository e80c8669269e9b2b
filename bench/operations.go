package main

import (
	"math/rand/v2"
	"slices"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/dialect"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// An operation is a row of the table.
type operation struct {
	Name        string
	Connections int
	writing     bool // with a writer that commits 50 times a second
	lonely      bool // the two hand-written handlers are the same: one takes part
	sells       bool // on orders, which only some peers have
	whole       bool // on entities that only the library has
	each        bool // the warm-up sends every request once, however many there are
	status      int  // of success, 0 for any 2xx
	requests    func(p *peer.Process, s scale) [][]byte
}

// A scale is the size of a run.
type scale struct{ rows int }

// The names of the operations.
const (
	getHot         = "GET one, 1,000 hot ids"
	getRandom      = "GET one, random over all rows"
	list10         = "list of 10, 100 hot queries"
	list100        = "list of 100, 100 hot queries"
	list10Writing  = "list of 10, 50 commits a second"
	list100Writing = "list of 100, 50 commits a second"
	page1          = "page 1, 50 commits a second"
	pageMiddle     = "middle page, 50 commits a second"
	update64       = "update, 64 connections"
	create64       = "create, 64 connections"
	createAlone    = "create alone"

	orders10         = "orders: list of 10, 100 hot queries"
	orders100        = "orders: list of 100, 100 hot queries"
	orders10Writing  = "orders: list of 10, 50 commits a second"
	orders100Writing = "orders: list of 100, 50 commits a second"
	place64          = "orders: place one of 3 lines, 64 connections"
	placeAlone       = "orders: place one of 3 lines, alone"
)

// The connections of reads and of writes.
const (
	readers = 16
	writers = 64
)

// deepPage is the page of 10 in the middle of all reviews: page 5,000 of 100,000.
func (s scale) deepPage() int { return max(1, s.rows/20) }

// operations are in running order: first all reads, so that every peer lists the same
// rows whatever it creates later.
var operations = []operation{
	{Name: getHot, Connections: readers, lonely: true, status: 200, requests: hotIDs},
	{Name: getRandom, Connections: readers, lonely: true, each: true, status: 200, requests: allIDs},
	{Name: list10, Connections: readers, lonely: true, status: 200, requests: lists(10)},
	{Name: list100, Connections: readers, lonely: true, status: 200, requests: lists(100)},
	{Name: list10Writing, Connections: readers, lonely: true, writing: true, status: 200, requests: lists(10)},
	{Name: list100Writing, Connections: readers, lonely: true, writing: true, status: 200, requests: lists(100)},
	{Name: page1, Connections: readers, lonely: true, writing: true, status: 200, requests: pages(scale.firstPage)},
	{Name: pageMiddle, Connections: readers, lonely: true, writing: true, status: 200, requests: pages(scale.deepPage)},
	{Name: update64, Connections: writers, status: 200, requests: updates},
	{Name: create64, Connections: writers, status: 201, requests: creates},
	{Name: createAlone, Connections: 1, status: 201, requests: creates},
	{Name: orders10, Connections: readers, lonely: true, sells: true, status: 200, requests: orderLists(10)},
	{Name: orders100, Connections: readers, lonely: true, sells: true, status: 200, requests: orderLists(100)},
	{Name: orders10Writing, Connections: readers, lonely: true, sells: true, writing: true, status: 200, requests: orderLists(10)},
	{Name: orders100Writing, Connections: readers, lonely: true, sells: true, writing: true, status: 200, requests: orderLists(100)},
	{Name: place64, Connections: writers, sells: true, status: 201, requests: placings},
	{Name: placeAlone, Connections: 1, lonely: true, sells: true, status: 201, requests: placings},
}

func (s scale) firstPage() int { return 1 }

// withAllEntities are the library, and the floor, which has its responses.
var withAllEntities = []string{peer.Floor, peer.Shop, peer.ShopMemory, peer.ShopPostgres}

// takesPart reports whether a peer is measured in an operation.
func (o *operation) takesPart(name string) bool {
	if o.sells && name == peer.RESTLayer || o.whole && !slices.Contains(withAllEntities, name) {
		return false
	}
	return !o.lonely || name != peer.SQLGrouped && name != peer.PGXGrouped
}

// pool renders the requests of an operation to a peer.
func (o *operation) pool(p *peer.Process, s scale) load.Pool {
	status := o.status
	if status == 201 && (p.Name == peer.PocketBase || p.Name == peer.PocketBaseCgo) {
		status = 200 // is what PocketBase answers
	}
	return load.Pool{Requests: o.requests(p, s), Status: status, Refusal: refusal(p.Name)}
}

// refusal is the response of rest-layer to one of two conflicting updates of a row.
func refusal(name string) int {
	if name == peer.RESTLayer {
		return 409
	}
	return 0
}

func gets(p *peer.Process, targets []string) [][]byte {
	requests := make([][]byte, len(targets))
	for i, target := range targets {
		requests[i] = dialect.Get(target, p.Authorization)
	}
	return requests
}

func hotIDs(p *peer.Process, s scale) [][]byte { return gets(p, hotTargets(dialect.Of(p.Name), s)) }

func hotTargets(d dialect.Dialect, s scale) []string {
	n := min(1000, s.rows)
	targets := make([]string, n)
	for i := range targets {
		targets[i] = d.Category(1 + i*(s.rows/n))
	}
	return targets
}

// maxTargets limits the number of requests that are prepared.
const maxTargets = 200_000

func allIDs(p *peer.Process, s scale) [][]byte { return gets(p, allTargets(dialect.Of(p.Name), s)) }

func allTargets(d dialect.Dialect, s scale) []string {
	targets := make([]string, min(s.rows, maxTargets))
	for i := range targets {
		targets[i] = d.Category(1 + i*(s.rows/len(targets)))
	}
	return targets
}

// hotLists are 100 queries: both statuses, alone, with each rating and with four
// products, five pages of each.
func hotLists(s scale, pageSize int) []dialect.List {
	var list []dialect.List
	for _, status := range []string{"A", "D"} {
		for page := 1; page <= 5; page++ {
			l := dialect.List{Status: status, Page: page, PageSize: pageSize}
			list = append(list, l)
			for rating := 1; rating <= 5; rating++ {
				l := l
				l.Rating = rating
				list = append(list, l)
			}
			for product := range 4 {
				l := l
				l.Product = 1 + product*data.Products(s.rows)/4
				list = append(list, l)
			}
		}
	}
	return list
}

func listTargets(d dialect.Dialect, lists []dialect.List) []string {
	targets := make([]string, len(lists))
	for i, l := range lists {
		targets[i] = d.List(l)
	}
	return targets
}

func lists(pageSize int) func(*peer.Process, scale) [][]byte {
	return func(p *peer.Process, s scale) [][]byte {
		return gets(p, listTargets(dialect.Of(p.Name), hotLists(s, pageSize)))
	}
}

// pagesFrom are twenty pages of all reviews, from the given one on.
func pagesFrom(page int) []dialect.List {
	list := make([]dialect.List, 20)
	for i := range list {
		list[i] = dialect.List{Page: page + i, PageSize: 10}
	}
	return list
}

func pages(first func(scale) int) func(*peer.Process, scale) [][]byte {
	return func(p *peer.Process, s scale) [][]byte {
		return gets(p, listTargets(dialect.Of(p.Name), pagesFrom(first(s))))
	}
}

// variants is the number of different changes that are prepared.
const variants = 10_000

func creates(p *peer.Process, s scale) [][]byte {
	requests := make([][]byte, variants)
	for i := range requests {
		requests[i] = dialect.Of(p.Name).Create(p.Authorization, rand.IntN(1<<30), data.Products(s.rows))
	}
	return requests
}

func updates(p *peer.Process, s scale) [][]byte {
	requests := make([][]byte, variants)
	for i := range requests {
		requests[i] = dialect.Of(p.Name).Update(p.Authorization, 1+rand.IntN(s.rows), rand.IntN(1<<30))
	}
	return requests
}

// hotOrders are 100 queries: each status within each span, five pages of each.
func hotOrders(pageSize int) []dialect.OrderList {
	var list []dialect.OrderList
	for _, status := range data.Statuses {
		for _, span := range data.Spans {
			for page := 1; page <= 5; page++ {
				list = append(list, dialect.OrderList{Status: status, From: span[0], To: span[1], Page: page, PageSize: pageSize})
			}
		}
	}
	return list
}

func orderTargets(d dialect.Dialect, lists []dialect.OrderList) []string {
	targets := make([]string, len(lists))
	for i, l := range lists {
		targets[i] = d.Orders(l)
	}
	return targets
}

func orderLists(pageSize int) func(*peer.Process, scale) [][]byte {
	return func(p *peer.Process, _ scale) [][]byte {
		return gets(p, orderTargets(dialect.Of(p.Name), hotOrders(pageSize)))
	}
}

// changes returns the requests of the writer beside a list: updates of the listed rows.
func (o *operation) changes(p *peer.Process, s scale) [][]byte {
	if !o.sells {
		return updates(p, s)
	}
	requests := make([][]byte, variants)
	for i := range requests {
		requests[i] = dialect.Of(p.Name).ChangeOrder(p.Authorization, 1+rand.IntN(s.rows), rand.IntN(1<<30))
	}
	return requests
}

func placings(p *peer.Process, s scale) [][]byte {
	requests := make([][]byte, variants)
	for i := range requests {
		requests[i] = dialect.Of(p.Name).Place(p.Authorization, rand.IntN(1<<30), data.Products(s.rows))
	}
	return requests
}

// targetsOfReads returns all addresses of read operations, whose responses the floor
// prepares.
func targetsOfReads(s scale) []string {
	d := dialect.Of(peer.Shop)
	targets := append(hotTargets(d, s), allTargets(d, s)...)
	for _, l := range [][]dialect.List{hotLists(s, 10), hotLists(s, 100), pagesFrom(s.firstPage()), pagesFrom(s.deepPage())} {
		targets = append(targets, listTargets(d, l)...)
	}
	targets = append(targets, mixTargets(s)...)
	return append(targets, orderTargets(d, append(hotOrders(10), hotOrders(100)...))...)
}
