package pull_test

import (
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/memory"
)

// An order with a history that is gone there is removed here, with the history.
func TestE8_DeleteOfOrdersWithHistory(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	source := newShop(t, old)
	request(t, source, "PUT", "products/1", `{"amount": 100, "status": "A"}`, 200)
	request(t, source, "PUT", "payments/1", `{"status": "A"}`, 200)
	request(t, source, "PUT", "shippings/1", `{"status": "A"}`, 200)
	id := place(t, source, ``)
	address := fmt.Sprintf("orders/%d", id)
	request(t, source, "PUT", address, `{"notes": "Ring twice"}`, 200)
	url := serve(t, old, shopapi.DialectDocumented)
	st := memory.New()
	sh := newShop(t, st)
	o := keeping(url)
	run(t, sh, o)
	request(t, source, "DELETE", address, ``, 204)
	o.Delete = true
	for _, p := range run(t, sh, o).Problems {
		t.Errorf("problem %+v", p)
	}
	request(t, sh, "GET", address, ``, 404)
	if rows := tables(t, st)["order_history"]; len(rows) != len(tables(t, old)["order_history"]) {
		t.Errorf("the history of orders: %s", rows)
	}
	agrees(t, st)
}

// The thread of a product's reviews is removed with the product.
func TestE8_DeleteOfReviewedProducts(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	source := newShop(t, old)
	product := request(t, source, "POST", "products", `{"product": "Jug", "price": "5.00", "category_ids": [1], "main_category": 1, "company_id": 1}`, 201)
	var id int64
	if _, err := fmt.Sscanf(product, `{"product_id":"%d"`, &id); err != nil {
		t.Fatalf("%s: %v", product, err)
	}
	request(t, source, "POST", "discussions", fmt.Sprintf(`{"object_type": "P", "object_id": %d, "name": "Ana", "message": "Good", "rating_value": 5, "status": "A"}`, id), 201)
	url := serve(t, old, shopapi.DialectDocumented)
	st := memory.New()
	sh := newShop(t, st)
	run(t, sh, from(url))
	request(t, source, "DELETE", fmt.Sprintf("products/%d", id), ``, 204)
	o := from(url)
	o.Delete = true
	for _, p := range run(t, sh, o).Problems {
		t.Errorf("problem %+v", p)
	}
	if rows, want := tables(t, st)["discussion_threads"], tables(t, old)["discussion_threads"]; len(rows) != len(want) {
		t.Errorf("threads %s, want %s", rows, want)
	}
	agrees(t, st)
	if again := run(t, sh, o); again.Written != 0 || len(again.Problems) > 0 {
		t.Errorf("another run wrote %d, problems %+v", again.Written, again.Problems)
	}
}
