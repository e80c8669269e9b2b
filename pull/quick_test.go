package pull_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/pulltest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// counted counts the requests for an address, by entity and by whether they are for one object.
type counted struct {
	sync.Mutex
	objects map[string]int
}

func (c *counted) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entity, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/2.0/"), "/")
		c.Lock()
		if id != "" {
			c.objects[entity]++
		}
		c.Unlock()
		next.ServeHTTP(w, r)
	})
}

// quickly are options of a run with Quick, and a count of its requests.
func quickly(t *testing.T, old store.Store) (pull.Options, *counted) {
	t.Helper()
	c := &counted{objects: map[string]int{}}
	o := from(serve(t, old, shopapi.DialectDocumented, c.around))
	o.Quick = true
	return o, c
}

// With Quick a run on an unchanged shop reads no object of the large entities by itself, and
// writes nothing. On a changed one it reads what changed, and ends as a run that reads all.
func TestE8_Quick(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	source, st := newShop(t, old), memory.New()
	sh := newShop(t, st)
	if err := source.Orders.Shipments().Delete(t.Context(), 1); err != nil { // the order holds its goods again
		t.Fatal(err)
	}
	first, all := quickly(t, old)
	run(t, sh, first)

	o, c := quickly(t, old)
	moveSource(t, st, o.From)
	report := run(t, sh, o)
	if report.Written != 0 || len(report.Problems) > 0 {
		t.Errorf("%d written, problems %+v", report.Written, report.Problems)
	}
	for _, entity := range []string{"products", "orders", "users", "categories", "pages", "carts"} {
		if c.objects[entity] > 0 {
			t.Errorf("%d objects of %s were read", c.objects[entity], entity)
		}
	}
	if n := report.Counts["orders"]; n.There == 0 || n.There != n.Here {
		t.Errorf("orders %+v", n)
	}

	rename(t, source.Products, 1, "Large mug")
	top, err := source.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Top", CompanyID: 1}})
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for c, err := range source.Categories.All(t.Context(), categories.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.ParentID != 0 || c.CategoryID == top.CategoryID {
			continue
		}
		moved++
		if _, err := source.Categories.Update(t.Context(), c.CategoryID, func(v *categories.Category) error {
			v.ParentID = top.CategoryID
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := source.Users.Update(t.Context(), 2, func(u *users.User) error {
		u.LastName = "Renamed"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Orders.Shipments().Create(t.Context(), orders.Shipment{
		OrderID: 1, ShippingID: 1, Products: orders.Quantities{2787970629: 1},
	}); err != nil {
		t.Fatal(err)
	}
	o, c = quickly(t, old)
	moveSource(t, st, o.From)
	if report := run(t, sh, o); len(report.Problems) > 0 {
		t.Errorf("problems %+v", report.Problems)
	}
	if moved == 0 {
		t.Fatal("no category was moved")
	}
	want := tables(t, old)
	want["order_history"] = []string{} // of the changes above
	if diff := pulltest.Diff(want, tables(t, st)); diff != "" {
		t.Errorf("tables (-old +new):\n%s", diff)
	}
	for _, entity := range []string{"users", "pages"} {
		if c.objects[entity] >= all.objects[entity] {
			t.Errorf("%d objects of %s were read, and %d in the first run", c.objects[entity], entity, all.objects[entity])
		}
	}
}
