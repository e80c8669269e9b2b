package docs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/callrequests"
	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A Supplier is an object of the host's own.
type Supplier struct {
	SupplierID int64  `json:"supplier_id,string" store:"key" bind:"-"`
	Name       string `json:"supplier" store:"fold,index" rule:"required,len=255" hint:"the name of the supplier"`
	City       string `json:"city"`
	BuyerID    int64  `json:"buyer_id,string"` // the user who orders from the supplier
	Since      int64  `json:"since,string"`    // in seconds since 1970
}

// A SupplierFilter has the parameters of lists.
type SupplierFilter struct {
	resource.ListOptions
	Name string `json:"supplier" match:"contains"` // part of it
	City string `json:"city" match:"equal"`
}

// Suppliers are the suppliers of a store.
type Suppliers = resource.Collection[Supplier, Supplier]

// registerSuppliers adds the entity suppliers.
func registerSuppliers(ctx context.Context, api *shopapi.API, st store.Store) (Suppliers, error) {
	return resource.Register(ctx, api, st, resource.Definition[Supplier, Supplier]{
		Name:       "suppliers",
		Object:     "supplier",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      store.MustTable[Supplier]("suppliers"),
		Filter:     func() resource.Filter { return new(SupplierFilter) },
		Sorts: []resource.Sort{
			{Key: "supplier", Column: "supplier"},
			{Key: "id", Column: "supplier_id"},
		},
		Display: shopapi.Display{
			Label:     "supplier",
			Columns:   []string{"supplier", "city", "buyer_id"},
			Relations: map[string]string{"buyer_id": "users"},
			Widgets:   map[string]shopapi.Widget{"since": shopapi.WidgetTime},
		},
	})
}

// Weather is an entity without a table: a List and nothing else.
type Weather struct{ degrees func() int }

// Describe implements shopapi.Entity.
func (Weather) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "weather",
		Privileges: shopapi.Privileges{View: "view_catalog"},
	}
}

// List implements shopapi.Lister.
func (w Weather) List(context.Context, *shopapi.Request) (any, error) {
	return map[string]int{"degrees": w.degrees()}, nil
}

// A Delivery is a child of the host's below the library's products.
type Delivery struct {
	DeliveryID int64 `json:"delivery_id,string" store:"key" bind:"-"`
	ProductID  int64 `json:"product_id,string" store:"index"`
	Amount     int64 `json:"amount,string"`
}

var deliveries = store.MustTable[Delivery]("deliveries")

// registerDeliveries adds products/<id>/deliveries. What lies below a product goes
// with it.
func registerDeliveries(ctx context.Context, api *shopapi.API, st store.Store) error {
	_, err := resource.Register(ctx, api, st, resource.Definition[Delivery, Delivery]{
		Name:       "deliveries",
		Object:     "delivery",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      deliveries,
		Sorts:      []resource.Sort{{Key: "id"}},
		Scope: resource.Scope[Delivery]{
			Parents: []resource.Parent[Delivery]{
				resource.ByColumn("products", "product_id", func(d *Delivery) *int64 { return &d.ProductID }),
			},
		},
	})
	if err != nil {
		return err
	}
	api.BeforeDelete("products", func(ctx context.Context, ids []int64) error {
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			_, err := deliveries.Delete(tx, store.InInts("product_id", ids...))
			return err
		})
	})
	return nil
}

// refuseUsed refuses the deletion of a category that a promotion names.
func refuseUsed(api *shopapi.API, promoted map[int64]string) {
	api.RefuseDelete("categories", func(_ context.Context, ids []int64) error {
		for _, id := range ids {
			if name, ok := promoted[id]; ok {
				return shopapi.Errorf(400, "Category %d is in the promotion %s: end that first.", id, name)
			}
		}
		return nil
	})
}

// callsInCharge has users/7/call_requests answer with the call requests that user 7
// is in charge of.
func callsInCharge(admin *shop.Shop) error {
	return admin.CallRequests.Under(resource.ByColumn("users", "user_id",
		func(r *callrequests.CallRequest) *int64 { return &r.UserID }))
}

func TestEntitiesOfTheHost(t *testing.T) {
	s := apitest.NewWithStore(t, memory.New(), nil)
	if _, err := registerSuppliers(t.Context(), s.API, s.Store); err != nil {
		t.Fatal(err)
	}
	if err := s.Register(Weather{func() int { return 21 }}); err != nil {
		t.Fatal(err)
	}
	if err := registerDeliveries(t.Context(), s.API, s.Store); err != nil {
		t.Fatal(err)
	}
	if err := callsInCharge(s.Shop); err != nil {
		t.Fatal(err)
	}
	refuseUsed(s.API, map[int64]string{2: "Spring"})

	s.Post("/api/suppliers", `{"supplier": "Ådal clay", "city": "Oslo"}`)
	s.Post("/api/categories", `{"category": "Tableware"}`)
	s.Post("/api/categories", `{"category": "Spring"}`)
	s.Post("/api/products", `{"product": "Mug", "category_ids": [1]}`)
	s.Post("/api/call_requests", `{"phone": "1"}`)
	for _, c := range []struct {
		method, address, body string
		status                int
		want                  string
	}{
		{"POST", "/api/suppliers", `{"city": "Oslo"}`, 400, `"supplier":"is required: the name of the supplier"`},
		{"GET", "/api/suppliers?supplier=%C3%A5DAL&sort_by=id", "", 200, `"total_items":"1"`},
		{"GET", "/api/weather", "", 200, `{"degrees":21}`},
		{"GET", "/api/weather/1", "", 405, "No method"},
		{"POST", "/api/products/1/deliveries", `{"amount": 12}`, 201, `{"delivery_id":"1"}`},
		{"GET", "/api/products/1/deliveries/1", "", 200, `"product_id":"1","amount":"12"`},
		{"GET", "/api/users/1/call_requests", "", 200, `"total_items":"0"`},
		{"POST", "/api/users/1/call_requests", `{"phone": "2"}`, 201, `{"request_id":"2"}`},
		{"GET", "/api/users/1/call_requests", "", 200, `"total_items":"1"`},
		{"DELETE", "/api/products/1", "", 204, ""},
		{"GET", "/api/deliveries", "", 200, `"total_items":"0"`},
		{"DELETE", "/api/categories/2", "", 400, "Spring"},
		{"DELETE", "/api/categories/1", "", 204, ""},
	} {
		answer := s.Do(c.method, c.address, "application/json", c.body)
		if answer.Status != c.status || !strings.Contains(answer.Body, c.want) {
			t.Errorf("%s %s is answered %d %s, want %d and %s", c.method, c.address, answer.Status, answer.Body, c.status, c.want)
		}
	}
}
