package orders_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// Orders that are committed together over PostgreSQL never take more stock than there is, none is lost, and cached
// products show what is left.
func TestOrders_TogetherTakeStockOnce(t *testing.T) {
	st, err := postgres.Open(t.Context(), pgtest.DSN(t)+"&pool_max_conns=8")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, st, shopapi.Options{})
	shown := func(id, field string) string { return w.Get("/api/2.0/products/" + id).Field(field) }
	const stock, clients, each = 40, 24, 4
	if a := w.Put("/api/2.0/products/1", fmt.Sprintf(`{"amount": %d}`, stock)); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := w.Put("/api/2.0/products/2", `{"amount": 1000}`); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	shown("1", "amount") // is cached
	order := w.order(`{"1": {"amount": 1}, "2": {"amount": 2}}`)
	var mu sync.Mutex
	placed, refused := map[string]bool{}, 0
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				a := w.Post("/api/2.0/orders", order)
				mu.Lock()
				switch {
				case a.Status == 201:
					placed[a.Field("order_id")] = true
				case a.Status/100 == 4:
					refused++
				default:
					t.Errorf("%d %s", a.Status, a.Body)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(placed) != stock || refused != clients*each-stock {
		t.Errorf("%d orders were placed and %d refused, want %d and %d", len(placed), refused, stock, clients*each-stock)
	}
	for id, want := range map[string]string{"1": "0", "2": fmt.Sprint(1000 - 2*stock)} {
		if got := shown(id, "amount"); got != want {
			t.Errorf("there are %s of product %s, want %s", got, id, want)
		}
	}
	for id := range placed {
		if a := w.Get("/api/2.0/orders/" + id); a.Status != 200 {
			t.Errorf("order %s: %d %s", id, a.Status, a.Body)
		}
		if a := w.Get("/api/2.0/orders/" + id + "/history"); a.Status != 200 {
			t.Errorf("the history of order %s: %d %s", id, a.Status, a.Body)
		}
	}
}
