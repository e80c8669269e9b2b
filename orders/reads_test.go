package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
)

// The number of reads that show or place an order does not grow with its lines, nor that
// of a page with its length: at most four, without caches.
func TestOrders_FewReads(t *testing.T) {
	counted := &shoptest.CountingStore{Store: shoptest.Memory(t)}
	w := newWorld(t, unclosed{counted}, shopapi.Options{})
	lines := func(n int) string {
		var list []string
		for i := range n {
			id := w.made("products", fmt.Sprintf(`{"product": "Tile %d", "category_ids": [1], "company_id": 1, "price": "2", "amount": 99, "tax_ids": "1"}`, i))
			list = append(list, fmt.Sprintf(`"%s": {"amount": 1}`, id))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	two, twenty := w.order(lines(2)), w.order(lines(20))
	var ids []string
	place := func(payload string) func() { return func() { ids = append(ids, w.made("orders", payload)) } }
	placed := map[int]int64{}
	place(two)()
	placed[2] = counted.In(place(two))
	placed[20] = counted.In(place(twenty))
	if placed[2] != placed[20] || placed[20] > 20 {
		t.Errorf("an order of 2 lines is placed in %d reads, and one of 20 in %d", placed[2], placed[20])
	}
	shipped := ids[2]
	for item := range w.get(shipped).Products {
		w.made("shipments", fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}}`, shipped, item))
	}
	for _, id := range []string{ids[0], shipped} {
		if n := counted.In(func() { w.get(id) }); n > 4 {
			t.Errorf("order %s is read in %d reads", id, n)
		}
	}
	for i := range 30 {
		place(w.order(fmt.Sprintf(`{"4": {"amount": %d}}`, i+1)))()
	}
	for _, query := range []string{"items_per_page=1", "items_per_page=30", "items_per_page=30&status=O&period=A&sort_by=total"} {
		if n := counted.In(func() { w.Get("/api/2.0/orders?" + query) }); n > 4 {
			t.Errorf("%s takes %d reads", query, n)
		}
	}
	n := counted.In(func() {
		if list, _, err := w.Orders.Find(t.Context(), orders.Filter{}); err != nil || len(list) < 30 {
			t.Errorf("%d orders, %v", len(list), err)
		}
	})
	if n != 1 {
		t.Errorf("a page takes %d reads", n)
	}
}

// A list of 100 orders with their lines takes six reads without caches (extensions E3).
func TestOrders_26_ListWithProductsInSixReads(t *testing.T) {
	counted := &shoptest.CountingStore{Store: shoptest.Memory(t)}
	w := newWorld(t, unclosed{counted}, shopapi.Options{})
	for i := range 100 {
		w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": 1, "take_stock": "N",
			"products": {"4": {"amount": %d}, "1": {"amount": 1}}}`, w.user(), i+1))
	}
	var list struct {
		Orders []struct{ Products map[string]shownLine }
	}
	n := counted.In(func() { w.Get("/api/2.0/orders?items_per_page=100&fields=products").Decode(&list) })
	if n > 6 || len(list.Orders) != 100 || len(list.Orders[99].Products) != 2 {
		t.Errorf("%d orders are read in %d reads", len(list.Orders), n)
	}
}
