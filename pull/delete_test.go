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
