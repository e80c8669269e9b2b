package orders_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A list of the orders of today, this week, month or year is cached until the day ends in
// the shop's time zone; a list of a period that ends now is not cached.
func TestOrders_PeriodsAreCachedForADay(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var cached bool
	w := newWorld(t, st, shopapi.Options{Completed: func(_ *http.Request, c shopapi.Completion) { cached = c.Cached }})
	start := time.Date(2026, 3, 4, 23, 0, 0, 0, time.UTC)
	w.Clock.Set(start)
	w.place(`{"2": {"amount": 1}}`)
	list := func(code string) string {
		w.t.Helper()
		return w.Get("/api/2.0/orders?period=" + code).Body
	}
	for code, want := range map[string]bool{"D": true, "W": true, "M": true, "Y": true, "A": true, "LD": true, "HH": false} {
		w.Clock.Set(start)
		first := list(code)
		if again := list(code); again != first || cached != want {
			t.Errorf("period=%s: cached %v, want %v: %s", code, cached, want, again)
		}
		w.Clock.Set(start.Add(2 * time.Hour))
		if list(code); cached && code != "A" {
			t.Errorf("period=%s is cached on the next day", code)
		}
	}
	if first := list("D"); first == list("LD") {
		t.Errorf("on the next day the orders of today are those of yesterday: %s", first)
	}
}
