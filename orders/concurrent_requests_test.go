package orders_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/apitest"
)

// A traffic is random requests to a driftWorld, from several goroutines at once.
type traffic struct {
	client   *apitest.Client
	seed     uint64
	requests int    // of each goroutine
	user     string // user_id of the customer

	mu     sync.Mutex
	last   int // the id of the newest order
	report *report
}

func newTraffic(w *world, client *apitest.Client, seed uint64, requests int) *traffic {
	return &traffic{client: client, seed: seed, requests: requests, user: w.user(), report: newReport()}
}

// send sends the requests and waits for the answers.
func (t *traffic) send(goroutines int) {
	var wg sync.WaitGroup
	for i := range goroutines {
		random := rand.New(rand.NewPCG(t.seed, uint64(i)))
		wg.Go(func() {
			for range t.requests {
				t.request(random)
			}
		})
	}
	wg.Wait()
}

// request sends one request. Requests other than placing an order use one of the newest
// orders, which may be a parent, a part, or deleted.
func (t *traffic) request(r *rand.Rand) {
	id := t.one(r)
	order := "/api/2.0/orders/" + id
	switch n := r.IntN(100); {
	case n < 40:
		t.place(r)
	case n < 58:
		t.did("lines", t.client.Put(order, `{"products": `+goods(r, true)+`}`))
	case n < 76:
		t.did("status", t.client.Put(order, fmt.Sprintf(`{"status": "%c"}`, "PCOFDBIYZ"[r.IntN(9)])))
	case n < 84:
		t.did("amounts", t.client.Put(order, oneOf(r,
			`{"payment_id": 1}`, `{"payment_id": 2}`, `{"payment_id": 3}`, `{"shipping_id": 1}`, `{"shipping_id": 2}`,
			`{"subtotal_discount": 0}`, `{"subtotal_discount": "1.00"}`, `{"subtotal_discount": 2.5}`, `{"total": "7.77"}`)))
	case n < 94:
		t.ship(r, id)
	default:
		if a := t.client.Delete(order); t.did("delete", a) {
			t.mu.Lock()
			t.report.Deleted[id] = true
			t.mu.Unlock()
		}
	}
}

// one is the id of one of the newest orders.
func (t *traffic) one(r *rand.Rand) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strconv.Itoa(max(t.last-r.IntN(60), 1))
}

func (t *traffic) place(r *rand.Rand) {
	lines := goods(r, false)
	a := t.client.Post("/api/2.0/orders", fmt.Sprintf(`{"user_id": %s, "payment_id": %d, "shipping_id": %s, "subtotal_discount": %s, "products": %s}`,
		t.user, r.IntN(2)+1, oneOf(r, "1", "1", "2"), oneOf(r, "0", "0", "0", "1.00", "2.50"), lines))
	if t.did("place", a) {
		id, _ := strconv.Atoi(a.Field("order_id"))
		split := strings.Contains(lines, `"product_id": 5`) && strings.Count(lines, "product_id") > strings.Count(lines, `"product_id": 5`)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.last = max(t.last, id)
		t.report.place(a.Field("order_id"), split)
	}
}

// ship makes a shipment of some of the lines of an order, or changes or removes one.
func (t *traffic) ship(r *rand.Rand, id string) {
	if r.IntN(4) == 0 {
		shipment := "/api/2.0/shipments/" + strconv.Itoa(r.IntN(30)+1)
		if r.IntN(2) == 0 {
			t.did("unship", t.client.Delete(shipment))
		} else {
			t.did("reship", t.client.Put(shipment, `{"comments": "`+id+`", "order_status": "`+oneOf(r, "C", "I", "P")+`"}`))
		}
		return
	}
	var order struct {
		Products map[string]any
	}
	if a := t.client.Get("/api/2.0/orders/" + id); a.Status == 200 {
		a.Decode(&order)
	}
	var pieces []string
	for item := range order.Products {
		pieces = append(pieces, fmt.Sprintf(`"%s": %d`, item, r.IntN(3)+1))
	}
	t.did("ship", t.client.Post("/api/2.0/shipments", fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {%s}, "order_status": "%s"}`,
		id, strings.Join(pieces, ", "), oneOf(r, "C", "P", "I"))))
}

// goods are random lines of an order that is placed or edited.
func goods(r *rand.Rand, edit bool) string {
	var lines []string
	for i := range r.IntN(3) + 1 {
		product, rest := r.IntN(5)+1, ""
		if edit && product == 5 && r.IntN(3) > 0 {
			product = 1 // most orders have no goods of the other vendor
		}
		switch product {
		case 1:
			rest = fmt.Sprintf(`, "product_options": {"1": %d, "2": %d}`, r.IntN(2)+1, r.IntN(2)+3)
		case 3:
			rest = fmt.Sprintf(`, "product_options": {"3": %d}`, r.IntN(2)+5)
		}
		if edit {
			rest += oneOf(r, "", "", `, "price": "9.99"`, `, "discount": "0.35"`)
		}
		lines = append(lines, fmt.Sprintf(`"l%d": {"product_id": %d, "amount": %d%s}`, i, product, r.IntN(4)+1, rest))
	}
	return "{" + strings.Join(lines, ", ") + "}"
}

func oneOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// did records the response to a request, and reports whether the request succeeded. A
// refusal is not a fault of the server.
func (t *traffic) did(what string, a *apitest.Answer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.Done[what+" "+strconv.Itoa(a.Status)]++
	switch a.Status {
	case 200, 201, 204:
		return true
	case 400, 404:
		return false
	}
	t.client.T.Errorf("%s: %d %s", what, a.Status, a.Body)
	return false
}

// A report is what traffic did.
type report struct {
	Placed  map[string]bool // by ids of orders, whether of several vendors
	Twice   []string        // ids that were given twice
	Deleted map[string]bool
	Done    map[string]int // the number of responses by request and status, such as "place 201"
}

func newReport() *report {
	return &report{Placed: map[string]bool{}, Deleted: map[string]bool{}, Done: map[string]int{}}
}

func (r *report) place(id string, split bool) {
	if _, known := r.Placed[id]; known {
		r.Twice = append(r.Twice, id)
	}
	r.Placed[id] = split
}

// add adds what other traffic did.
func (r *report) add(other *report) {
	for id, split := range other.Placed {
		r.place(id, split)
	}
	r.Twice = append(r.Twice, other.Twice...)
	for id := range other.Deleted {
		r.Deleted[id] = true
	}
	for what, n := range other.Done {
		r.Done[what] += n
	}
}

// check checks the report: no id is assigned twice, and enough requests succeeded for the
// other checks to be meaningful.
func (r *report) check(t *testing.T) {
	t.Helper()
	changes := 0
	for what, n := range r.Done {
		if kind, status, _ := strings.Cut(what, " "); kind != "place" && status[0] == '2' {
			changes += n
		}
	}
	if len(r.Placed) < 10 || changes < 10 {
		t.Errorf("only %d orders were placed, and %d times was one changed: %v", len(r.Placed), changes, r.Done)
	}
	if len(r.Twice) > 0 {
		t.Errorf("the ids %v were given twice", r.Twice)
	}
}
