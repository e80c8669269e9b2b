package orders_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// TestE12_ReportOfManyOrders: a report sums more orders than fit into the memory that a user
// may use.
func TestE12_ReportOfManyOrders(t *testing.T) {
	s := apitest.New(t, &shop.Options{
		Options: shopapi.Options{Limits: shopapi.Limits{Memory: 16 << 20}}, // 3 MiB for one user
		Reports: orders.ReportOptions{On: true},
	})
	list := make([]orders.Order, 10_000)
	for i := range list {
		list[i] = orders.Order{Summary: orders.Summary{Status: orders.Processed, CompanyID: 1, Timestamp: s.Clock.Now().Unix()}, Pieces: 2}
	}
	err := s.Store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return store.MustTable[orders.Order]("orders").InsertAll(tx, list)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"day", "status", "company"} {
		a := s.Get("/api/2.0/reports/orders?by=" + by)
		if a.Status != 200 || !strings.Contains(string(a.Body), `"orders":"10000"`) {
			t.Errorf("by %s: %d %.300s", by, a.Status, a.Body)
		}
	}
}
